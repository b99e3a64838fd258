From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/whitened-flow, flow_on_white_inputs *)

Lemma flow_on_white_inputs_1 : forall eta_a a w0 w1 w2 b0 b1 b2 : R,
  0 < eta_a ->
  0 < a ->
  (-1) * eta_a * (a * w0 ^ 2 + a * w1 ^ 2 + a * w2 ^ 2 - b0 * w0 - b1 * w1 - b2 * w2) =
  eta_a * (b0 * w0 + b1 * w1 + b2 * w2 - a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma flow_on_white_inputs_2 : forall eta_w w0 a b0 : R,
  0 < eta_w ->
  0 < a ->
  (-1) * eta_w * (w0 * a ^ 2 - b0 * a) =
  eta_w * (b0 * a - w0 * a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma flow_on_white_inputs_3 : forall eta_w w1 a b1 : R,
  0 < eta_w ->
  0 < a ->
  (-1) * eta_w * (w1 * a ^ 2 - b1 * a) =
  eta_w * (b1 * a - w1 * a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma flow_on_white_inputs_4 : forall eta_w w2 a b2 : R,
  0 < eta_w ->
  0 < a ->
  (-1) * eta_w * (w2 * a ^ 2 - b2 * a) =
  eta_w * (b2 * a - w2 * a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
