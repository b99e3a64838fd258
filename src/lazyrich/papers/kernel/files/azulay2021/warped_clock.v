From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warped-clock, clock_of_a_neuron *)

Lemma clock_of_a_neuron_1 : forall w0 w1 w2 a p0 p1 p2 : R,
  0 < a ->
  (3 / 2) * (1 - w0 ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) * (p0 * (w0 ^ 2 + a ^ 2) + p1 * w0 * w1 + p2 * w0 * w2) / a - (3 / 2) * w0 * w1 * (p1 * (w1 ^ 2 + a ^ 2) + p0 * w0 * w1 + p2 * w1 * w2) / a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (3 / 2) * w0 * w2 * (p2 * (w2 ^ 2 + a ^ 2) + p0 * w0 * w2 + p1 * w1 * w2) / a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  (3 / 2) * p0 * a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma clock_of_a_neuron_2 : forall w1 w0 w2 a p1 p0 p2 : R,
  0 < a ->
  (3 / 2) * (1 - w1 ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) * (p1 * (w1 ^ 2 + a ^ 2) + p0 * w0 * w1 + p2 * w1 * w2) / a - (3 / 2) * w0 * w1 * (p0 * (w0 ^ 2 + a ^ 2) + p1 * w0 * w1 + p2 * w0 * w2) / a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (3 / 2) * w1 * w2 * (p2 * (w2 ^ 2 + a ^ 2) + p0 * w0 * w2 + p1 * w1 * w2) / a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  (3 / 2) * p1 * a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma clock_of_a_neuron_3 : forall w2 w0 w1 a p2 p0 p1 : R,
  0 < a ->
  (3 / 2) * (1 - w2 ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) * (p2 * (w2 ^ 2 + a ^ 2) + p0 * w0 * w2 + p1 * w1 * w2) / a - (3 / 2) * w0 * w2 * (p0 * (w0 ^ 2 + a ^ 2) + p1 * w0 * w1 + p2 * w0 * w2) / a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (3 / 2) * w1 * w2 * (p1 * (w1 ^ 2 + a ^ 2) + p0 * w0 * w1 + p2 * w1 * w2) / a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  (3 / 2) * p2 * a.
Proof.
  intros.
  field; nonzero.
Qed.
