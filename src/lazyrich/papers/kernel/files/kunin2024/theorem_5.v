From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/theorem-5, slope_of_q_is_w *)

Lemma slope_of_q_is_w_1 : forall w0 a w1 w2 : R,
  0 < a ->
  0 < w0 ^ 2 + w1 ^ 2 + w2 ^ 2 ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w0 * ((2 * a * sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) - a * sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) / a + (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) =
  (3 / 2) * w0.
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2 + w2 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma slope_of_q_is_w_2 : forall w1 a w0 w2 : R,
  0 < a ->
  0 < w0 ^ 2 + w1 ^ 2 + w2 ^ 2 ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w1 * ((2 * a * sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) - a * sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) / a + (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) =
  (3 / 2) * w1.
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2 + w2 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma slope_of_q_is_w_3 : forall w2 a w0 w1 : R,
  0 < a ->
  0 < w0 ^ 2 + w1 ^ 2 + w2 ^ 2 ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w2 * ((2 * a * sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) - a * sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) / a + (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) =
  (3 / 2) * w2.
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2 + w2 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
