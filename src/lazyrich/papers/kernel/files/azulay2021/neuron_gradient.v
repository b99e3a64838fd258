From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-gradient, gradient_of_a_neuron *)

Lemma gradient_of_a_neuron_1 : forall w0 x0 w1 x1 y0 a x2 x3 y1 : R,
  - (1 / 4) * (- 2 * w0 * x0 - 2 * w1 * x1) * (y0 - a * w0 * x0 - a * w1 * x1) - (1 / 4) * (- 2 * w0 * x2 - 2 * w1 * x3) * (y1 - a * w0 * x2 - a * w1 * x3) =
  w0 * ((1 / 2) * x0 * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 2) * x2 * (y1 - a * w0 * x2 - a * w1 * x3)) + w1 * ((1 / 2) * x1 * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 2) * x3 * (y1 - a * w0 * x2 - a * w1 * x3)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma gradient_of_a_neuron_2 : forall a x0 y0 w0 w1 x1 x2 y1 x3 : R,
  (1 / 2) * a * x0 * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 2) * a * x2 * (y1 - a * w0 * x2 - a * w1 * x3) =
  a * ((1 / 2) * x0 * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 2) * x2 * (y1 - a * w0 * x2 - a * w1 * x3)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma gradient_of_a_neuron_3 : forall a x1 y0 w0 x0 w1 x3 y1 x2 : R,
  (1 / 2) * a * x1 * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 2) * a * x3 * (y1 - a * w0 * x2 - a * w1 * x3) =
  a * ((1 / 2) * x1 * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 2) * x3 * (y1 - a * w0 * x2 - a * w1 * x3)).
Proof.
  intros.
  field; nonzero.
Qed.
