From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/piecewise-conservation, neuron_conserves *)

Lemma neuron_conserves_1 : forall eta_a a w0 xi0 eta_w w1 xi1 w2 xi2 : R,
  0 < eta_a ->
  0 < eta_w ->
  - eta_a * (- 2 * a * w0 * xi0 * eta_w - 2 * a * w1 * xi1 * eta_w - 2 * a * w2 * xi2 * eta_w) - 2 * a * eta_a * eta_w * (w0 * xi0 + w1 * xi1 + w2 * xi2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
