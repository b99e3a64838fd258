From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/midpoint-rate, growth_with_depth *)

Lemma growth_with_depth_1 : forall L s : R,
  0 < L ->
  0 < s ->
  / (L) + 2 * (- ln 2 + ln s) / L - (- 2 + 2 * L) * (- ln 2 + ln s) / L ^ 2 =
  (L - 2 * ln 2 + 2 * ln s) / L ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
