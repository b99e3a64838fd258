From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/lemma-4-in-general, falling_loss *)

Lemma falling_loss_1 : forall eta_a w0 g00 a g01 w1 g11 b0 b1 eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  - eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)) ^ 2 - eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2) ^ 2 - eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2) ^ 2 =
  - eta_a * (w0 * (- b0 + g00 * w0 * a + g01 * w1 * a) + w1 * (- b1 + g01 * w0 * a + g11 * w1 * a)) ^ 2 - eta_w * a ^ 2 * ((- b0 + g00 * w0 * a + g01 * w1 * a) ^ 2 + (- b1 + g01 * w0 * a + g11 * w1 * a) ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
