From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/self-consistent, closed_in_beta *)

Lemma closed_in_beta_1 : forall w0 eta_a g00 a g01 w1 g11 b0 b1 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 <> 0 ->
  - w0 * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) - a * eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2) =
  (- b0 + g00 * w0 * a + g01 * w1 * a) * ((1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2) - eta_w * a ^ 2 - (1 / 2) * eta_a * w0 ^ 2 - (1 / 2) * eta_a * w1 ^ 2 - w0 ^ 2 * a ^ 2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2)) - w0 * w1 * a ^ 2 * (- b1 + g01 * w0 * a + g11 * w1 * a) * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma closed_in_beta_2 : forall w1 eta_a w0 g00 a g01 g11 b0 b1 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 <> 0 ->
  - w1 * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) - a * eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2) =
  (- b1 + g01 * w0 * a + g11 * w1 * a) * ((1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2) - eta_w * a ^ 2 - (1 / 2) * eta_a * w0 ^ 2 - (1 / 2) * eta_a * w1 ^ 2 - w1 ^ 2 * a ^ 2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2)) - w0 * w1 * a ^ 2 * (- b0 + g00 * w0 * a + g01 * w1 * a) * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2)) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
