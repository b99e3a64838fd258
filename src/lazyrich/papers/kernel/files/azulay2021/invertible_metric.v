From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/invertible-metric, determinant_of_the_dynamics *)

Lemma determinant_of_the_dynamics_1 : forall delta w0 w1 w2 : R,
  0 < delta ->
  delta ^ 3 + 2 * w0 ^ 6 + 2 * w1 ^ 6 + 2 * w2 ^ 6 + 4 * w0 ^ 2 * delta ^ 2 + 4 * w1 ^ 2 * delta ^ 2 + 4 * w2 ^ 2 * delta ^ 2 + 5 * delta * w0 ^ 4 + 5 * delta * w1 ^ 4 + 5 * delta * w2 ^ 4 + 6 * w0 ^ 2 * w1 ^ 4 + 6 * w0 ^ 2 * w2 ^ 4 + 6 * w0 ^ 4 * w1 ^ 2 + 6 * w0 ^ 4 * w2 ^ 2 + 6 * w1 ^ 2 * w2 ^ 4 + 6 * w1 ^ 4 * w2 ^ 2 + 10 * delta * w0 ^ 2 * w1 ^ 2 + 10 * delta * w0 ^ 2 * w2 ^ 2 + 10 * delta * w1 ^ 2 * w2 ^ 2 + 12 * w0 ^ 2 * w1 ^ 2 * w2 ^ 2 =
  (delta + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) ^ 2 * (delta + 2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
