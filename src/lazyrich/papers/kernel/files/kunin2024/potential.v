From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/potential, hessian_of_the_potential *)

Lemma hessian_of_the_potential_1 : forall w0 a w1 : R,
  0 < a ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  (w0 ^ 2 + a ^ 2) * ((4 / 3) * a * sqrt 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - (16 / 3) * sqrt 2 * w0 ^ 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * a * sqrt 2 * w0 ^ 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - sqrt 2 * w0 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * a * sqrt 2 * w0 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) + w0 * w1 * (- (16 / 3) * w0 * w1 * sqrt 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * w0 * w1 * a * sqrt 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - w0 * w1 * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * w0 * w1 * a * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) =
  a * sqrt 2.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma hessian_of_the_potential_2 : forall w0 a w1 : R,
  0 < a ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  (w0 ^ 2 + a ^ 2) * (- (16 / 3) * w0 * w1 * sqrt 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * w0 * w1 * a * sqrt 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - w0 * w1 * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * w0 * w1 * a * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) + w0 * w1 * ((4 / 3) * a * sqrt 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - (16 / 3) * sqrt 2 * w1 ^ 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * a * sqrt 2 * w1 ^ 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - sqrt 2 * w1 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * a * sqrt 2 * w1 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) =
  0.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma hessian_of_the_potential_3 : forall w1 a w0 : R,
  0 < a ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  (w1 ^ 2 + a ^ 2) * (- (16 / 3) * w0 * w1 * sqrt 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * w0 * w1 * a * sqrt 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - w0 * w1 * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * w0 * w1 * a * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) + w0 * w1 * ((4 / 3) * a * sqrt 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - (16 / 3) * sqrt 2 * w0 ^ 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * a * sqrt 2 * w0 ^ 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - sqrt 2 * w0 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * a * sqrt 2 * w0 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) =
  0.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma hessian_of_the_potential_4 : forall w1 a w0 : R,
  0 < a ->
  (a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2 <> 0 ->
  (w1 ^ 2 + a ^ 2) * ((4 / 3) * a * sqrt 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) - (16 / 3) * sqrt 2 * w1 ^ 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * a * sqrt 2 * w1 ^ 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - sqrt 2 * w1 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * a * sqrt 2 * w1 ^ 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) + w0 * w1 * (- (16 / 3) * w0 * w1 * sqrt 2 * a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3 + (8 / 3) * w0 * w1 * a * sqrt 2 / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - w0 * w1 * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / a / ((a ^ 2 - w0 ^ 2 - w1 ^ 2) ^ 2 + 4 * w0 ^ 2 * a ^ 2 + 4 * w1 ^ 2 * a ^ 2) - 4 * w0 * w1 * a * sqrt 2 * (w0 ^ 2 + w1 ^ 2 - (1 / 3) * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) ^ 3) =
  a * sqrt 2.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
