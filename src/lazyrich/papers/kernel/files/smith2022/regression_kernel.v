From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/regression-kernel, by_the_gradient *)

Lemma by_the_gradient_1 : forall x0 z0 a x1 z1 : R,
  8 * x0 * z0 * a ^ 2 + 8 * x1 * z1 * a ^ 2 =
  8 * a ^ 2 * (x0 * z0 + x1 * z1).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_the_gradient_2 : forall a x0 w2 x1 w3 w0 w1 : R,
  - 2 * a * x0 * (w2 - a) - 2 * a * x1 * (w3 - a) + 2 * a * x0 * (w0 - a) + 2 * a * x1 * (w1 - a) =
  2 * a * (x0 * (w0 - w2) + x1 * (w1 - w3)).
Proof.
  intros.
  field; nonzero.
Qed.
