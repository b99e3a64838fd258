From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/descent, how_the_loss_falls *)

Lemma how_the_loss_falls_d1 : forall a0 y0 b0 x0 a2 x1 b2 a1 a3 y1 b1 b3 : R,
  is_derive (fun a0 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) a0 (b0 * x0 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) + b1 * x0 * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d2 : forall a1 y0 b0 a0 x0 a2 x1 b2 a3 y1 b1 b3 : R,
  is_derive (fun a1 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) a1 (b2 * x0 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) + b3 * x0 * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d3 : forall a2 y0 b0 a0 x0 x1 b2 a1 a3 y1 b1 b3 : R,
  is_derive (fun a2 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) a2 (b0 * x1 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) + b1 * x1 * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d4 : forall a3 y0 b0 a0 x0 a2 x1 b2 a1 y1 b1 b3 : R,
  is_derive (fun a3 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) a3 (b2 * x1 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) + b3 * x1 * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d5 : forall b0 y0 a0 x0 a2 x1 b2 a1 a3 y1 b1 b3 : R,
  is_derive (fun b0 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) b0 ((1 / 2) * (2 * a0 * x0 + 2 * a2 * x1) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d6 : forall b1 y0 b0 a0 x0 a2 x1 b2 a1 a3 y1 b3 : R,
  is_derive (fun b1 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) b1 ((1 / 2) * (2 * a0 * x0 + 2 * a2 * x1) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d7 : forall b2 y0 b0 a0 x0 a2 x1 a1 a3 y1 b1 b3 : R,
  is_derive (fun b2 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) b2 ((1 / 2) * (2 * a1 * x0 + 2 * a3 * x1) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma how_the_loss_falls_d8 : forall b3 y0 b0 a0 x0 a2 x1 b2 a1 a3 y1 b1 : R,
  is_derive (fun b3 => (1 / 2) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b2 * (a1 * x0 + a3 * x1)) ^ 2 + (1 / 2) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1)) ^ 2) b3 ((1 / 2) * (2 * a1 * x0 + 2 * a3 * x1) * (- y1 + b1 * (a0 * x0 + a2 * x1) + b3 * (a1 * x0 + a3 * x1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
