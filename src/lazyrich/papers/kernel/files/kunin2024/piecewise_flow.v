From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/piecewise-flow, one_neuron_in_symbols *)

Lemma one_neuron_in_symbols_1 : forall eta_a w0 w1 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  (eta_a * (w0 ^ 2 + w1 ^ 2) + eta_w * a ^ 2) ^ 2 =
  (eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2)) ^ 2 + 4 * eta_a * eta_w * a ^ 2 * (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma one_neuron_in_symbols_2 : forall w0 eta_a xi0 w1 xi1 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  - w0 * eta_a * (w0 * xi0 + w1 * xi1) - xi0 * eta_w * a ^ 2 =
  - xi0 * (eta_a * w0 ^ 2 + eta_w * a ^ 2) - w0 * w1 * xi1 * eta_a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma one_neuron_in_symbols_3 : forall w1 eta_a w0 xi0 xi1 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  - w1 * eta_a * (w0 * xi0 + w1 * xi1) - xi1 * eta_w * a ^ 2 =
  - xi1 * (eta_a * w1 ^ 2 + eta_w * a ^ 2) - w0 * w1 * xi0 * eta_a.
Proof.
  intros.
  field; nonzero.
Qed.
