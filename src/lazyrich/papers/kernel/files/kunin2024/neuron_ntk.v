From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/neuron-ntk, kernel_of_the_neuron *)

Lemma kernel_of_the_neuron_1 : forall eta_a x0 w0 x1 w1 x2 w2 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  eta_a * (x0 * w0 + x1 * w1 + x2 * w2) ^ 2 + eta_w * x0 ^ 2 * a ^ 2 + eta_w * x1 ^ 2 * a ^ 2 + eta_w * x2 ^ 2 * a ^ 2 =
  x0 * (x0 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + x1 * w0 * w1 * eta_a + x2 * w0 * w2 * eta_a) + x1 * (x1 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + x0 * w0 * w1 * eta_a + x2 * w1 * w2 * eta_a) + x2 * (x2 * (eta_a * w2 ^ 2 + eta_w * a ^ 2) + x0 * w0 * w2 * eta_a + x1 * w1 * w2 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_of_the_neuron_2 : forall eta_a x0 w0 x1 w1 x2 w2 x3 x4 x5 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  eta_a * (x0 * w0 + x1 * w1 + x2 * w2) * (x3 * w0 + x4 * w1 + x5 * w2) + x0 * x3 * eta_w * a ^ 2 + x1 * x4 * eta_w * a ^ 2 + x2 * x5 * eta_w * a ^ 2 =
  x3 * (x0 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + x1 * w0 * w1 * eta_a + x2 * w0 * w2 * eta_a) + x4 * (x1 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + x0 * w0 * w1 * eta_a + x2 * w1 * w2 * eta_a) + x5 * (x2 * (eta_a * w2 ^ 2 + eta_w * a ^ 2) + x0 * w0 * w2 * eta_a + x1 * w1 * w2 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_of_the_neuron_3 : forall eta_a x0 w0 x1 w1 x2 w2 x3 x4 x5 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  eta_a * (x0 * w0 + x1 * w1 + x2 * w2) * (x3 * w0 + x4 * w1 + x5 * w2) + x0 * x3 * eta_w * a ^ 2 + x1 * x4 * eta_w * a ^ 2 + x2 * x5 * eta_w * a ^ 2 =
  x0 * (x3 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + x4 * w0 * w1 * eta_a + x5 * w0 * w2 * eta_a) + x1 * (x4 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + x3 * w0 * w1 * eta_a + x5 * w1 * w2 * eta_a) + x2 * (x5 * (eta_a * w2 ^ 2 + eta_w * a ^ 2) + x3 * w0 * w2 * eta_a + x4 * w1 * w2 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_of_the_neuron_4 : forall eta_a x3 w0 x4 w1 x5 w2 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  eta_a * (x3 * w0 + x4 * w1 + x5 * w2) ^ 2 + eta_w * x3 ^ 2 * a ^ 2 + eta_w * x4 ^ 2 * a ^ 2 + eta_w * x5 ^ 2 * a ^ 2 =
  x3 * (x3 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) + x4 * w0 * w1 * eta_a + x5 * w0 * w2 * eta_a) + x4 * (x4 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) + x3 * w0 * w1 * eta_a + x5 * w1 * w2 * eta_a) + x5 * (x5 * (eta_a * w2 ^ 2 + eta_w * a ^ 2) + x3 * w0 * w2 * eta_a + x4 * w1 * w2 * eta_a).
Proof.
  intros.
  field; nonzero.
Qed.
