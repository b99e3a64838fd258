From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/neuron-ntk, kernel_of_the_neuron *)

Lemma kernel_of_the_neuron_d1 : forall a x0 w0 x1 w1 x2 w2 : R,
  0 < a ->
  is_derive (fun a => a * (x0 * w0 + x1 * w1 + x2 * w2)) a (x0 * w0 + x1 * w1 + x2 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d2 : forall w0 a x0 x1 w1 x2 w2 : R,
  0 < a ->
  is_derive (fun w0 => a * (x0 * w0 + x1 * w1 + x2 * w2)) w0 (x0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d3 : forall w1 a x0 w0 x1 x2 w2 : R,
  0 < a ->
  is_derive (fun w1 => a * (x0 * w0 + x1 * w1 + x2 * w2)) w1 (x1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d4 : forall w2 a x0 w0 x1 w1 x2 : R,
  0 < a ->
  is_derive (fun w2 => a * (x0 * w0 + x1 * w1 + x2 * w2)) w2 (x2 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d5 : forall a x3 w0 x4 w1 x5 w2 : R,
  0 < a ->
  is_derive (fun a => a * (x3 * w0 + x4 * w1 + x5 * w2)) a (x3 * w0 + x4 * w1 + x5 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d6 : forall w0 a x3 x4 w1 x5 w2 : R,
  0 < a ->
  is_derive (fun w0 => a * (x3 * w0 + x4 * w1 + x5 * w2)) w0 (x3 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d7 : forall w1 a x3 w0 x4 x5 w2 : R,
  0 < a ->
  is_derive (fun w1 => a * (x3 * w0 + x4 * w1 + x5 * w2)) w1 (x4 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_of_the_neuron_d8 : forall w2 a x3 w0 x4 w1 x5 : R,
  0 < a ->
  is_derive (fun w2 => a * (x3 * w0 + x4 * w1 + x5 * w2)) w2 (x5 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
