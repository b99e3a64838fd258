From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/lazy-rate, rate_in_the_limit *)

Lemma rate_in_the_limit_1 : forall a s : R,
  0 < a ->
  0 < s ->
  - 2 * a ^ 3 + 2 * s * a ^ 2 =
  2 * a ^ 2 * (s - a).
Proof.
  intros.
  field; nonzero.
Qed.
