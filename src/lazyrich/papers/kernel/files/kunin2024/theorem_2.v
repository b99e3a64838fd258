From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/theorem-2, neuron_from_its_product *)

Lemma neuron_from_its_product_1 : forall eta_a w0 w1 eta_w a0 a1 : R,
  0 < eta_a ->
  0 < eta_w ->
  (eta_a * (w0 ^ 2 + w1 ^ 2) + eta_w * (a0 ^ 2 + a1 ^ 2)) ^ 2 =
  (eta_w * (a0 ^ 2 + a1 ^ 2) - eta_a * (w0 ^ 2 + w1 ^ 2)) ^ 2 + 4 * eta_a * eta_w * (a0 ^ 2 + a1 ^ 2) * (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_from_its_product_2 : forall eta_w a0 w0 a1 w1 : R,
  0 < eta_w ->
  a0 ^ 2 + a1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  eta_w * a0 ^ 2 =
  (eta_w * a0 ^ 2 * w0 ^ 2 * (a0 ^ 2 + a1 ^ 2) + eta_w * a0 ^ 2 * w1 ^ 2 * (a0 ^ 2 + a1 ^ 2)) / (a0 ^ 2 + a1 ^ 2) / (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_from_its_product_3 : forall a0 a1 eta_w w0 w1 : R,
  0 < eta_w ->
  a0 ^ 2 + a1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  a0 * a1 * eta_w =
  (a0 * a1 * eta_w * w0 ^ 2 * (a0 ^ 2 + a1 ^ 2) + a0 * a1 * eta_w * w1 ^ 2 * (a0 ^ 2 + a1 ^ 2)) / (a0 ^ 2 + a1 ^ 2) / (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_from_its_product_4 : forall eta_w a1 w0 a0 w1 : R,
  0 < eta_w ->
  a0 ^ 2 + a1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  eta_w * a1 ^ 2 =
  (eta_w * a1 ^ 2 * w0 ^ 2 * (a0 ^ 2 + a1 ^ 2) + eta_w * a1 ^ 2 * w1 ^ 2 * (a0 ^ 2 + a1 ^ 2)) / (a0 ^ 2 + a1 ^ 2) / (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_from_its_product_5 : forall eta_a w0 a0 w1 a1 : R,
  0 < eta_a ->
  a0 ^ 2 + a1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  eta_a * w0 ^ 2 =
  (eta_a * a0 ^ 2 * w0 ^ 2 * (w0 ^ 2 + w1 ^ 2) + eta_a * a1 ^ 2 * w0 ^ 2 * (w0 ^ 2 + w1 ^ 2)) / (a0 ^ 2 + a1 ^ 2) / (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_from_its_product_6 : forall w0 w1 eta_a a0 a1 : R,
  0 < eta_a ->
  a0 ^ 2 + a1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  w0 * w1 * eta_a =
  (w0 * w1 * eta_a * a0 ^ 2 * (w0 ^ 2 + w1 ^ 2) + w0 * w1 * eta_a * a1 ^ 2 * (w0 ^ 2 + w1 ^ 2)) / (a0 ^ 2 + a1 ^ 2) / (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma neuron_from_its_product_7 : forall eta_a w1 a0 w0 a1 : R,
  0 < eta_a ->
  a0 ^ 2 + a1 ^ 2 <> 0 ->
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  eta_a * w1 ^ 2 =
  (eta_a * a0 ^ 2 * w1 ^ 2 * (w0 ^ 2 + w1 ^ 2) + eta_a * a1 ^ 2 * w1 ^ 2 * (w0 ^ 2 + w1 ^ 2)) / (a0 ^ 2 + a1 ^ 2) / (w0 ^ 2 + w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
