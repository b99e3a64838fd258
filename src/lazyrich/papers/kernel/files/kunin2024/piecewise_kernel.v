From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/piecewise-kernel, neuron_kernel *)

Lemma neuron_kernel_1 : forall eta_a c0 w0 x0 w1 x1 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  eta_a * c0 ^ 2 * (w0 * x0 + w1 * x1) ^ 2 + eta_w * a ^ 2 * c0 ^ 2 * x0 ^ 2 + eta_w * a ^ 2 * c0 ^ 2 * x1 ^ 2 =
  c0 * x0 * (c0 * x0 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + c0 * w0 * w1 * x1 * eta_a) + c0 * x1 * (c0 * x1 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + c0 * w0 * w1 * x0 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_kernel_2 : forall c0 c1 eta_a w0 x0 w1 x1 x2 x3 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  c0 * c1 * eta_a * (w0 * x0 + w1 * x1) * (w0 * x2 + w1 * x3) + c0 * c1 * x0 * x2 * eta_w * a ^ 2 + c0 * c1 * x1 * x3 * eta_w * a ^ 2 =
  c1 * x2 * (c0 * x0 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + c0 * w0 * w1 * x1 * eta_a) + c1 * x3 * (c0 * x1 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + c0 * w0 * w1 * x0 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_kernel_3 : forall c0 c1 eta_a w0 x0 w1 x1 x2 x3 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  c0 * c1 * eta_a * (w0 * x0 + w1 * x1) * (w0 * x2 + w1 * x3) + c0 * c1 * x0 * x2 * eta_w * a ^ 2 + c0 * c1 * x1 * x3 * eta_w * a ^ 2 =
  c0 * x0 * (c1 * x2 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + c1 * w0 * w1 * x3 * eta_a) + c0 * x1 * (c1 * x3 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + c1 * w0 * w1 * x2 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_kernel_4 : forall eta_a c1 w0 x2 w1 x3 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  eta_a * c1 ^ 2 * (w0 * x2 + w1 * x3) ^ 2 + eta_w * a ^ 2 * c1 ^ 2 * x2 ^ 2 + eta_w * a ^ 2 * c1 ^ 2 * x3 ^ 2 =
  c1 * x2 * (c1 * x2 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + c1 * w0 * w1 * x3 * eta_a) + c1 * x3 * (c1 * x3 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + c1 * w0 * w1 * x2 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.
