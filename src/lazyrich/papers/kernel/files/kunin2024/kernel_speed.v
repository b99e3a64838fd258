From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/kernel-speed, rate_of_M *)

Lemma rate_of_M_1 : forall q r delta p theta : R,
  0 < q ->
  0 < r ->
  0 < delta ->
  0 < p ->
  0 < theta ->
  2 * q * r / sqrt (delta ^ 2 + 4 * r ^ 2) - 2 * p * ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) * cos theta * sin theta + 2 * q * r * (cos theta) ^ 2 / sqrt (delta ^ 2 + 4 * r ^ 2) =
  - 2 * p * ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) * cos theta * sin theta + 2 * q * r * (1 + (cos theta) ^ 2) / sqrt (delta ^ 2 + 4 * r ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (delta ^ 2 + 4 * r ^ 2) ^ 2 = delta ^ 2 + 4 * r ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * r ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * r ^ 2)) by positive).
  set (root1 := sqrt (delta ^ 2 + 4 * r ^ 2)) in *; clearbody root1.
  assert (rule2 : cos (theta) ^ 2 = 1 - sin (theta) ^ 2) by (pose proof (sin2_cos2 (theta)); unfold Rsqr in *; nra).
  set (power1 := cos (theta)) in *; clearbody power1.
  set (power2 := sin (theta)) in *; clearbody power2.
  field [rule1 rule2]; nonzero.
Qed.

Lemma rate_of_M_2 : forall p theta delta r q : R,
  0 < p ->
  0 < theta ->
  0 < delta ->
  0 < r ->
  0 < q ->
  p * (cos theta) ^ 2 * ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) - p * (sin theta) ^ 2 * ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) + 2 * q * r * cos theta * sin theta / sqrt (delta ^ 2 + 4 * r ^ 2) =
  ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) * (p * (cos theta) ^ 2 - p * (sin theta) ^ 2) + 2 * q * r * cos theta * sin theta / sqrt (delta ^ 2 + 4 * r ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (delta ^ 2 + 4 * r ^ 2) ^ 2 = delta ^ 2 + 4 * r ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * r ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * r ^ 2)) by positive).
  set (root1 := sqrt (delta ^ 2 + 4 * r ^ 2)) in *; clearbody root1.
  assert (rule2 : cos (theta) ^ 2 = 1 - sin (theta) ^ 2) by (pose proof (sin2_cos2 (theta)); unfold Rsqr in *; nra).
  set (power1 := cos (theta)) in *; clearbody power1.
  set (power2 := sin (theta)) in *; clearbody power2.
  field [rule1 rule2]; nonzero.
Qed.

Lemma rate_of_M_3 : forall q r delta p theta : R,
  0 < q ->
  0 < r ->
  0 < delta ->
  0 < p ->
  0 < theta ->
  2 * q * r / sqrt (delta ^ 2 + 4 * r ^ 2) + 2 * p * ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) * cos theta * sin theta + 2 * q * r * (sin theta) ^ 2 / sqrt (delta ^ 2 + 4 * r ^ 2) =
  2 * p * ((1 / 2) * sqrt (delta ^ 2 + 4 * r ^ 2) - (1 / 2) * delta) * cos theta * sin theta + 2 * q * r * (1 + (sin theta) ^ 2) / sqrt (delta ^ 2 + 4 * r ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (delta ^ 2 + 4 * r ^ 2) ^ 2 = delta ^ 2 + 4 * r ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * r ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * r ^ 2)) by positive).
  set (root1 := sqrt (delta ^ 2 + 4 * r ^ 2)) in *; clearbody root1.
  assert (rule2 : cos (theta) ^ 2 = 1 - sin (theta) ^ 2) by (pose proof (sin2_cos2 (theta)); unfold Rsqr in *; nra).
  set (power1 := cos (theta)) in *; clearbody power1.
  set (power2 := sin (theta)) in *; clearbody power2.
  field [rule1 rule2]; nonzero.
Qed.
