From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/biased-diagonal-bias, slope_at_the_start *)

Lemma slope_at_the_start_1 : forall k w : R,
  0 < k ->
  0 < w ->
  1 / sqrt k / sqrt (1 + 4 * w ^ 2 / k) =
  / (sqrt (k + 4 * w ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (k) ^ 2 = k) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (k)).
  try (assert (0 < sqrt (k)) by positive).
  set (root1 := sqrt (k)) in *; clearbody root1.
  assert (rule2 : sqrt (k ^ 2 + 4 * k * w ^ 2) ^ 2 = k ^ 2 + 4 * k * w ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (k ^ 2 + 4 * k * w ^ 2)).
  try (assert (0 < sqrt (k ^ 2 + 4 * k * w ^ 2)) by positive).
  set (root2 := sqrt (k ^ 2 + 4 * k * w ^ 2)) in *; clearbody root2.
  assert (E : sqrt (1 + 4 * w ^ 2 / k) = (/ (k)) * root2) by (apply sqrt_is; [nonnegative | field [rule1 rule2]; nonzero]).
  rewrite ?E in *; clear E.
  assert (E : sqrt (k + 4 * w ^ 2) = (/ (k)) * root1 * root2) by (apply sqrt_is; [nonnegative | field [rule1 rule2]; nonzero]).
  rewrite ?E in *; clear E.
  field [rule1 rule2]; nonzero.
Qed.
