From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/rates-absorbed-in-mu-phi, equations_without_rates *)

Lemma equations_without_rates_1 : forall p delta mu B phi : R,
  0 < p ->
  0 < delta ->
  0 < mu ->
  0 < B ->
  0 < phi ->
  sqrt p * sqrt (delta ^ 2 + 4 * p * mu ^ 2) * (- mu + B * phi) =
  sqrt (delta ^ 2 + 4 * p * mu ^ 2) * (- mu * sqrt p + B * phi * sqrt p).
Proof.
  intros.
  assert (rule1 : sqrt (p) ^ 2 = p) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (p)).
  try (assert (0 < sqrt (p)) by positive).
  set (root1 := sqrt (p)) in *; clearbody root1.
  assert (rule2 : sqrt (delta ^ 2 + 4 * p * mu ^ 2) ^ 2 = delta ^ 2 + 4 * p * mu ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (delta ^ 2 + 4 * p * mu ^ 2)).
  try (assert (0 < sqrt (delta ^ 2 + 4 * p * mu ^ 2)) by positive).
  set (root2 := sqrt (delta ^ 2 + 4 * p * mu ^ 2)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
