From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/rank-grows, shares_rise *)

Lemma shares_rise_1 : forall g s : R,
  0 < g ->
  0 < s ->
  (1 + g / sqrt (g ^ 2 + s ^ 2)) / (g + sqrt (g ^ 2 + s ^ 2)) =
  / (sqrt (g ^ 2 + s ^ 2)).
Proof.
  intros.
  assert (rule1 : sqrt (g ^ 2 + s ^ 2) ^ 2 = g ^ 2 + s ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (g ^ 2 + s ^ 2)).
  try (assert (0 < sqrt (g ^ 2 + s ^ 2)) by positive).
  set (root1 := sqrt (g ^ 2 + s ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
