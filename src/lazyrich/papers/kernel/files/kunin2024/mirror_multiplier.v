From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/mirror-multiplier, rate_of_the_slope *)

Lemma rate_of_the_slope_1 : forall b0 a g00 w0 g01 w1 : R,
  0 < a ->
  sqrt 2 * (b0 * a - (1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * g00 * w0 * a ^ 2 - (1 / 2) * g01 * w1 * a ^ 2) =
  (-1) * a * sqrt 2 * (- b0 + g00 * w0 * a + g01 * w1 * a).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma rate_of_the_slope_2 : forall b1 a g01 w0 g11 w1 : R,
  0 < a ->
  sqrt 2 * (b1 * a - (1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * g01 * w0 * a ^ 2 - (1 / 2) * g11 * w1 * a ^ 2) =
  (-1) * a * sqrt 2 * (- b1 + g01 * w0 * a + g11 * w1 * a).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
