From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-kernel, kernel_of_a_neuron *)

Lemma kernel_of_a_neuron_d1 : forall w0 b x0 w1 x1 : R,
  is_derive (fun w0 => b * (w0 * x0 + w1 * x1)) w0 (b * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_a_neuron_d2 : forall w1 b w0 x0 x1 : R,
  is_derive (fun w1 => b * (w0 * x0 + w1 * x1)) w1 (b * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_a_neuron_d3 : forall b w0 x0 w1 x1 : R,
  is_derive (fun b => b * (w0 * x0 + w1 * x1)) b (w0 * x0 + w1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_a_neuron_d4 : forall w0 b y0 w1 y1 : R,
  is_derive (fun w0 => b * (w0 * y0 + w1 * y1)) w0 (b * y0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_a_neuron_d5 : forall w1 b w0 y0 y1 : R,
  is_derive (fun w1 => b * (w0 * y0 + w1 * y1)) w1 (b * y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_a_neuron_d6 : forall b w0 y0 w1 y1 : R,
  is_derive (fun b => b * (w0 * y0 + w1 * y1)) b (w0 * y0 + w1 * y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
