From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/gradient-flow, by_differentiating *)

Lemma by_differentiating_1 : forall b0 x0 y0 a0 a2 x1 b1 a1 a3 : R,
  (-1) * b0 * x0 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) =
  b0 * x0 * (y0 - b0 * (a0 * x0 + a2 * x1) - b1 * (a1 * x0 + a3 * x1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_differentiating_2 : forall b1 x0 y0 b0 a0 a2 x1 a1 a3 : R,
  (-1) * b1 * x0 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) =
  b1 * x0 * (y0 - b0 * (a0 * x0 + a2 * x1) - b1 * (a1 * x0 + a3 * x1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_differentiating_3 : forall b0 x1 y0 a0 x0 a2 b1 a1 a3 : R,
  (-1) * b0 * x1 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) =
  b0 * x1 * (y0 - b0 * (a0 * x0 + a2 * x1) - b1 * (a1 * x0 + a3 * x1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_differentiating_4 : forall b1 x1 y0 b0 a0 x0 a2 a1 a3 : R,
  (-1) * b1 * x1 * (- y0 + b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) =
  b1 * x1 * (y0 - b0 * (a0 * x0 + a2 * x1) - b1 * (a1 * x0 + a3 * x1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_differentiating_5 : forall a0 x0 a2 x1 y0 b0 b1 a1 a3 : R,
  (-1 / 2) * (2 * a0 * x0 + 2 * a2 * x1) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) =
  (a0 * x0 + a2 * x1) * (y0 - b0 * (a0 * x0 + a2 * x1) - b1 * (a1 * x0 + a3 * x1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_differentiating_6 : forall a1 x0 a3 x1 y0 b0 a0 a2 b1 : R,
  (-1 / 2) * (2 * a1 * x0 + 2 * a3 * x1) * (- y0 + b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) =
  (a1 * x0 + a3 * x1) * (y0 - b0 * (a0 * x0 + a2 * x1) - b1 * (a1 * x0 + a3 * x1)).
Proof.
  intros.
  field; nonzero.
Qed.
