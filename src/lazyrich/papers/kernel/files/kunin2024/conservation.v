From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/conservation, delta_stands_still *)

Lemma delta_stands_still_1 : forall a eta_a eta_w w0 g00 g01 w1 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  0 < eta_a ->
  0 < eta_w ->
  - 2 * a * eta_a * eta_w * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 - b1 * w1 - b2 * w2 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1 + g02 * w2) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1 + g12 * w2) + (1 / 2) * w2 * a * (g02 * w0 + g12 * w1 + g22 * w2)) + 2 * w0 * eta_a * eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2 + (1 / 2) * g02 * w2 * a ^ 2) + 2 * w1 * eta_a * eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2 + (1 / 2) * g12 * w2 * a ^ 2) + 2 * w2 * eta_a * eta_w * ((1 / 2) * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b2 * a + (1 / 2) * g02 * w0 * a ^ 2 + (1 / 2) * g12 * w1 * a ^ 2 + (1 / 2) * g22 * w2 * a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
