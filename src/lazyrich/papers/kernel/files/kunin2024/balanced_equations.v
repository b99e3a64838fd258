From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/balanced-equations, equations_on_the_cone *)

Lemma equations_on_the_cone_1 : forall w0 b0 w1 b1 : R,
  0 < w0 ^ 2 + w1 ^ 2 ->
  w0 * (b0 * sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (w0 ^ 2 + w1 ^ 2)) + w1 * (b1 * sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (w0 ^ 2 + w1 ^ 2)) + sqrt (w0 ^ 2 + w1 ^ 2) * (b0 * w0 + b1 * w1 - w0 ^ 2 * sqrt (w0 ^ 2 + w1 ^ 2) - w1 ^ 2 * sqrt (w0 ^ 2 + w1 ^ 2)) =
  2 * (w0 ^ 2 + w1 ^ 2) * (- w0 ^ 2 - w1 ^ 2 + (b0 * w0 + b1 * w1) / sqrt (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma equations_on_the_cone_2 : forall b0 w0 w1 b1 : R,
  0 < b0 ^ 2 + b1 ^ 2 ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  b0 ^ 2 + b1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  (b0 * sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (w0 ^ 2 + w1 ^ 2)) * (b0 / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (b0 * w0 + b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / (sqrt (w0 ^ 2 + w1 ^ 2)) ^ 3) + (b1 * sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (w0 ^ 2 + w1 ^ 2)) * (b1 / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (b0 * w0 + b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / (sqrt (w0 ^ 2 + w1 ^ 2)) ^ 3) =
  sqrt (b0 ^ 2 + b1 ^ 2) * (1 - (b0 * w0 + b1 * w1) ^ 2 / (b0 ^ 2 + b1 ^ 2) / (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  assert (rule2 : sqrt (b0 ^ 2 + b1 ^ 2) ^ 2 = b0 ^ 2 + b1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (b0 ^ 2 + b1 ^ 2)).
  try (assert (0 < sqrt (b0 ^ 2 + b1 ^ 2)) by positive).
  set (root2 := sqrt (b0 ^ 2 + b1 ^ 2)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.

Lemma equations_on_the_cone_3 : forall w0 w1 b0 b1 : R,
  0 < w0 ^ 2 + w1 ^ 2 ->
  sqrt (w0 ^ 2 + w1 ^ 2) * (b0 * w0 + b1 * w1 + w0 ^ 2 * sqrt (w0 ^ 2 + w1 ^ 2) + w1 ^ 2 * sqrt (w0 ^ 2 + w1 ^ 2)) - w0 * (- b0 * sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (w0 ^ 2 + w1 ^ 2)) - w1 * (- b1 * sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (w0 ^ 2 + w1 ^ 2)) =
  2 * (w0 ^ 2 + w1 ^ 2) * (w0 ^ 2 + w1 ^ 2 + (b0 * w0 + b1 * w1) / sqrt (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma equations_on_the_cone_4 : forall b0 w0 w1 b1 : R,
  0 < b0 ^ 2 + b1 ^ 2 ->
  0 < w0 ^ 2 + w1 ^ 2 ->
  b0 ^ 2 + b1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  (- b0 * sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (w0 ^ 2 + w1 ^ 2)) * (b0 / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) - w0 * (b0 * w0 + b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / (sqrt (w0 ^ 2 + w1 ^ 2)) ^ 3) + (- b1 * sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (w0 ^ 2 + w1 ^ 2)) * (b1 / sqrt (b0 ^ 2 + b1 ^ 2) / sqrt (w0 ^ 2 + w1 ^ 2) - w1 * (b0 * w0 + b1 * w1) / sqrt (b0 ^ 2 + b1 ^ 2) / (sqrt (w0 ^ 2 + w1 ^ 2)) ^ 3) =
  (-1) * sqrt (b0 ^ 2 + b1 ^ 2) * (1 - (b0 * w0 + b1 * w1) ^ 2 / (b0 ^ 2 + b1 ^ 2) / (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (w0 ^ 2 + w1 ^ 2) ^ 2 = w0 ^ 2 + w1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (w0 ^ 2 + w1 ^ 2)).
  try (assert (0 < sqrt (w0 ^ 2 + w1 ^ 2)) by positive).
  set (root1 := sqrt (w0 ^ 2 + w1 ^ 2)) in *; clearbody root1.
  assert (rule2 : sqrt (b0 ^ 2 + b1 ^ 2) ^ 2 = b0 ^ 2 + b1 ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (b0 ^ 2 + b1 ^ 2)).
  try (assert (0 < sqrt (b0 ^ 2 + b1 ^ 2)) by positive).
  set (root2 := sqrt (b0 ^ 2 + b1 ^ 2)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
