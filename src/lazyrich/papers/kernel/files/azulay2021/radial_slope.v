From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/radial-slope, three_slopes *)

Lemma three_slopes_1 : forall p r : R,
  0 < p ->
  0 < r ->
  (2 * p * r - (1 / 2) * p * r * (r ^ 2 - p ^ 2) / ((1 / 2) * p ^ 2 + (1 / 2) * r ^ 2)) / r + (1 / 2) * (p ^ 2 * r ^ 2 - (1 / 2) * r ^ 2 * (r ^ 2 - p ^ 2)) / p / ((1 / 2) * p ^ 2 + (1 / 2) * r ^ 2) - (p ^ 2 * r ^ 2 - (1 / 2) * r ^ 2 * (r ^ 2 - p ^ 2)) / p / r ^ 2 =
  (3 / 2) * p.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma three_slopes_2 : forall r p : R,
  0 < r ->
  0 < p ->
  (3 / 4) * r / ((1 / 2) * p ^ 2 + (1 / 2) * r ^ 2) =
  (3 / 2) * r / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma three_slopes_3 : forall s alpha : R,
  0 < s ->
  0 < alpha ->
  0 <= 1 - s ->
  0 < 1 - s ->
  1 - s <> 0 ->
  (1 / 2) * alpha * (1 - s) / (1 + s) + (1 / 2) * alpha * (1 + s) / (1 - s) <> 0 ->
  (- (3 / 2) * sqrt (1 - s) / (sqrt alpha) ^ 3 / sqrt (1 + s) + (3 / 4) * sqrt (1 + s) / sqrt alpha / sqrt (1 - s) / ((1 / 2) * alpha * (1 - s) / (1 + s) + (1 / 2) * alpha * (1 + s) / (1 - s))) ^ 2 =
  (9 / 16) * (1 - s) ^ 5 / alpha ^ 3 / (1 + s) / (1 + s ^ 2) ^ 2.
Proof.
  intros.
  try (assert (alpha * ((1 + s) ^ 2 + (1 - s) ^ 2) <> 0) by (replace (alpha * ((1 + s) ^ 2 + (1 - s) ^ 2)) with (((1 / 2) * alpha * (1 - s) / (1 + s) + (1 / 2) * alpha * (1 + s) / (1 - s)) * (2 * (1 + s) * (1 - s))) by (field; nonzero); nonzero)).
  assert (rule1 : sqrt (alpha) ^ 2 = alpha) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (alpha)).
  try (assert (0 < sqrt (alpha)) by positive).
  set (root1 := sqrt (alpha)) in *; clearbody root1.
  assert (rule2 : sqrt (1 + s) ^ 2 = 1 + s) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 + s)).
  try (assert (0 < sqrt (1 + s)) by positive).
  set (root2 := sqrt (1 + s)) in *; clearbody root2.
  assert (rule3 : sqrt (1 - s) ^ 2 = 1 - s) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 - s)).
  try (assert (0 < sqrt (1 - s)) by positive).
  set (root3 := sqrt (1 - s)) in *; clearbody root3.
  field [rule1 rule2 rule3]; nonzero.
Qed.
