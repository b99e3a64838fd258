From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/index-along-a-family, curvature_along_a_family *)

Lemma curvature_along_a_family_1 : forall x a b s u : R,
  x ^ 12 + x ^ 6 * (- a ^ 2 * b ^ 4 * s ^ 2 * u ^ 4 - a ^ 2 * b ^ 4 * s ^ 4 * u ^ 2 - a ^ 4 * b ^ 2 * s ^ 2 * u ^ 4 - a ^ 4 * b ^ 2 * s ^ 4 * u ^ 2) + x ^ 8 * (a ^ 2 * b ^ 2 * s ^ 4 + a ^ 2 * b ^ 2 * u ^ 4 + a ^ 4 * s ^ 2 * u ^ 2 + b ^ 4 * s ^ 2 * u ^ 2 + 2 * a ^ 2 * b ^ 2 * s ^ 2 * u ^ 2) + x ^ 10 * (- a ^ 2 * s ^ 2 - a ^ 2 * u ^ 2 - b ^ 2 * s ^ 2 - b ^ 2 * u ^ 2) + a ^ 4 * b ^ 4 * s ^ 4 * u ^ 4 * x ^ 4 =
  x ^ 4 * (x ^ 2 - a ^ 2 * s ^ 2) * (x ^ 2 - a ^ 2 * u ^ 2) * (x ^ 2 - b ^ 2 * s ^ 2) * (x ^ 2 - b ^ 2 * u ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
