From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/wide-tangent-kernel, kernel_is_a_kronecker_sum *)

Lemma kernel_is_a_kronecker_sum_d1 : forall w0 a0 x0 w1 x1 a2 w2 w3 : R,
  is_derive (fun w0 => a0 * (w0 * x0 + w1 * x1) + a2 * (w2 * x0 + w3 * x1)) w0 (a0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d2 : forall w1 a0 w0 x0 x1 a2 w2 w3 : R,
  is_derive (fun w1 => a0 * (w0 * x0 + w1 * x1) + a2 * (w2 * x0 + w3 * x1)) w1 (a0 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d3 : forall w2 a0 w0 x0 w1 x1 a2 w3 : R,
  is_derive (fun w2 => a0 * (w0 * x0 + w1 * x1) + a2 * (w2 * x0 + w3 * x1)) w2 (a2 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d4 : forall w3 a0 w0 x0 w1 x1 a2 w2 : R,
  is_derive (fun w3 => a0 * (w0 * x0 + w1 * x1) + a2 * (w2 * x0 + w3 * x1)) w3 (a2 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d5 : forall a0 w0 x0 w1 x1 a2 w2 w3 : R,
  is_derive (fun a0 => a0 * (w0 * x0 + w1 * x1) + a2 * (w2 * x0 + w3 * x1)) a0 (w0 * x0 + w1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d6 : forall a2 a0 w0 x0 w1 x1 w2 w3 : R,
  is_derive (fun a2 => a0 * (w0 * x0 + w1 * x1) + a2 * (w2 * x0 + w3 * x1)) a2 (w2 * x0 + w3 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d7 : forall w0 a0 x2 w1 x3 a2 w2 w3 : R,
  is_derive (fun w0 => a0 * (w0 * x2 + w1 * x3) + a2 * (w2 * x2 + w3 * x3)) w0 (a0 * x2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d8 : forall w1 a0 w0 x2 x3 a2 w2 w3 : R,
  is_derive (fun w1 => a0 * (w0 * x2 + w1 * x3) + a2 * (w2 * x2 + w3 * x3)) w1 (a0 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d9 : forall w2 a0 w0 x2 w1 x3 a2 w3 : R,
  is_derive (fun w2 => a0 * (w0 * x2 + w1 * x3) + a2 * (w2 * x2 + w3 * x3)) w2 (a2 * x2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d10 : forall w3 a0 w0 x2 w1 x3 a2 w2 : R,
  is_derive (fun w3 => a0 * (w0 * x2 + w1 * x3) + a2 * (w2 * x2 + w3 * x3)) w3 (a2 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d11 : forall a0 w0 x2 w1 x3 a2 w2 w3 : R,
  is_derive (fun a0 => a0 * (w0 * x2 + w1 * x3) + a2 * (w2 * x2 + w3 * x3)) a0 (w0 * x2 + w1 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d12 : forall a2 a0 w0 x2 w1 x3 w2 w3 : R,
  is_derive (fun a2 => a0 * (w0 * x2 + w1 * x3) + a2 * (w2 * x2 + w3 * x3)) a2 (w2 * x2 + w3 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d13 : forall w0 a1 x0 w1 x1 a3 w2 w3 : R,
  is_derive (fun w0 => a1 * (w0 * x0 + w1 * x1) + a3 * (w2 * x0 + w3 * x1)) w0 (a1 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d14 : forall w1 a1 w0 x0 x1 a3 w2 w3 : R,
  is_derive (fun w1 => a1 * (w0 * x0 + w1 * x1) + a3 * (w2 * x0 + w3 * x1)) w1 (a1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d15 : forall w2 a1 w0 x0 w1 x1 a3 w3 : R,
  is_derive (fun w2 => a1 * (w0 * x0 + w1 * x1) + a3 * (w2 * x0 + w3 * x1)) w2 (a3 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d16 : forall w3 a1 w0 x0 w1 x1 a3 w2 : R,
  is_derive (fun w3 => a1 * (w0 * x0 + w1 * x1) + a3 * (w2 * x0 + w3 * x1)) w3 (a3 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d17 : forall a1 w0 x0 w1 x1 a3 w2 w3 : R,
  is_derive (fun a1 => a1 * (w0 * x0 + w1 * x1) + a3 * (w2 * x0 + w3 * x1)) a1 (w0 * x0 + w1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d18 : forall a3 a1 w0 x0 w1 x1 w2 w3 : R,
  is_derive (fun a3 => a1 * (w0 * x0 + w1 * x1) + a3 * (w2 * x0 + w3 * x1)) a3 (w2 * x0 + w3 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d19 : forall w0 a1 x2 w1 x3 a3 w2 w3 : R,
  is_derive (fun w0 => a1 * (w0 * x2 + w1 * x3) + a3 * (w2 * x2 + w3 * x3)) w0 (a1 * x2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d20 : forall w1 a1 w0 x2 x3 a3 w2 w3 : R,
  is_derive (fun w1 => a1 * (w0 * x2 + w1 * x3) + a3 * (w2 * x2 + w3 * x3)) w1 (a1 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d21 : forall w2 a1 w0 x2 w1 x3 a3 w3 : R,
  is_derive (fun w2 => a1 * (w0 * x2 + w1 * x3) + a3 * (w2 * x2 + w3 * x3)) w2 (a3 * x2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d22 : forall w3 a1 w0 x2 w1 x3 a3 w2 : R,
  is_derive (fun w3 => a1 * (w0 * x2 + w1 * x3) + a3 * (w2 * x2 + w3 * x3)) w3 (a3 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d23 : forall a1 w0 x2 w1 x3 a3 w2 w3 : R,
  is_derive (fun a1 => a1 * (w0 * x2 + w1 * x3) + a3 * (w2 * x2 + w3 * x3)) a1 (w0 * x2 + w1 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_d24 : forall a3 a1 w0 x2 w1 x3 w2 w3 : R,
  is_derive (fun a3 => a1 * (w0 * x2 + w1 * x3) + a3 * (w2 * x2 + w3 * x3)) a3 (w2 * x2 + w3 * x3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
