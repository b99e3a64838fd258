From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-kernel, kernel_by_gradients *)

Lemma kernel_by_gradients_d1 : forall u_p0 x0 v_p0 u_m0 v_m0 x1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun u_p0 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_p0 (v_p0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d2 : forall u_p1 x0 u_p0 v_p0 u_m0 v_m0 x1 v_p1 u_m1 v_m1 : R,
  is_derive (fun u_p1 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_p1 (v_p1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d3 : forall v_p0 x0 u_p0 u_m0 v_m0 x1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun v_p0 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_p0 (u_p0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d4 : forall v_p1 x0 u_p0 v_p0 u_m0 v_m0 x1 u_p1 u_m1 v_m1 : R,
  is_derive (fun v_p1 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_p1 (u_p1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d5 : forall u_m0 x0 u_p0 v_p0 v_m0 x1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun u_m0 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_m0 ((-1) * v_m0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d6 : forall u_m1 x0 u_p0 v_p0 u_m0 v_m0 x1 u_p1 v_p1 v_m1 : R,
  is_derive (fun u_m1 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_m1 ((-1) * v_m1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d7 : forall v_m0 x0 u_p0 v_p0 u_m0 x1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun v_m0 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_m0 ((-1) * u_m0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d8 : forall v_m1 x0 u_p0 v_p0 u_m0 v_m0 x1 u_p1 v_p1 u_m1 : R,
  is_derive (fun v_m1 => x0 * (u_p0 * v_p0 - u_m0 * v_m0) + x1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_m1 ((-1) * u_m1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d9 : forall u_p0 y0 v_p0 u_m0 v_m0 y1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun u_p0 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_p0 (v_p0 * y0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d10 : forall u_p1 y0 u_p0 v_p0 u_m0 v_m0 y1 v_p1 u_m1 v_m1 : R,
  is_derive (fun u_p1 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_p1 (v_p1 * y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d11 : forall v_p0 y0 u_p0 u_m0 v_m0 y1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun v_p0 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_p0 (u_p0 * y0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d12 : forall v_p1 y0 u_p0 v_p0 u_m0 v_m0 y1 u_p1 u_m1 v_m1 : R,
  is_derive (fun v_p1 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_p1 (u_p1 * y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d13 : forall u_m0 y0 u_p0 v_p0 v_m0 y1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun u_m0 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_m0 ((-1) * v_m0 * y0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d14 : forall u_m1 y0 u_p0 v_p0 u_m0 v_m0 y1 u_p1 v_p1 v_m1 : R,
  is_derive (fun u_m1 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) u_m1 ((-1) * v_m1 * y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d15 : forall v_m0 y0 u_p0 v_p0 u_m0 y1 u_p1 v_p1 u_m1 v_m1 : R,
  is_derive (fun v_m0 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_m0 ((-1) * u_m0 * y0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma kernel_by_gradients_d16 : forall v_m1 y0 u_p0 v_p0 u_m0 v_m0 y1 u_p1 v_p1 u_m1 : R,
  is_derive (fun v_m1 => y0 * (u_p0 * v_p0 - u_m0 * v_m0) + y1 * (u_p1 * v_p1 - u_m1 * v_m1)) v_m1 ((-1) * u_m1 * y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
