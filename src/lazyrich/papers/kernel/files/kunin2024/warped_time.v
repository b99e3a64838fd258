From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/warped-time, mirror_flow_in_warped_time *)

Lemma mirror_flow_in_warped_time_1 : forall w0 b0 b1 w1 g00 a g01 g11 : R,
  0 < a ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  (w0 * (b0 * w0 + b1 * w1 - (1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) - (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) + a * (b0 * a - (1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * g00 * w0 * a ^ 2 - (1 / 2) * g01 * w1 * a ^ 2)) * ((4 / 3) * a * sqrt 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - (16 / 3) * sqrt 2 * w0 ^ 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (1 / 3) * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + (8 / 3) * a * sqrt 2 * w0 ^ 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - (4 / 3) * a * sqrt 2 * w0 ^ 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 - (1 / 3) * sqrt 2 * w0 ^ 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2)) + (w1 * (b0 * w0 + b1 * w1 - (1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) - (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) + a * (b1 * a - (1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * g01 * w0 * a ^ 2 - (1 / 2) * g11 * w1 * a ^ 2)) * (- (16 / 3) * w0 * w1 * sqrt 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * w0 * w1 * a * sqrt 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - (4 / 3) * w0 * w1 * a * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 - (1 / 3) * w0 * w1 * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2)) =
  (-1) * a * sqrt 2 * (- b0 + g00 * w0 * a + g01 * w1 * a).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma mirror_flow_in_warped_time_2 : forall w0 b0 b1 w1 g00 a g01 g11 : R,
  0 < a ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  (w0 * (b0 * w0 + b1 * w1 - (1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) - (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) + a * (b0 * a - (1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * g00 * w0 * a ^ 2 - (1 / 2) * g01 * w1 * a ^ 2)) * (- (16 / 3) * w0 * w1 * sqrt 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * w0 * w1 * a * sqrt 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - (4 / 3) * w0 * w1 * a * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 - (1 / 3) * w0 * w1 * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2)) + (w1 * (b0 * w0 + b1 * w1 - (1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) - (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) - (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) + a * (b1 * a - (1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - (1 / 2) * g01 * w0 * a ^ 2 - (1 / 2) * g11 * w1 * a ^ 2)) * ((4 / 3) * a * sqrt 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - (16 / 3) * sqrt 2 * w1 ^ 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (1 / 3) * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + (8 / 3) * a * sqrt 2 * w1 ^ 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - (4 / 3) * a * sqrt 2 * w1 ^ 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 - (1 / 3) * sqrt 2 * w1 ^ 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2)) =
  (-1) * a * sqrt 2 * (- b1 + g01 * w0 * a + g11 * w1 * a).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
