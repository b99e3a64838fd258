From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/omega-closed-form, omega_solved *)

Lemma omega_solved_d1 : forall t delta upsilon0 v_R : R,
  0 < t ->
  0 < delta ->
  0 < upsilon0 ->
  0 < v_R ->
  - 4 * v_R + 2 * delta <> 0 ->
  is_derive (fun t => (- 1 + exp (delta * t)) * (upsilon0 ^ 2 - (1 + (1 / 2) * delta * upsilon0) ^ 2 / v_R ^ 2) / delta + (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) ^ 2 * (- 1 + exp (t * (delta + 2 * v_R))) / (2 * delta + 4 * v_R) + (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) ^ 2 * (- 1 + exp (t * (delta - 2 * v_R))) / (- 4 * v_R + 2 * delta)) t ((upsilon0 ^ 2 - (1 + (1 / 2) * delta * upsilon0) ^ 2 / v_R ^ 2) * exp (delta * t) + (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) ^ 2 * (delta + 2 * v_R) * exp (t * (delta + 2 * v_R)) / (2 * delta + 4 * v_R) + (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) ^ 2 * (delta - 2 * v_R) * exp (t * (delta - 2 * v_R)) / (- 4 * v_R + 2 * delta)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma omega_solved_d2 : forall t delta upsilon0 v_R : R,
  0 < t ->
  0 < delta ->
  0 < upsilon0 ->
  0 < v_R ->
  is_derive (fun t => (1 / 2) * (1 + (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (1 - (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * exp (t * ((1 / 2) * delta - v_R))) t ((1 / 2) * (1 + (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * (v_R + (1 / 2) * delta) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (1 - (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * ((1 / 2) * delta - v_R) * exp (t * ((1 / 2) * delta - v_R))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma omega_solved_d3 : forall t upsilon0 delta v_R : R,
  0 < t ->
  0 < upsilon0 ->
  0 < delta ->
  0 < v_R ->
  is_derive (fun t => (1 / 2) * (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * ((1 / 2) * delta - v_R))) t ((1 / 2) * (v_R + (1 / 2) * delta) * (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) * ((1 / 2) * delta - v_R) * exp (t * ((1 / 2) * delta - v_R))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
