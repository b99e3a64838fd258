From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/never-zero, across_is_left *)

Lemma across_is_left_1 : forall b1 eta_w w2 a b2 w1 : R,
  0 < eta_w ->
  0 < a ->
  b1 * eta_w * (w2 * a ^ 2 - b2 * a) - b2 * eta_w * (w1 * a ^ 2 - b1 * a) =
  (-1) * eta_w * a ^ 2 * (b2 * w1 - b1 * w2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma across_is_left_2 : forall b2 eta_w w0 a b0 w2 : R,
  0 < eta_w ->
  0 < a ->
  b2 * eta_w * (w0 * a ^ 2 - b0 * a) - b0 * eta_w * (w2 * a ^ 2 - b2 * a) =
  (-1) * eta_w * a ^ 2 * (b0 * w2 - b2 * w0).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma across_is_left_3 : forall b0 eta_w w1 a b1 w0 : R,
  0 < eta_w ->
  0 < a ->
  b0 * eta_w * (w1 * a ^ 2 - b1 * a) - b1 * eta_w * (w0 * a ^ 2 - b0 * a) =
  (-1) * eta_w * a ^ 2 * (b1 * w0 - b0 * w1).
Proof.
  intros.
  field; nonzero.
Qed.
