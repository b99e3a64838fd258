From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/tied-weights, half_of_the_tied_potential *)

Lemma half_of_the_tied_potential_1 : forall alpha w : R,
  0 < alpha ->
  0 < w ->
  alpha ^ 2 * (1 - sqrt (1 + (1 / 4) * w ^ 2 / alpha ^ 4) + (1 / 2) * w * arcsinh ((1 / 2) * w / alpha ^ 2) / alpha ^ 2) =
  (1 / 2) * alpha ^ 2 * (2 - sqrt (4 + w ^ 2 / alpha ^ 4) + w * arcsinh ((1 / 2) * w / alpha ^ 2) / alpha ^ 2).
Proof.
  intros.
  assert (rule1 : sqrt (16 * alpha ^ 8 + 4 * alpha ^ 4 * w ^ 2) ^ 2 = 16 * alpha ^ 8 + 4 * alpha ^ 4 * w ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (16 * alpha ^ 8 + 4 * alpha ^ 4 * w ^ 2)).
  try (assert (0 < sqrt (16 * alpha ^ 8 + 4 * alpha ^ 4 * w ^ 2)) by positive).
  set (root1 := sqrt (16 * alpha ^ 8 + 4 * alpha ^ 4 * w ^ 2)) in *; clearbody root1.
  assert (E : sqrt (1 + (1 / 4) * w ^ 2 / alpha ^ 4) = ((1 / 4) / alpha ^ 4) * root1) by (apply sqrt_is; [nonnegative | field [rule1]; nonzero]).
  rewrite ?E in *; clear E.
  assert (E : sqrt (4 + w ^ 2 / alpha ^ 4) = ((1 / 2) / alpha ^ 4) * root1) by (apply sqrt_is; [nonnegative | field [rule1]; nonzero]).
  rewrite ?E in *; clear E.
  field [rule1]; nonzero.
Qed.
