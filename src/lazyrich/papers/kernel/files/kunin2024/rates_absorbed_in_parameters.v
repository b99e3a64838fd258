From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/rates-absorbed-in-parameters, flow_of_rescaled_parameters *)

Lemma flow_of_rescaled_parameters_1 : forall eta_a eta_w a w0 w1 b0 b1 : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  (-1) * eta_a * sqrt eta_w * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1) =
  - a * sqrt eta_w * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2) + b0 * w0 * eta_a * sqrt eta_w + b1 * w1 * eta_a * sqrt eta_w.
Proof.
  intros.
  assert (rule1 : sqrt (eta_w) ^ 2 = eta_w) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (eta_w)).
  try (assert (0 < sqrt (eta_w)) by positive).
  set (root1 := sqrt (eta_w)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_2 : forall eta_w eta_a w0 a b0 : R,
  0 < eta_w ->
  0 < eta_a ->
  0 < a ->
  (-1) * eta_w * sqrt eta_a * (w0 * a ^ 2 - b0 * a) =
  b0 * a * eta_w * sqrt eta_a - w0 * eta_w * a ^ 2 * sqrt eta_a.
Proof.
  intros.
  assert (rule1 : sqrt (eta_a) ^ 2 = eta_a) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (eta_a)).
  try (assert (0 < sqrt (eta_a)) by positive).
  set (root1 := sqrt (eta_a)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_3 : forall eta_w eta_a w1 a b1 : R,
  0 < eta_w ->
  0 < eta_a ->
  0 < a ->
  (-1) * eta_w * sqrt eta_a * (w1 * a ^ 2 - b1 * a) =
  b1 * a * eta_w * sqrt eta_a - w1 * eta_w * a ^ 2 * sqrt eta_a.
Proof.
  intros.
  assert (rule1 : sqrt (eta_a) ^ 2 = eta_a) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (eta_a)).
  try (assert (0 < sqrt (eta_a)) by positive).
  set (root1 := sqrt (eta_a)) in *; clearbody root1.
  field [rule1]; nonzero.
Qed.
