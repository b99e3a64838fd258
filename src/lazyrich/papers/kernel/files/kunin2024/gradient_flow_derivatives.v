From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/gradient-flow, slope_of_the_loss *)

Lemma slope_of_the_loss_d1 : forall a y0 w0 x0 w1 x1 y1 x2 x3 : R,
  is_derive (fun a => (1 / 2) * (- y0 + a * w0 * x0 + a * w1 * x1) ^ 2 + (1 / 2) * (- y1 + a * w0 * x2 + a * w1 * x3) ^ 2) a ((1 / 2) * (2 * w0 * x0 + 2 * w1 * x1) * (- y0 + a * w0 * x0 + a * w1 * x1) + (1 / 2) * (2 * w0 * x2 + 2 * w1 * x3) * (- y1 + a * w0 * x2 + a * w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slope_of_the_loss_d2 : forall w0 y0 a x0 w1 x1 y1 x2 x3 : R,
  is_derive (fun w0 => (1 / 2) * (- y0 + a * w0 * x0 + a * w1 * x1) ^ 2 + (1 / 2) * (- y1 + a * w0 * x2 + a * w1 * x3) ^ 2) w0 (a * x0 * (- y0 + a * w0 * x0 + a * w1 * x1) + a * x2 * (- y1 + a * w0 * x2 + a * w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slope_of_the_loss_d3 : forall w1 y0 a w0 x0 x1 y1 x2 x3 : R,
  is_derive (fun w1 => (1 / 2) * (- y0 + a * w0 * x0 + a * w1 * x1) ^ 2 + (1 / 2) * (- y1 + a * w0 * x2 + a * w1 * x3) ^ 2) w1 (a * x1 * (- y0 + a * w0 * x0 + a * w1 * x1) + a * x3 * (- y1 + a * w0 * x2 + a * w1 * x3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
