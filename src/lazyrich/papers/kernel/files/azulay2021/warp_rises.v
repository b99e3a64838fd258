From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warp-rises, slope_of_the_warp *)

Lemma slope_of_the_warp_1 : forall p r : R,
  0 < p ->
  0 < r ->
  p / (p ^ 2 + r ^ 2) =
  2 * p / (2 * p ^ 2 + 2 * r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
