From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/balanced-bias, stationarity_of_balanced_neurons *)

Lemma stationarity_of_balanced_neurons_1 : forall p0 A t p1 : R,
  0 < A ->
  0 < t ->
  p0 * ((A + A * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2) * ((3 / 2) / sqrt A - (3 / 4) * (1 - t ^ 2) ^ 2 / sqrt A / (1 + t ^ 2) ^ 2) - 3 * sqrt A * t ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 4) + p1 * (2 * A * t * (1 - t ^ 2) * ((3 / 2) / sqrt A - (3 / 4) * (1 - t ^ 2) ^ 2 / sqrt A / (1 + t ^ 2) ^ 2) / (1 + t ^ 2) ^ 2 - (3 / 2) * t * (1 - t ^ 2) * (A + 4 * A * t ^ 2 / (1 + t ^ 2) ^ 2) / sqrt A / (1 + t ^ 2) ^ 2) =
  (3 / 2) * p0 * sqrt A.
Proof.
  intros.
  assert (rule1 : sqrt (A) ^ 2 = A) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (A)).
  try (assert (0 < sqrt (A)) by positive).
  set (root1 := sqrt (A)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma stationarity_of_balanced_neurons_2 : forall p0 A t p1 : R,
  0 < A ->
  0 < t ->
  p0 * (2 * A * t * (1 - t ^ 2) * ((3 / 2) / sqrt A - 3 * t ^ 2 / sqrt A / (1 + t ^ 2) ^ 2) / (1 + t ^ 2) ^ 2 - (3 / 2) * t * (1 - t ^ 2) * (A + A * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2) / sqrt A / (1 + t ^ 2) ^ 2) + p1 * ((A + 4 * A * t ^ 2 / (1 + t ^ 2) ^ 2) * ((3 / 2) / sqrt A - 3 * t ^ 2 / sqrt A / (1 + t ^ 2) ^ 2) - 3 * sqrt A * t ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 4) =
  (3 / 2) * p1 * sqrt A.
Proof.
  intros.
  assert (rule1 : sqrt (A) ^ 2 = A) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (A)).
  try (assert (0 < sqrt (A)) by positive).
  set (root1 := sqrt (A)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
