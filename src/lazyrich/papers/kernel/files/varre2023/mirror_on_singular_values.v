From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/mirror-on-singular-values, hessian_times_speed *)

Lemma hessian_times_speed_1 : forall r g s : R,
  0 < r ->
  0 < g ->
  0 < s ->
  2 * r * sqrt (g ^ 2 + s ^ 2) * (- (1 / 2) / sqrt (g ^ 2 + s ^ 2) + 1 / g / sqrt (1 + s ^ 2 / g ^ 2) + (1 / 2) * s ^ 2 / (sqrt (g ^ 2 + s ^ 2)) ^ 3 - (1 / 2) * s ^ 2 / g ^ 3 / (sqrt (1 + s ^ 2 / g ^ 2)) ^ 3) =
  r.
Proof.
  intros.
  assert (rule1 : sqrt (g ^ 2 + s ^ 2) ^ 2 = g ^ 2 + s ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g ^ 2 + s ^ 2)).
  try (assert (0 < sqrt (g ^ 2 + s ^ 2)) by positive).
  set (root1 := sqrt (g ^ 2 + s ^ 2)) in *; clearbody root1.
  assert (E : sqrt (1 + s ^ 2 / g ^ 2) = (/ (g)) * root1) by (apply sqrt_is; [nonnegative | field [rule1]; nonzero]).
  rewrite ?E in *; clear E.
  field [rule1]; nonzero.
Qed.
