From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/slow-outer-layer, gradients_of_the_layers *)

Lemma gradients_of_the_layers_1 : forall p0 w0 p1 w1 p2 w2 a : R,
  0 < a ->
  - (p0 * w0 + p1 * w1 + p2 * w2) ^ 2 + (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) * (p0 ^ 2 * a ^ 2 + p1 ^ 2 * a ^ 2 + p2 ^ 2 * a ^ 2) / a ^ 2 =
  (p0 * w2 - p2 * w0) ^ 2 + (p1 * w0 - p0 * w1) ^ 2 + (p2 * w1 - p1 * w2) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
