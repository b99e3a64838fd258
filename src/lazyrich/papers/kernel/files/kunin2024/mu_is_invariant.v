From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/mu-is-invariant, under_rescaling *)

Lemma under_rescaling_1 : forall alpha b0 w0 b1 w1 : R,
  0 < alpha ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  alpha * (b0 * w0 / alpha + b1 * w1 / alpha) / sqrt (w0 ^ 2 + w1 ^ 2) =
  (b0 * w0 + b1 * w1) / sqrt (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma under_rescaling_2 : forall alpha b0 w0 b1 w1 : R,
  alpha < 0 ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  (-1) * alpha * (b0 * w0 / alpha + b1 * w1 / alpha) / sqrt (w0 ^ 2 + w1 ^ 2) =
  (- b0 * w0 - b1 * w1) / sqrt (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
