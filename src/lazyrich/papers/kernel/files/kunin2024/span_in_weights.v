From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/span-in-weights, rows_of_a_neuron *)

Lemma rows_of_a_neuron_1 : forall a0 w0 w1 a1 a2 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 ^ 2 + a1 ^ 2 + a2 ^ 2 <> 0 ->
  (a0 ^ 2 * w0 ^ 2 + a0 ^ 2 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2) =
  a0 ^ 2 / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rows_of_a_neuron_2 : forall a0 a1 w0 w1 a2 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 ^ 2 + a1 ^ 2 + a2 ^ 2 <> 0 ->
  (a0 * a1 * w0 ^ 2 + a0 * a1 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2) =
  a0 * a1 / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rows_of_a_neuron_3 : forall a0 a2 w0 w1 a1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 ^ 2 + a1 ^ 2 + a2 ^ 2 <> 0 ->
  (a0 * a2 * w0 ^ 2 + a0 * a2 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2) =
  a0 * a2 / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rows_of_a_neuron_4 : forall a1 w0 w1 a0 a2 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 ^ 2 + a1 ^ 2 + a2 ^ 2 <> 0 ->
  (a1 ^ 2 * w0 ^ 2 + a1 ^ 2 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2) =
  a1 ^ 2 / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rows_of_a_neuron_5 : forall a1 a2 w0 w1 a0 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 ^ 2 + a1 ^ 2 + a2 ^ 2 <> 0 ->
  (a1 * a2 * w0 ^ 2 + a1 * a2 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2) =
  a1 * a2 / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rows_of_a_neuron_6 : forall a2 w0 w1 a0 a1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 ^ 2 + a1 ^ 2 + a2 ^ 2 <> 0 ->
  (a2 ^ 2 * w0 ^ 2 + a2 ^ 2 * w1 ^ 2) / (w0 ^ 2 + w1 ^ 2) / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2) =
  a2 ^ 2 / (a0 ^ 2 + a1 ^ 2 + a2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
