From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/nothing-but-subsets, one_mode_at_a_time *)

Lemma one_mode_at_a_time_1 : forall p0 s2 p1 q1 q0 s1 : R,
  0 < s2 ->
  0 < s1 ->
  p0 * (s2 * (p1 * (- s2 + p1 * q1) + q1 * p0 ^ 2) + (p0 ^ 2 + p1 ^ 2) * (p1 * q0 ^ 2 + q1 * (- s2 + p1 * q1))) - p1 * (s1 * (p0 * (- s1 + p0 * q0) + q0 * p1 ^ 2) + (p0 ^ 2 + p1 ^ 2) * (p0 * q1 ^ 2 + q0 * (- s1 + p0 * q0))) =
  p0 * p1 * (s1 ^ 2 - s2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
