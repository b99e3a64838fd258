From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/nothing-but-subsets, one_mode_at_a_time *)

Lemma one_mode_at_a_time_d1 : forall q0 s1 p0 s2 p1 q1 : R,
  0 < s1 ->
  0 < s2 ->
  is_derive (fun q0 => (1 / 2) * (- s1 + p0 * q0) ^ 2 + (1 / 2) * (- s2 + p1 * q1) ^ 2 + (1 / 2) * p0 ^ 2 * q1 ^ 2 + (1 / 2) * p1 ^ 2 * q0 ^ 2) q0 (p0 * (- s1 + p0 * q0) + q0 * p1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma one_mode_at_a_time_d2 : forall q1 s1 p0 q0 s2 p1 : R,
  0 < s1 ->
  0 < s2 ->
  is_derive (fun q1 => (1 / 2) * (- s1 + p0 * q0) ^ 2 + (1 / 2) * (- s2 + p1 * q1) ^ 2 + (1 / 2) * p0 ^ 2 * q1 ^ 2 + (1 / 2) * p1 ^ 2 * q0 ^ 2) q1 (p1 * (- s2 + p1 * q1) + q1 * p0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma one_mode_at_a_time_d3 : forall p0 s1 q0 s2 p1 q1 : R,
  0 < s1 ->
  0 < s2 ->
  is_derive (fun p0 => (1 / 2) * (- s1 + p0 * q0) ^ 2 + (1 / 2) * (- s2 + p1 * q1) ^ 2 + (1 / 2) * p0 ^ 2 * q1 ^ 2 + (1 / 2) * p1 ^ 2 * q0 ^ 2) p0 (p0 * q1 ^ 2 + q0 * (- s1 + p0 * q0)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma one_mode_at_a_time_d4 : forall p1 s1 p0 q0 s2 q1 : R,
  0 < s1 ->
  0 < s2 ->
  is_derive (fun p1 => (1 / 2) * (- s1 + p0 * q0) ^ 2 + (1 / 2) * (- s2 + p1 * q1) ^ 2 + (1 / 2) * p0 ^ 2 * q1 ^ 2 + (1 / 2) * p1 ^ 2 * q0 ^ 2) p1 (p1 * q0 ^ 2 + q1 * (- s2 + p1 * q1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
