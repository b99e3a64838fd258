From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/theorem-11, second_derivative_of_the_entropy *)

Lemma second_derivative_of_the_entropy_1 : forall delta x : R,
  0 < delta ->
  0 < x ->
  - / (sqrt (delta ^ 2 + 4 * x ^ 2)) + 2 / delta / sqrt (1 + 4 * x ^ 2 / delta ^ 2) + 4 * x ^ 2 / (sqrt (delta ^ 2 + 4 * x ^ 2)) ^ 3 - 4 * x ^ 2 / delta ^ 3 / (sqrt (1 + 4 * x ^ 2 / delta ^ 2)) ^ 3 =
  / (sqrt (delta ^ 2 + 4 * x ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (delta ^ 2 + 4 * x ^ 2) ^ 2 = delta ^ 2 + 4 * x ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * x ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * x ^ 2)) by positive).
  set (root1 := sqrt (delta ^ 2 + 4 * x ^ 2)) in *; clearbody root1.
  assert (E : sqrt (1 + 4 * x ^ 2 / delta ^ 2) = (/ (delta)) * root1) by (apply sqrt_is; [nonnegative | field [rule1]; nonzero]).
  rewrite ?E in *; clear E.
  field [rule1]; nonzero.
Qed.
