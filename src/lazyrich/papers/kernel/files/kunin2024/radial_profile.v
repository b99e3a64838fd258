From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/radial-profile, derivatives_of_q *)

Lemma derivatives_of_q_1 : forall r a : R,
  0 < r ->
  0 < a ->
  r * sqrt 2 * (r ^ 2 - (1 / 3) * a ^ 2) / (a ^ 2 + r ^ 2) + (4 / 3) * r * sqrt 2 * a ^ 2 / (a ^ 2 + r ^ 2) =
  r * sqrt 2.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma derivatives_of_q_2 : forall a r : R,
  0 < a ->
  0 < r ->
  - (4 / 3) * a * sqrt 2 * (- 1 + 4 * a ^ 2 * r ^ 2 / ((a ^ 2 - r ^ 2) ^ 2 + 4 * a ^ 2 * r ^ 2)) / (a ^ 2 + r ^ 2) + (1 / 3) * sqrt 2 * (a ^ 2 - 3 * r ^ 2) * (- / ((a ^ 2 + r ^ 2)) + r ^ 2 / ((a ^ 2 - r ^ 2) ^ 2 + 4 * a ^ 2 * r ^ 2) + 4 * a ^ 2 * r ^ 2 / (a ^ 2 + r ^ 2) ^ 3) / a + (8 / 3) * a * sqrt 2 * r ^ 2 / ((a ^ 2 - r ^ 2) ^ 2 + 4 * a ^ 2 * r ^ 2) =
  a * sqrt 2 / (a ^ 2 + r ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
