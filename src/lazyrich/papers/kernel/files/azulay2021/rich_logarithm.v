From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/rich-logarithm, first_order_of_the_logarithm *)

Lemma first_order_of_the_logarithm_1 : forall w : R,
  0 < w ->
  - w + w * ln w + 2 * w * ln 2 =
  w * (- 1 + 2 * ln 2 + ln w).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma first_order_of_the_logarithm_2 : forall r w : R,
  0 < r ->
  0 < w ->
  (1 / 2) * (sqrt (r ^ 2 + 4 * w ^ 2) + 2 * w) / r - (1 / 2) * r / (sqrt (r ^ 2 + 4 * w ^ 2) + 2 * w) =
  2 * w / r.
Proof.
  intros.
  assert (rule1 : sqrt (r ^ 2 + 4 * w ^ 2) ^ 2 = r ^ 2 + 4 * w ^ 2) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (r ^ 2 + 4 * w ^ 2)).
  try (assert (0 < sqrt (r ^ 2 + 4 * w ^ 2)) by positive).
  set (root1 := sqrt (r ^ 2 + 4 * w ^ 2)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
