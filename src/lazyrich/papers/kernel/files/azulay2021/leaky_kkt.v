From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/leaky-kkt, stationarity_of_a_leaky_neuron *)

Lemma stationarity_of_a_leaky_neuron_1 : forall w0 w1 a c0 r0 x0 c1 r1 x2 x1 x3 : R,
  0 < a ->
  (3 / 2) * (1 - w0 ^ 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2)) * (w0 * (w0 * (c0 * r0 * x0 + c1 * r1 * x2) + w1 * (c0 * r0 * x1 + c1 * r1 * x3)) + a ^ 2 * (c0 * r0 * x0 + c1 * r1 * x2)) / a - (3 / 2) * w0 * w1 * (w1 * (w0 * (c0 * r0 * x0 + c1 * r1 * x2) + w1 * (c0 * r0 * x1 + c1 * r1 * x3)) + a ^ 2 * (c0 * r0 * x1 + c1 * r1 * x3)) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) =
  (3 / 2) * c0 * r0 * x0 * a + (3 / 2) * c1 * r1 * x2 * a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma stationarity_of_a_leaky_neuron_2 : forall w1 w0 a c0 r0 x0 c1 r1 x2 x1 x3 : R,
  0 < a ->
  (3 / 2) * (1 - w1 ^ 2 / (w0 ^ 2 + w1 ^ 2 + a ^ 2)) * (w1 * (w0 * (c0 * r0 * x0 + c1 * r1 * x2) + w1 * (c0 * r0 * x1 + c1 * r1 * x3)) + a ^ 2 * (c0 * r0 * x1 + c1 * r1 * x3)) / a - (3 / 2) * w0 * w1 * (w0 * (w0 * (c0 * r0 * x0 + c1 * r1 * x2) + w1 * (c0 * r0 * x1 + c1 * r1 * x3)) + a ^ 2 * (c0 * r0 * x0 + c1 * r1 * x2)) / a / (w0 ^ 2 + w1 ^ 2 + a ^ 2) =
  (3 / 2) * c0 * r0 * x1 * a + (3 / 2) * c1 * r1 * x3 * a.
Proof.
  intros.
  field; nonzero.
Qed.
