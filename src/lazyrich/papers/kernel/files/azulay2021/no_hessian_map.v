From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/no-hessian-map, twist_of_the_metric *)

Lemma twist_of_the_metric_1 : forall w1 w0 w2 : R,
  0 < w1 ->
  0 < w0 ->
  0 < w2 ->
  - w1 * (1 - w0 ^ 2 / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2)) / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 3 + 4 * w1 * w0 ^ 2 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) ^ 2 =
  - w1 / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 3 + (3 / 2) * w1 * w0 ^ 2 / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 5.
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2 + w2 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma twist_of_the_metric_2 : forall w1 w0 w2 : R,
  0 < w1 ->
  0 < w0 ->
  0 < w2 ->
  - w1 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) + w1 * w0 ^ 2 / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 3 / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) + 4 * w1 * w0 ^ 2 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) ^ 2 =
  - (1 / 2) * w1 / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 3 + (3 / 2) * w1 * w0 ^ 2 / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 5.
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2 + w2 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
