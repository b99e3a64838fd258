From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/one-formula, a_linear_flow_divided *)

Lemma a_linear_flow_divided_1 : forall delta p eta_a b0 q0 b1 q1 s eta_w : R,
  0 < delta ->
  0 < p ->
  0 < eta_a ->
  0 < s ->
  0 < eta_w ->
  (delta * p + eta_a * (b0 * q0 + b1 * q1)) / s - eta_w * p ^ 3 / s ^ 3 =
  eta_a * (b0 * q0 / s + b1 * q1 / s - p * (- delta + eta_w * p ^ 2 / s ^ 2) / eta_a / s).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma a_linear_flow_divided_2 : forall b0 eta_w p s q0 : R,
  0 < eta_w ->
  0 < p ->
  0 < s ->
  b0 * eta_w * p / s - q0 * eta_w * p ^ 2 / s ^ 3 =
  eta_w * (b0 * p / s - q0 * p ^ 2 / s ^ 3).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma a_linear_flow_divided_3 : forall b1 eta_w p s q1 : R,
  0 < eta_w ->
  0 < p ->
  0 < s ->
  b1 * eta_w * p / s - q1 * eta_w * p ^ 2 / s ^ 3 =
  eta_w * (b1 * p / s - q1 * p ^ 2 / s ^ 3).
Proof.
  intros.
  field; nonzero.
Qed.
