From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/piecewise-conservation, neuron_conserves *)

Lemma neuron_conserves_d1 : forall h eta_w a eta_a w0 xi0 w1 xi1 w2 xi2 : R,
  0 < eta_w ->
  0 < eta_a ->
  is_derive (fun h => eta_w * (a - h * eta_a * (w0 * xi0 + w1 * xi1 + w2 * xi2)) ^ 2 - eta_a * ((w0 - a * h * xi0 * eta_w) ^ 2 + (w1 - a * h * xi1 * eta_w) ^ 2 + (w2 - a * h * xi2 * eta_w) ^ 2)) h (- eta_a * (- 2 * a * xi0 * eta_w * (w0 - a * h * xi0 * eta_w) - 2 * a * xi1 * eta_w * (w1 - a * h * xi1 * eta_w) - 2 * a * xi2 * eta_w * (w2 - a * h * xi2 * eta_w)) - 2 * eta_a * eta_w * (a - h * eta_a * (w0 * xi0 + w1 * xi1 + w2 * xi2)) * (w0 * xi0 + w1 * xi1 + w2 * xi2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
