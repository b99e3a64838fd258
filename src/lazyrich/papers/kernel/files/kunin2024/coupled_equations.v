From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/coupled-equations, slope_of_the_coupling *)

Lemma slope_of_the_coupling_1 : forall delta mu : R,
  0 < mu ->
  sqrt (delta ^ 2 + 4 * mu ^ 2) - delta <> 0 ->
  2 / (sqrt (delta ^ 2 + 4 * mu ^ 2) - delta) - 8 * mu ^ 2 / sqrt (delta ^ 2 + 4 * mu ^ 2) / (sqrt (delta ^ 2 + 4 * mu ^ 2) - delta) ^ 2 =
  (-2) * delta / sqrt (delta ^ 2 + 4 * mu ^ 2) / (sqrt (delta ^ 2 + 4 * mu ^ 2) - delta).
Proof.
  intros.
  assert (rule1 : sqrt (delta ^ 2 + 4 * mu ^ 2) ^ 2 = delta ^ 2 + 4 * mu ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * mu ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * mu ^ 2)) by positive).
  set (root1 := sqrt (delta ^ 2 + 4 * mu ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
