From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/mu-phi-equations, chain_rule *)

Lemma chain_rule_1 : forall eta_a w0 w1 a b0 b1 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  - eta_a * sqrt (w0 ^ 2 + w1 ^ 2) * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1) - w0 * a * eta_w * (w0 * a ^ 2 - b0 * a) / sqrt (w0 ^ 2 + w1 ^ 2) - w1 * a * eta_w * (w1 * a ^ 2 - b1 * a) / sqrt (w0 ^ 2 + w1 ^ 2) =
  ((b0 * w0 + b1 * w1) / sqrt (w0 ^ 2 + w1 ^ 2) - a * sqrt (w0 ^ 2 + w1 ^ 2)) * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_w * a ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma chain_rule_2 : forall eta_w w0 a b0 b1 w1 eta_a : R,
  0 < eta_w ->
  0 < a ->
  0 < eta_a ->
  0 < b0 ^ 2 + b1 ^ 2 ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2) <> 0 ->
  b0 ^ 2 + b1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  - eta_w * (w0 * a ^ 2 - b0 * a) * (b0 / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (b0 * w0 + b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / (sqrt (w0 ^ 2 + w1 ^ 2)) ^ 3) - eta_w * (w1 * a ^ 2 - b1 * a) * (b1 / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (b0 * w0 + b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / (sqrt (w0 ^ 2 + w1 ^ 2)) ^ 3) =
  2 * a * eta_a * eta_w * sqrt (b0 ^ 2 + b1 ^ 2) * sqrt (w0 ^ 2 + w1 ^ 2) * (1 - (b0 * w0 + b1 * w1) ^ 2 / (b0 ^ 2 + b1 ^ 2) / (w0 ^ 2 + w1 ^ 2)) / (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2)).
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

Lemma chain_rule_3 : forall eta_a w0 w1 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_w * a ^ 2) ^ 2 =
  (eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2)) ^ 2 + 4 * eta_a * eta_w * a ^ 2 * (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
