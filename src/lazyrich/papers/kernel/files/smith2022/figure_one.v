From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/figure-one, the_gap *)

Lemma the_gap_1 : forall z0 z1 a : R,
  z0 ^ 2 - z1 ^ 2 - 2 * a * (z0 - a) + 2 * a * (z1 - a) =
  (z0 - a) ^ 2 - (z1 - a) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
