From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/start-of-the-product, square_of_a_rotation *)

Lemma square_of_a_rotation_1 : forall c x : R,
  0 < c ->
  0 < x ->
  c ^ 2 * (1 - x ^ 2) ^ 2 / (1 + x ^ 2) ^ 2 + 4 * c ^ 2 * x ^ 2 / (1 + x ^ 2) ^ 2 =
  c ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
