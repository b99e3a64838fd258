From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/piecewise-kernel, neuron_kernel *)

Lemma neuron_kernel_d1 : forall w0 a c0 x0 w1 x1 : R,
  is_derive (fun w0 => a * c0 * (w0 * x0 + w1 * x1)) w0 (a * c0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma neuron_kernel_d2 : forall w1 a c0 w0 x0 x1 : R,
  is_derive (fun w1 => a * c0 * (w0 * x0 + w1 * x1)) w1 (a * c0 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma neuron_kernel_d3 : forall a c0 w0 x0 w1 x1 : R,
  is_derive (fun a => a * c0 * (w0 * x0 + w1 * x1)) a (c0 * (w0 * x0 + w1 * x1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma neuron_kernel_d4 : forall w0 a c1 x2 w1 x3 : R,
  is_derive (fun w0 => a * c1 * (w0 * x2 + w1 * x3)) w0 (a * c1 * x2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma neuron_kernel_d5 : forall w1 a c1 w0 x2 x3 : R,
  is_derive (fun w1 => a * c1 * (w0 * x2 + w1 * x3)) w1 (a * c1 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma neuron_kernel_d6 : forall a c1 w0 x2 w1 x3 : R,
  is_derive (fun a => a * c1 * (w0 * x2 + w1 * x3)) a (c1 * (w0 * x2 + w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
