From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/definition-12-is-downstream, across_the_last_layer *)

Lemma across_the_last_layer_1 : forall a0 a1 w2 w3 w0 w1 : R,
  a0 * (a0 * (a1 ^ 2 - w2 ^ 2 - w3 ^ 2) - a1 * (a0 * a1 - w0 * w2 - w1 * w3)) - a1 * (a0 * (a0 * a1 - w0 * w2 - w1 * w3) - a1 * (a0 ^ 2 - w0 ^ 2 - w1 ^ 2)) =
  - (a0 * w2 - a1 * w0) ^ 2 - (a0 * w3 - a1 * w1) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
