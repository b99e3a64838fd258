From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/theorem-1-with-rates, slope_with_rates *)

Lemma slope_with_rates_1 : forall w0 eta_a w1 w2 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  (1 / 3) * w0 * sqrt 2 * sqrt eta_a * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 - eta_w * a ^ 2 + 2 * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) + (4 / 3) * w0 * eta_w * sqrt 2 * a ^ 2 * sqrt eta_a / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) =
  w0 * sqrt 2 * sqrt eta_a.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  assert (rule2 : sqrt (eta_a) ^ 2 = eta_a) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (eta_a)).
  try (assert (0 < sqrt (eta_a)) by positive).
  set (root2 := sqrt (eta_a)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.

Lemma slope_with_rates_2 : forall w1 eta_a w0 w2 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  (1 / 3) * w1 * sqrt 2 * sqrt eta_a * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 - eta_w * a ^ 2 + 2 * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) + (4 / 3) * w1 * eta_w * sqrt 2 * a ^ 2 * sqrt eta_a / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) =
  w1 * sqrt 2 * sqrt eta_a.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  assert (rule2 : sqrt (eta_a) ^ 2 = eta_a) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (eta_a)).
  try (assert (0 < sqrt (eta_a)) by positive).
  set (root2 := sqrt (eta_a)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.

Lemma slope_with_rates_3 : forall w2 eta_a w0 w1 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  (1 / 3) * w2 * sqrt 2 * sqrt eta_a * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 - eta_w * a ^ 2 + 2 * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) + (4 / 3) * w2 * eta_w * sqrt 2 * a ^ 2 * sqrt eta_a / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) =
  w2 * sqrt 2 * sqrt eta_a.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  assert (rule2 : sqrt (eta_a) ^ 2 = eta_a) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (eta_a)).
  try (assert (0 < sqrt (eta_a)) by positive).
  set (root2 := sqrt (eta_a)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
