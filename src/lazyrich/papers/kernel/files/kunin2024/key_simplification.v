From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/key-simplification, squares_of_both_sides *)

Lemma squares_of_both_sides_1 : forall eta_a r eta_w a : R,
  0 < eta_a ->
  0 < r ->
  0 < eta_w ->
  0 < a ->
  (eta_a * r ^ 2 + eta_w * a ^ 2) ^ 2 =
  (eta_w * a ^ 2 - eta_a * r ^ 2) ^ 2 + 4 * eta_a * eta_w * a ^ 2 * r ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
