From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/two-homogeneous, both_models *)

Lemma both_models_1 : forall x0 w0 a w2 x1 w1 w3 : R,
  0 < a ->
  x0 * (w0 ^ 2 * a ^ 2 - w2 ^ 2 * a ^ 2) + x1 * (w1 ^ 2 * a ^ 2 - w3 ^ 2 * a ^ 2) =
  a ^ 2 * (x0 * (w0 ^ 2 - w2 ^ 2) + x1 * (w1 ^ 2 - w3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma both_models_2 : forall w0 a w1 x0 w2 x1 : R,
  0 < a ->
  w0 * a * (w1 * x0 * a + w2 * x1 * a) =
  w0 * a ^ 2 * (w1 * x0 + w2 * x1).
Proof.
  intros.
  field; nonzero.
Qed.
