From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/equation-of-alpha, slope_along_the_line *)

Lemma slope_along_the_line_1 : forall z c a r : R,
  0 < c ->
  0 < a ->
  0 < r ->
  (2 / 3) * z + (2 / 3) * c * ((2 * a * r - a * r * (a ^ 2 - r ^ 2) / (a ^ 2 + r ^ 2)) / a + (a ^ 2 * r ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - r ^ 2)) / r / (a ^ 2 + r ^ 2) - (a ^ 2 * r ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - r ^ 2)) / a ^ 2 / r) =
  (2 / 3) * z + c * r.
Proof.
  intros.
  field; nonzero.
Qed.
