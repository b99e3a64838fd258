From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/most-ways-out, curvature_at_the_origin *)

Lemma curvature_at_the_origin_1 : forall x s u : R,
  x ^ 12 + s ^ 6 * u ^ 6 + x ^ 2 * (- 3 * s ^ 4 * u ^ 6 - 3 * s ^ 6 * u ^ 4) + x ^ 4 * (3 * s ^ 2 * u ^ 6 + 3 * s ^ 6 * u ^ 2 + 9 * s ^ 4 * u ^ 4) + x ^ 6 * (- s ^ 6 - u ^ 6 - 9 * s ^ 2 * u ^ 4 - 9 * s ^ 4 * u ^ 2) + x ^ 8 * (3 * s ^ 4 + 3 * u ^ 4 + 9 * s ^ 2 * u ^ 2) + x ^ 10 * (- 3 * s ^ 2 - 3 * u ^ 2) =
  (x ^ 2 - s ^ 2) ^ 3 * (x ^ 2 - u ^ 2) ^ 3.
Proof.
  intros.
  field; nonzero.
Qed.
