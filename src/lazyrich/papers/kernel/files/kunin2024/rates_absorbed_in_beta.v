From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/rates-absorbed-in-beta, equation_without_rates *)

Lemma equation_without_rates_1 : forall p b0 g00 beta0 g01 beta1 delta b1 g11 : R,
  0 < p ->
  0 < delta ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  p * beta0 ^ 2 + p * beta1 ^ 2 <> 0 ->
  sqrt p * ((- b0 + g00 * beta0 + g01 * beta1) * (- (1 / 2) * delta - (1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - beta0 ^ 2 * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) / (beta0 ^ 2 + beta1 ^ 2)) - beta0 * beta1 * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) * (- b1 + g01 * beta0 + g11 * beta1) / (beta0 ^ 2 + beta1 ^ 2)) =
  (- (1 / 2) * delta - (1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - p * beta0 ^ 2 * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) / (p * beta0 ^ 2 + p * beta1 ^ 2)) * (- b0 * sqrt p + g00 * beta0 * sqrt p + g01 * beta1 * sqrt p) - beta0 * beta1 * p * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) * (- b1 * sqrt p + g01 * beta0 * sqrt p + g11 * beta1 * sqrt p) / (p * beta0 ^ 2 + p * beta1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (p) ^ 2 = p) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (p)).
  try (assert (0 < sqrt (p)) by positive).
  set (root1 := sqrt (p)) in *; clearbody root1.
  assert (rule2 : sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) ^ 2 = delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2)) by positive).
  set (root2 := sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.

Lemma equation_without_rates_2 : forall p b1 g01 beta0 g11 beta1 delta b0 g00 : R,
  0 < p ->
  0 < delta ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  p * beta0 ^ 2 + p * beta1 ^ 2 <> 0 ->
  sqrt p * ((- b1 + g01 * beta0 + g11 * beta1) * (- (1 / 2) * delta - (1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - beta1 ^ 2 * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) / (beta0 ^ 2 + beta1 ^ 2)) - beta0 * beta1 * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) * (- b0 + g00 * beta0 + g01 * beta1) / (beta0 ^ 2 + beta1 ^ 2)) =
  (- (1 / 2) * delta - (1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - p * beta1 ^ 2 * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) / (p * beta0 ^ 2 + p * beta1 ^ 2)) * (- b1 * sqrt p + g01 * beta0 * sqrt p + g11 * beta1 * sqrt p) - beta0 * beta1 * p * ((1 / 2) * sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) - (1 / 2) * delta) * (- b0 * sqrt p + g00 * beta0 * sqrt p + g01 * beta1 * sqrt p) / (p * beta0 ^ 2 + p * beta1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (p) ^ 2 = p) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (p)).
  try (assert (0 < sqrt (p)) by positive).
  set (root1 := sqrt (p)) in *; clearbody root1.
  assert (rule2 : sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) ^ 2 = delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2)) by positive).
  set (root2 := sqrt (delta ^ 2 + 4 * p * beta0 ^ 2 + 4 * p * beta1 ^ 2)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
