From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/reduced-start, the_start *)

Lemma the_start_1 : forall gamma slope : R,
  0 < gamma ->
  0 < slope ->
  sqrt 2 * sqrt gamma * (1 - slope ^ 2) ^ 2 / (1 + slope ^ 2) ^ 2 + 4 * sqrt 2 * sqrt gamma * slope ^ 2 / (1 + slope ^ 2) ^ 2 =
  sqrt 2 * sqrt gamma.
Proof.
  intros.
  assert (rule1 : sqrt (2) ^ 2 = 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (2)).
  try (assert (0 < sqrt (2)) by positive).
  set (root1 := sqrt (2)) in *; clearbody root1.
  assert (rule2 : sqrt (gamma) ^ 2 = gamma) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (gamma)).
  try (assert (0 < sqrt (gamma)) by positive).
  set (root2 := sqrt (gamma)) in *; clearbody root2.
  field [rule1 rule2]; nonzero.
Qed.
