From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/jensen, a_square *)

Lemma a_square_1 : forall p q : R,
  0 < p ->
  0 < q ->
  p ^ 2 + q ^ 2 - (1 / 2) * (p + q) ^ 2 =
  (1 / 2) * (p - q) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
