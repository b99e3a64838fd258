From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/bottleneck, sum_of_squares *)

Lemma sum_of_squares_1 : forall s1 p0 q0 s2 p1 q1 : R,
  0 < s1 ->
  0 < s2 ->
  p0 ^ 2 + p1 ^ 2 <> 0 ->
  (1 / 2) * (- s1 + p0 * q0) ^ 2 + (1 / 2) * (- s2 + p1 * q1) ^ 2 + (1 / 2) * p0 ^ 2 * q1 ^ 2 + (1 / 2) * p1 ^ 2 * q0 ^ 2 =
  (1 / 2) * s2 ^ 2 + (1 / 2) * (p0 ^ 2 + p1 ^ 2) * ((q0 - p0 * s1 / (p0 ^ 2 + p1 ^ 2)) ^ 2 + (q1 - p1 * s2 / (p0 ^ 2 + p1 ^ 2)) ^ 2) + (1 / 2) * p1 ^ 2 * (s1 ^ 2 - s2 ^ 2) / (p0 ^ 2 + p1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
