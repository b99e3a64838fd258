From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/one-spike, three_limits *)

Lemma three_limits_1 : forall beta x : R,
  0 < beta ->
  0 < x ->
  2 * beta * x / (sqrt (beta ^ 2 + beta ^ 2 * x ^ 2) + beta * x) =
  2 * x / (x + sqrt (1 + x ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (beta ^ 2 + beta ^ 2 * x ^ 2) ^ 2 = beta ^ 2 + beta ^ 2 * x ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (beta ^ 2 + beta ^ 2 * x ^ 2)).
  try (assert (0 < sqrt (beta ^ 2 + beta ^ 2 * x ^ 2)) by positive).
  set (root1 := sqrt (beta ^ 2 + beta ^ 2 * x ^ 2)) in *; clearbody root1.
  assert (E : sqrt (1 + x ^ 2) = (/ (beta)) * root1) by (apply sqrt_is; [nonnegative | field [rule1]; nonzero]).
  rewrite ?E in *; clear E.
  field [rule1]; nonzero.
Qed.
