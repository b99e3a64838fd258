From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/lemma-4, into_the_quadrant *)

Lemma into_the_quadrant_1 : forall eta_a b0 w0 b1 w1 b2 w2 : R,
  0 < eta_a ->
  (-1) * eta_a * (- b0 * w0 - b1 * w1 - b2 * w2) =
  eta_a * (b0 * w0 + b1 * w1 + b2 * w2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma into_the_quadrant_2 : forall b0 eta_w a b1 w1 b2 w2 : R,
  0 < eta_w ->
  0 < a ->
  b0 <> 0 ->
  - b0 * eta_w * (- b0 * a + a ^ 2 * (- b1 * w1 - b2 * w2) / b0) - b1 * eta_w * (w1 * a ^ 2 - b1 * a) - b2 * eta_w * (w2 * a ^ 2 - b2 * a) =
  a * eta_w * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
