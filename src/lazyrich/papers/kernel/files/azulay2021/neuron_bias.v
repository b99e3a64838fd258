From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-bias, stationarity_of_a_neuron *)

Lemma stationarity_of_a_neuron_1 : forall w0 w1 : R,
  0 < w0 ->
  0 < w1 ->
  (3 / 2) * w0 + w0 * (- (3 / 2) * w0 ^ 2 - (3 / 2) * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma stationarity_of_a_neuron_2 : forall w1 w0 : R,
  0 < w1 ->
  0 < w0 ->
  (3 / 2) * w1 + w1 * (- (3 / 2) * w0 ^ 2 - (3 / 2) * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma stationarity_of_a_neuron_3 : forall p0 w0 a w1 p1 : R,
  0 < w0 ->
  0 < a ->
  0 < w1 ->
  p0 * ((3 / 2) * (1 - w0 ^ 2 / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) * (a ^ 2 + w0 ^ 2) / a - (3 / 2) * w0 ^ 2 * w1 ^ 2 / a / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) + p1 * ((3 / 2) * w0 * w1 * (1 - w0 ^ 2 / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) / a - (3 / 2) * w0 * w1 * (a ^ 2 + w1 ^ 2) / a / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) =
  (3 / 2) * p0 * a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma stationarity_of_a_neuron_4 : forall p0 w0 w1 a p1 : R,
  0 < w0 ->
  0 < w1 ->
  0 < a ->
  p0 * ((3 / 2) * w0 * w1 * (1 - w1 ^ 2 / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) / a - (3 / 2) * w0 * w1 * (a ^ 2 + w0 ^ 2) / a / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) + p1 * ((3 / 2) * (1 - w1 ^ 2 / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) * (a ^ 2 + w1 ^ 2) / a - (3 / 2) * w0 ^ 2 * w1 ^ 2 / a / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) =
  (3 / 2) * p1 * a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma stationarity_of_a_neuron_5 : forall w0 a w1 : R,
  0 < w0 ->
  0 < a ->
  0 < w1 ->
  (3 / 2) * w0 * (1 - w0 ^ 2 / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) / a - (3 / 2) * w0 * w1 ^ 2 / a / (a ^ 2 + w0 ^ 2 + w1 ^ 2) =
  (3 / 2) * a * w0 / (a ^ 2 + w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma stationarity_of_a_neuron_6 : forall w1 a w0 : R,
  0 < w1 ->
  0 < a ->
  0 < w0 ->
  (3 / 2) * w1 * (1 - w1 ^ 2 / (a ^ 2 + w0 ^ 2 + w1 ^ 2)) / a - (3 / 2) * w1 * w0 ^ 2 / a / (a ^ 2 + w0 ^ 2 + w1 ^ 2) =
  (3 / 2) * a * w1 / (a ^ 2 + w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
