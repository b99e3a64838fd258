From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-gradient, gradient_of_a_neuron *)

Lemma gradient_of_a_neuron_d1 : forall a y0 w0 x0 w1 x1 y1 x2 x3 : R,
  is_derive (fun a => (1 / 4) * (y0 - a * w0 * x0 - a * w1 * x1) ^ 2 + (1 / 4) * (y1 - a * w0 * x2 - a * w1 * x3) ^ 2) a ((1 / 4) * (- 2 * w0 * x0 - 2 * w1 * x1) * (y0 - a * w0 * x0 - a * w1 * x1) + (1 / 4) * (- 2 * w0 * x2 - 2 * w1 * x3) * (y1 - a * w0 * x2 - a * w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma gradient_of_a_neuron_d2 : forall w0 y0 a x0 w1 x1 y1 x2 x3 : R,
  is_derive (fun w0 => (1 / 4) * (y0 - a * w0 * x0 - a * w1 * x1) ^ 2 + (1 / 4) * (y1 - a * w0 * x2 - a * w1 * x3) ^ 2) w0 (- (1 / 2) * a * x0 * (y0 - a * w0 * x0 - a * w1 * x1) - (1 / 2) * a * x2 * (y1 - a * w0 * x2 - a * w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma gradient_of_a_neuron_d3 : forall w1 y0 a w0 x0 x1 y1 x2 x3 : R,
  is_derive (fun w1 => (1 / 4) * (y0 - a * w0 * x0 - a * w1 * x1) ^ 2 + (1 / 4) * (y1 - a * w0 * x2 - a * w1 * x3) ^ 2) w1 (- (1 / 2) * a * x1 * (y0 - a * w0 * x0 - a * w1 * x1) - (1 / 2) * a * x3 * (y1 - a * w0 * x2 - a * w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
