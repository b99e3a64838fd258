From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/cosine-of-beta, against_w *)

Lemma against_w_1 : forall b0 w0 a b1 w1 : R,
  a < 0 ->
  0 < b0 ^ 2 + b1 ^ 2 ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  (-1) * (b0 * w0 * a + b1 * w1 * a) / a / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) =
  (- b0 * w0 - b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (b0 ^ 2 + b1 ^ 2) ^ 2 = b0 ^ 2 + b1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (b0 ^ 2 + b1 ^ 2)).
  try (assert (0 < sqrt (b0 ^ 2 + b1 ^ 2)) by positive).
  set (root1 := sqrt (b0 ^ 2 + b1 ^ 2)) in *; clearbody root1.
  assert (rule2 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root2 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
