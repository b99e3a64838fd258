From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/convergence-rate, the_divergence_falls *)

Lemma the_divergence_falls_1 : forall x0 g b0 b1 s0 x1 s1 : R,
  0 < g ->
  x0 * sqrt (g + sqrt (b0 ^ 2 + b1 ^ 2 + g ^ 2)) * (s0 - b0) * (b0 * x0 + b1 * x1 - s0 * x0 - s1 * x1) + x1 * sqrt (g + sqrt (b0 ^ 2 + b1 ^ 2 + g ^ 2)) * (s1 - b1) * (b0 * x0 + b1 * x1 - s0 * x0 - s1 * x1) =
  (-1) * sqrt (g + sqrt (b0 ^ 2 + b1 ^ 2 + g ^ 2)) * (b0 * x0 + b1 * x1 - s0 * x0 - s1 * x1) ^ 2.
Proof.
  intros.
  assert (rule1 : sqrt (b0 ^ 2 + b1 ^ 2 + g ^ 2) ^ 2 = b0 ^ 2 + b1 ^ 2 + g ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (b0 ^ 2 + b1 ^ 2 + g ^ 2)).
  try (assert (0 < sqrt (b0 ^ 2 + b1 ^ 2 + g ^ 2)) by positive).
  set (root1 := sqrt (b0 ^ 2 + b1 ^ 2 + g ^ 2)) in *; clearbody root1.
  assert (rule2 : sqrt (g + root1) ^ 2 = g + root1) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g + root1)).
  try (assert (0 < sqrt (g + root1)) by positive).
  set (root2 := sqrt (g + root1)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
