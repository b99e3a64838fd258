From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/separatrix, slides_to_the_saddle *)

Lemma slides_to_the_saddle_1 : forall a0 m t eta_w u : R,
  0 < a0 ->
  0 < m ->
  0 < t ->
  0 < eta_w ->
  0 < u ->
  0 < 1 + eta_w * a0 ^ 2 * (1 - exp ((-2) * m * t)) / m ->
  - a0 * m * exp ((-1) * m * t) / sqrt (1 + eta_w * a0 ^ 2 * (1 - exp ((-2) * m * t)) / m) - eta_w * a0 ^ 3 * exp ((-3) * m * t) / (sqrt (1 + eta_w * a0 ^ 2 * (1 - exp ((-2) * m * t)) / m)) ^ 3 =
  a0 * (u - m) * exp ((-1) * m * t) / sqrt (1 + eta_w * a0 ^ 2 * (1 - exp ((-2) * m * t)) / m) - a0 * u * exp ((-1) * m * t) / sqrt (1 + eta_w * a0 ^ 2 * (1 - exp ((-2) * m * t)) / m) - eta_w * a0 ^ 3 * exp ((-3) * m * t) / (sqrt (1 + eta_w * a0 ^ 2 * (1 - exp ((-2) * m * t)) / m)) ^ 3.
Proof.
  intros.
  assert (E : exp ((-2) * m * t) = / exp (m * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((-1) * m * t) = / exp (m * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((-3) * m * t) = / exp (m * t) ^ 3) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (m * t)).
  set (power1 := exp (m * t)) in *; clearbody power1.
  assert (rule1 : sqrt (1 + eta_w * a0 ^ 2 * (1 - (/ power1 ^ 2)) / m) ^ 2 = 1 + eta_w * a0 ^ 2 * (1 - (/ power1 ^ 2)) / m) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (1 + eta_w * a0 ^ 2 * (1 - (/ power1 ^ 2)) / m)).
  try (assert (0 < sqrt (1 + eta_w * a0 ^ 2 * (1 - (/ power1 ^ 2)) / m)) by positive).
  set (root1 := sqrt (1 + eta_w * a0 ^ 2 * (1 - (/ power1 ^ 2)) / m)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma slides_to_the_saddle_2 : forall eta_a eta_w omega a m u : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < omega ->
  0 < a ->
  0 < m ->
  0 < u ->
  eta_a * (- eta_w * omega * a ^ 2 + a * m * u / eta_a) + u * (a * (u - m) + eta_a * omega - eta_w * a ^ 3) =
  (u - eta_w * a ^ 2) * (a * u + eta_a * omega).
Proof.
  intros.
  field; nonzero.
Qed.
