From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/slope-of-q, derivative_of_q *)

Lemma derivative_of_q_1 : forall a r : R,
  0 < a ->
  0 < r ->
  (2 * a * r - a * r * (a ^ 2 - r ^ 2) / (a ^ 2 + r ^ 2)) / a + (a ^ 2 * r ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - r ^ 2)) / r / (a ^ 2 + r ^ 2) - (a ^ 2 * r ^ 2 - (1 / 2) * a ^ 2 * (a ^ 2 - r ^ 2)) / a ^ 2 / r =
  (3 / 2) * r.
Proof.
  intros.
  field; nonzero.
Qed.
