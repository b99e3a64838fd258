From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/nuclear-norm-commuting, mirror_of_depth_two *)

Lemma mirror_of_depth_two_1 : forall g u epsilon : R,
  0 < g ->
  0 < u ->
  0 < epsilon ->
  (-1) * g * u * ((1 / 2) * (2 + ln (u ^ 2 / epsilon)) / u - (1 / 2) * (u + u * (- 1 + ln (u ^ 2 / epsilon))) / u ^ 2) =
  (-1) * g.
Proof.
  intros.
  field; nonzero.
Qed.
