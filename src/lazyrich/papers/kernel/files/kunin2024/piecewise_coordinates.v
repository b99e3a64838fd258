From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/piecewise-coordinates, polar_neuron *)

Lemma polar_neuron_1 : forall a xi0 eta_w u xi1 eta_a p : R,
  a <> 0 ->
  0 < eta_w ->
  u <> 0 ->
  0 < eta_a ->
  0 < p ->
  a * (- xi0 * a * eta_w * (1 - u ^ 2) / (1 + u ^ 2) - 2 * xi1 * a * u * eta_w / (1 + u ^ 2)) - eta_a * p ^ 2 * (xi0 * (1 - u ^ 2) / (1 + u ^ 2) + 2 * xi1 * u / (1 + u ^ 2)) =
  - xi0 * (1 - u ^ 2) * (eta_a * p ^ 2 + eta_w * a ^ 2) / (1 + u ^ 2) - 2 * xi1 * u * (eta_a * p ^ 2 + eta_w * a ^ 2) / (1 + u ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma polar_neuron_2 : forall xi0 a eta_w u xi1 p : R,
  a <> 0 ->
  0 < eta_w ->
  u <> 0 ->
  0 < p ->
  (- xi0 * a * eta_w - (1 - u ^ 2) * (- xi0 * a * eta_w * (1 - u ^ 2) / (1 + u ^ 2) - 2 * xi1 * a * u * eta_w / (1 + u ^ 2)) / (1 + u ^ 2)) / p =
  - xi0 * a * eta_w * (1 - (1 - u ^ 2) ^ 2 / (1 + u ^ 2) ^ 2) / p + 2 * xi1 * a * u * eta_w * (1 - u ^ 2) / p / (1 + u ^ 2) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma polar_neuron_3 : forall xi1 a eta_w u xi0 p : R,
  a <> 0 ->
  0 < eta_w ->
  u <> 0 ->
  0 < p ->
  (- xi1 * a * eta_w - 2 * u * (- xi0 * a * eta_w * (1 - u ^ 2) / (1 + u ^ 2) - 2 * xi1 * a * u * eta_w / (1 + u ^ 2)) / (1 + u ^ 2)) / p =
  - xi1 * a * eta_w * (1 - 4 * u ^ 2 / (1 + u ^ 2) ^ 2) / p + 2 * xi0 * a * u * eta_w * (1 - u ^ 2) / p / (1 + u ^ 2) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma polar_neuron_4 : forall eta_a p eta_w a : R,
  0 < eta_a ->
  0 < p ->
  0 < eta_w ->
  a <> 0 ->
  (eta_a * p ^ 2 + eta_w * a ^ 2) ^ 2 =
  (eta_w * a ^ 2 - eta_a * p ^ 2) ^ 2 + 4 * eta_a * eta_w * a ^ 2 * p ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
