From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/singular-where-a-is-zero, determinant_of_M *)

Lemma determinant_of_M_1 : forall a eta_w eta_a w0 w1 w2 : R,
  0 < a ->
  0 < eta_w ->
  0 < eta_a ->
  a ^ 6 * eta_w ^ 3 + eta_a * w0 ^ 2 * a ^ 4 * eta_w ^ 2 + eta_a * w1 ^ 2 * a ^ 4 * eta_w ^ 2 + eta_a * w2 ^ 2 * a ^ 4 * eta_w ^ 2 =
  a ^ 4 * eta_w ^ 2 * (eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) + eta_w * a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma determinant_of_M_2 : forall eta_a b0 w0 b1 w1 b2 w2 : R,
  0 < eta_a ->
  (-1) * eta_a * (- b0 * w0 - b1 * w1 - b2 * w2) =
  eta_a * (b0 * w0 + b1 * w1 + b2 * w2).
Proof.
  intros.
  field; nonzero.
Qed.
