From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/mirror-on-beta, in_alpha *)

Lemma in_alpha_1 : forall r0 a0 a1 r1 g : R,
  0 < g ->
  0 < 1 - a0 ^ 2 - a1 ^ 2 ->
  (r0 * (1 - a0 ^ 2) - a0 * a1 * r1) * (sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2) + sqrt 2 * a0 ^ 2 * sqrt g / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3) + a0 * a1 * sqrt 2 * sqrt g * (r1 * (1 - a1 ^ 2) - a0 * a1 * r0) / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3 =
  r0 * sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  assert (rule2 : sqrt (g) ^ 2 = g) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g)).
  try (assert (0 < sqrt (g)) by positive).
  set (root2 := sqrt (g)) in *; clearbody root2.
  assert (rule3 : sqrt (1 - a0 ^ 2 - a1 ^ 2) ^ 2 = 1 - a0 ^ 2 - a1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - a0 ^ 2 - a1 ^ 2)).
  try (assert (0 < sqrt (1 - a0 ^ 2 - a1 ^ 2)) by positive).
  set (root3 := sqrt (1 - a0 ^ 2 - a1 ^ 2)) in *; clearbody root3.
  field [rule1 rule2 rule3]; nonzero.
Qed.

Lemma in_alpha_2 : forall r1 a1 a0 r0 g : R,
  0 < g ->
  0 < 1 - a0 ^ 2 - a1 ^ 2 ->
  (r1 * (1 - a1 ^ 2) - a0 * a1 * r0) * (sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2) + sqrt 2 * a1 ^ 2 * sqrt g / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3) + a0 * a1 * sqrt 2 * sqrt g * (r0 * (1 - a0 ^ 2) - a0 * a1 * r1) / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3 =
  r1 * sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  assert (rule2 : sqrt (g) ^ 2 = g) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g)).
  try (assert (0 < sqrt (g)) by positive).
  set (root2 := sqrt (g)) in *; clearbody root2.
  assert (rule3 : sqrt (1 - a0 ^ 2 - a1 ^ 2) ^ 2 = 1 - a0 ^ 2 - a1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - a0 ^ 2 - a1 ^ 2)).
  try (assert (0 < sqrt (1 - a0 ^ 2 - a1 ^ 2)) by positive).
  set (root3 := sqrt (1 - a0 ^ 2 - a1 ^ 2)) in *; clearbody root3.
  field [rule1 rule2 rule3]; nonzero.
Qed.

Lemma in_alpha_3 : forall x g : R,
  0 < x ->
  0 < g ->
  x * sqrt (g + sqrt (g ^ 2 + x ^ 2)) / sqrt (g ^ 2 + x ^ 2) - g * x / sqrt (g + sqrt (g ^ 2 + x ^ 2)) / sqrt (g ^ 2 + x ^ 2) =
  x / sqrt (g + sqrt (g ^ 2 + x ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (g ^ 2 + x ^ 2) ^ 2 = g ^ 2 + x ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g ^ 2 + x ^ 2)).
  try (assert (0 < sqrt (g ^ 2 + x ^ 2)) by positive).
  set (root1 := sqrt (g ^ 2 + x ^ 2)) in *; clearbody root1.
  assert (rule2 : sqrt (g + root1) ^ 2 = g + root1) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g + root1)).
  try (assert (0 < sqrt (g + root1)) by positive).
  set (root2 := sqrt (g + root1)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
