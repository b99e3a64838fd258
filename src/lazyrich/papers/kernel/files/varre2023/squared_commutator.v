From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/squared-commutator, drift_of_the_square *)

Lemma drift_of_the_square_1 : forall y0 z1 y1 z0 y2 z2 : R,
  (y0 * z1 - y1 * z0) ^ 2 + (y1 * z0 - y0 * z1) ^ 2 + (y2 * z0 - y0 * z2) * (- 2 * y2 * z0 + 2 * y0 * z2) + (y2 * z1 - y1 * z2) * (- 2 * y2 * z1 + 2 * y1 * z2) =
  - 2 * (y0 * z2 - y2 * z0) ^ 2 - 2 * (y1 * z2 - y2 * z1) ^ 2 + 2 * (y0 * z1 - y1 * z0) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
