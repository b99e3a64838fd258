From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/preconditioned-flow, product_rule *)

Lemma product_rule_1 : forall w0 eta_a g00 a g01 w1 g02 w2 g11 g12 g22 b0 b1 b2 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  - w0 * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 - b1 * w1 - b2 * w2 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1 + g02 * w2) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1 + g12 * w2) + (1 / 2) * w2 * a * (g02 * w0 + g12 * w1 + g22 * w2)) - a * eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2 + (1 / 2) * g02 * w2 * a ^ 2) =
  - (eta_a * w0 ^ 2 + eta_w * a ^ 2) * (- b0 + g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - w0 * w1 * eta_a * (- b1 + g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) - w0 * w2 * eta_a * (- b2 + g02 * w0 * a + g12 * w1 * a + g22 * w2 * a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma product_rule_2 : forall w1 eta_a w0 g00 a g01 g02 w2 g11 g12 g22 b0 b1 b2 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  - w1 * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 - b1 * w1 - b2 * w2 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1 + g02 * w2) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1 + g12 * w2) + (1 / 2) * w2 * a * (g02 * w0 + g12 * w1 + g22 * w2)) - a * eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2 + (1 / 2) * g12 * w2 * a ^ 2) =
  - (eta_a * w1 ^ 2 + eta_w * a ^ 2) * (- b1 + g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) - w0 * w1 * eta_a * (- b0 + g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - w1 * w2 * eta_a * (- b2 + g02 * w0 * a + g12 * w1 * a + g22 * w2 * a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma product_rule_3 : forall w2 eta_a w0 g00 a g01 w1 g02 g11 g12 g22 b0 b1 b2 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  - w2 * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 - b1 * w1 - b2 * w2 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1 + g02 * w2) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1 + g12 * w2) + (1 / 2) * w2 * a * (g02 * w0 + g12 * w1 + g22 * w2)) - a * eta_w * ((1 / 2) * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b2 * a + (1 / 2) * g02 * w0 * a ^ 2 + (1 / 2) * g12 * w1 * a ^ 2 + (1 / 2) * g22 * w2 * a ^ 2) =
  - (eta_a * w2 ^ 2 + eta_w * a ^ 2) * (- b2 + g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - w0 * w2 * eta_a * (- b0 + g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - w1 * w2 * eta_a * (- b1 + g01 * w0 * a + g11 * w1 * a + g12 * w2 * a).
Proof.
  intros.
  field; nonzero.
Qed.
