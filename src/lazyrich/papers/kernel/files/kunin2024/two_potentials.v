From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/two-potentials, same_potential *)

Lemma same_potential_1 : forall a r : R,
  0 < a ->
  0 < r ->
  (1 / 3) * a * sqrt 2 * (- a ^ 2 + 3 * r ^ 2) =
  (2 / 3) * sqrt 2 * (a ^ 2 * r ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - r ^ 2)) / a.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
