From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/gradient-flow, slope_of_the_loss *)

Lemma slope_of_the_loss_1 : forall w0 x0 w1 x1 y0 a x2 x3 y1 : R,
  - (1 / 2) * (2 * w0 * x0 + 2 * w1 * x1) * (- y0 + a * w0 * x0 + a * w1 * x1) - (1 / 2) * (2 * w0 * x2 + 2 * w1 * x3) * (- y1 + a * w0 * x2 + a * w1 * x3) =
  - w0 * (- x0 * y0 - x2 * y1 + a * w0 * (x0 ^ 2 + x2 ^ 2) + a * w1 * (x0 * x1 + x2 * x3)) - w1 * (- x1 * y0 - x3 * y1 + a * w0 * (x0 * x1 + x2 * x3) + a * w1 * (x1 ^ 2 + x3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma slope_of_the_loss_2 : forall a x0 y0 w0 w1 x1 x2 y1 x3 : R,
  - a * x0 * (- y0 + a * w0 * x0 + a * w1 * x1) - a * x2 * (- y1 + a * w0 * x2 + a * w1 * x3) =
  (-1) * a * (- x0 * y0 - x2 * y1 + a * w0 * (x0 ^ 2 + x2 ^ 2) + a * w1 * (x0 * x1 + x2 * x3)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma slope_of_the_loss_3 : forall a x1 y0 w0 x0 w1 x3 y1 x2 : R,
  - a * x1 * (- y0 + a * w0 * x0 + a * w1 * x1) - a * x3 * (- y1 + a * w0 * x2 + a * w1 * x3) =
  (-1) * a * (- x1 * y0 - x3 * y1 + a * w0 * (x0 * x1 + x2 * x3) + a * w1 * (x1 ^ 2 + x3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
