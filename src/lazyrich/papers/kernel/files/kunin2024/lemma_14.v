From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/lemma-14, gram_of_two_layers *)

Lemma gram_of_two_layers_1 : forall n v_S delta : R,
  n ^ 2 + v_S ^ 2 + n * v_S - delta * n =
  v_S ^ 2 + n * (n + v_S - delta).
Proof.
  intros.
  field; nonzero.
Qed.
