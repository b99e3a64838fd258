From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/balanced-sign, cannot_reach_zero *)

Lemma cannot_reach_zero_1 : forall b0 w0 b1 w1 : R,
  0 < w0 ^ 2 + w1 ^ 2 ->
  (b0 * w0 + b1 * w1 - w0 ^ 2 * sqrt (w0 ^ 2 + w1 ^ 2) - w1 ^ 2 * sqrt (w0 ^ 2 + w1 ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2) =
  - w0 ^ 2 - w1 ^ 2 + (b0 * w0 + b1 * w1) / sqrt (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma cannot_reach_zero_2 : forall b0 w0 b1 w1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  ((b0 * w0 + b1 * w1) ^ 2 + (b1 * w0 - b0 * w1) ^ 2) / (w0 ^ 2 + w1 ^ 2) =
  b0 ^ 2 + b1 ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
