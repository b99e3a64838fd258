From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/any-continuous-function, homogeneous *)

Lemma homogeneous_1 : forall a0 w0 gamma a1 w1 : R,
  2 + a0 * (w0 * (1 + gamma) + (1 - gamma) * Rabs w0) + a1 * (w1 * (1 + gamma) + (1 - gamma) * Rabs w1) - (1 / 2) * a0 * (2 * w0 * (1 + gamma) + 2 * (1 - gamma) * Rabs w0) - (1 / 2) * a1 * (2 * w1 * (1 + gamma) + 2 * (1 - gamma) * Rabs w1) =
  2.
Proof.
  intros.
  field; nonzero.
Qed.
