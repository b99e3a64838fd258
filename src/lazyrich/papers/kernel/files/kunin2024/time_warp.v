From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/time-warp, no_curl *)

Lemma no_curl_1 : forall a w1 w0 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 <> 0 ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  a * sqrt 2 * (- 2 * w1 / a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - 2 * w1 * a * w0 ^ 2 / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) + w1 * a * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) ^ 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + w1 * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / a / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) + 2 * w1 * a * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) + w1 * sqrt 2 * (/ (a ^ 2) - (1 / 2) * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2)) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + (1 / 2) * w1 * sqrt 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + 2 * w1 * sqrt 2 * w0 ^ 2 * a ^ 2 / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - (1 / 2) * w1 * sqrt 2 * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - w1 * sqrt 2 * w0 ^ 2 * a ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) ^ 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - 2 * w1 * sqrt 2 * w0 ^ 2 * a ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 =
  0.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
