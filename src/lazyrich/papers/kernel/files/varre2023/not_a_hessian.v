From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/not-a-hessian, mixed_derivatives *)

Lemma mixed_derivatives_1 : forall y x : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  1 - x ^ 2 - y ^ 2 <> 0 ->
  y * (1 + x ^ 2 / (1 - x ^ 2 - y ^ 2)) / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 2 * y * x ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5 =
  y / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 3 * y * x ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5.
Proof.
  intros.
  assert (rule1 : sqrt (1 - x ^ 2 - y ^ 2) ^ 2 = 1 - x ^ 2 - y ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - x ^ 2 - y ^ 2)).
  try (assert (0 < sqrt (1 - x ^ 2 - y ^ 2)) by positive).
  set (root1 := sqrt (1 - x ^ 2 - y ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma mixed_derivatives_2 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  1 - x ^ 2 - y ^ 2 <> 0 ->
  x * (1 + y ^ 2 / (1 - x ^ 2 - y ^ 2)) / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 2 * x * y ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5 =
  x / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 3 * x * y ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5.
Proof.
  intros.
  assert (rule1 : sqrt (1 - x ^ 2 - y ^ 2) ^ 2 = 1 - x ^ 2 - y ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - x ^ 2 - y ^ 2)).
  try (assert (0 < sqrt (1 - x ^ 2 - y ^ 2)) by positive).
  set (root1 := sqrt (1 - x ^ 2 - y ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma mixed_derivatives_3 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  1 - x ^ 2 - y ^ 2 <> 0 ->
  / (sqrt (1 - x ^ 2 - y ^ 2)) + x ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 =
  (1 + x ^ 2 / (1 - x ^ 2 - y ^ 2)) / sqrt (1 - x ^ 2 - y ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (1 - x ^ 2 - y ^ 2) ^ 2 = 1 - x ^ 2 - y ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - x ^ 2 - y ^ 2)).
  try (assert (0 < sqrt (1 - x ^ 2 - y ^ 2)) by positive).
  set (root1 := sqrt (1 - x ^ 2 - y ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma mixed_derivatives_4 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  1 - x ^ 2 - y ^ 2 <> 0 ->
  / (sqrt (1 - x ^ 2 - y ^ 2)) + y ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 =
  (1 + y ^ 2 / (1 - x ^ 2 - y ^ 2)) / sqrt (1 - x ^ 2 - y ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (1 - x ^ 2 - y ^ 2) ^ 2 = 1 - x ^ 2 - y ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - x ^ 2 - y ^ 2)).
  try (assert (0 < sqrt (1 - x ^ 2 - y ^ 2)) by positive).
  set (root1 := sqrt (1 - x ^ 2 - y ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
