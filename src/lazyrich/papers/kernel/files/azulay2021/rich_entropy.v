From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/rich-entropy, limit_of_small_k *)

Lemma limit_of_small_k_1 : forall r : R,
  0 < r ->
  (1 / 2) * (2 + sqrt (4 + r ^ 2)) / r - (1 / 2) * r / (2 + sqrt (4 + r ^ 2)) =
  2 / r.
Proof.
  intros.
  assert (rule1 : sqrt (4 + r ^ 2) ^ 2 = 4 + r ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (4 + r ^ 2)).
  try (assert (0 < sqrt (4 + r ^ 2)) by positive).
  set (root1 := sqrt (4 + r ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
