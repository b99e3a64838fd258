From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/radial-hessian, hessian_of_a_radial_function *)

Lemma hessian_of_a_radial_function_1 : forall c2 c1 beta0 beta1 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  2 * c2 + c1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 8 * c4 * beta0 ^ 2 - c1 * beta0 ^ 2 / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 3 * c3 * beta0 ^ 2 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 15 * c5 * beta0 ^ 2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 24 * c6 * beta0 ^ 2 * (beta0 ^ 2 + beta1 ^ 2) =
  (c1 + 2 * c2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 5 * c5 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 6 * c6 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5) / sqrt (beta0 ^ 2 + beta1 ^ 2) - beta0 ^ 2 * ((c1 + 2 * c2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 5 * c5 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 6 * c6 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5) / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 - (2 * c2 + 6 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 12 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 20 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 30 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2) / (beta0 ^ 2 + beta1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (beta0 ^ 2 + beta1 ^ 2) ^ 2 = beta0 ^ 2 + beta1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (beta0 ^ 2 + beta1 ^ 2)).
  try (assert (0 < sqrt (beta0 ^ 2 + beta1 ^ 2)) by positive).
  set (root1 := sqrt (beta0 ^ 2 + beta1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma hessian_of_a_radial_function_2 : forall c4 beta0 beta1 c1 c3 c5 c6 c2 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  8 * c4 * beta0 * beta1 - c1 * beta0 * beta1 / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 3 * c3 * beta0 * beta1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 15 * c5 * beta0 * beta1 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 24 * c6 * beta0 * beta1 * (beta0 ^ 2 + beta1 ^ 2) =
  (-1) * beta0 * beta1 * ((c1 + 2 * c2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 5 * c5 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 6 * c6 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5) / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 - (2 * c2 + 6 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 12 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 20 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 30 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2) / (beta0 ^ 2 + beta1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (beta0 ^ 2 + beta1 ^ 2) ^ 2 = beta0 ^ 2 + beta1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (beta0 ^ 2 + beta1 ^ 2)).
  try (assert (0 < sqrt (beta0 ^ 2 + beta1 ^ 2)) by positive).
  set (root1 := sqrt (beta0 ^ 2 + beta1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma hessian_of_a_radial_function_3 : forall c2 c1 beta0 beta1 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  2 * c2 + c1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 8 * c4 * beta1 ^ 2 - c1 * beta1 ^ 2 / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 3 * c3 * beta1 ^ 2 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 15 * c5 * beta1 ^ 2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 24 * c6 * beta1 ^ 2 * (beta0 ^ 2 + beta1 ^ 2) =
  (c1 + 2 * c2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 5 * c5 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 6 * c6 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5) / sqrt (beta0 ^ 2 + beta1 ^ 2) - beta1 ^ 2 * ((c1 + 2 * c2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 5 * c5 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 6 * c6 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5) / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 - (2 * c2 + 6 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 12 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 20 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 30 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2) / (beta0 ^ 2 + beta1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (beta0 ^ 2 + beta1 ^ 2) ^ 2 = beta0 ^ 2 + beta1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (beta0 ^ 2 + beta1 ^ 2)).
  try (assert (0 < sqrt (beta0 ^ 2 + beta1 ^ 2)) by positive).
  set (root1 := sqrt (beta0 ^ 2 + beta1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
