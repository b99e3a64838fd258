From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/minima-manifold, tangent_of_the_minima *)

Lemma tangent_of_the_minima_1 : forall eta_a b0 a b1 : R,
  0 < eta_a ->
  0 < a ->
  eta_a * b0 ^ 2 / a + eta_a * b1 ^ 2 / a - a * eta_a * (b0 ^ 2 / a ^ 2 + b1 ^ 2 / a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
