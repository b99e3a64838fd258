From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/theorem-1-across-the-sign-change, slope_turns_with_a *)

Lemma slope_turns_with_a_1 : forall w0 a w1 w2 : R,
  a < 0 ->
  - (4 / 3) * w0 * sqrt 2 * a ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 3) * w0 * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2 + 3 * w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  (-1) * w0 * sqrt 2.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma slope_turns_with_a_2 : forall w1 a w0 w2 : R,
  a < 0 ->
  - (4 / 3) * w1 * sqrt 2 * a ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 3) * w1 * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2 + 3 * w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  (-1) * w1 * sqrt 2.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma slope_turns_with_a_3 : forall w2 a w0 w1 : R,
  a < 0 ->
  - (4 / 3) * w2 * sqrt 2 * a ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 3) * w2 * sqrt 2 * (- a ^ 2 + 3 * w0 ^ 2 + 3 * w1 ^ 2 + 3 * w2 ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  (-1) * w2 * sqrt 2.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
