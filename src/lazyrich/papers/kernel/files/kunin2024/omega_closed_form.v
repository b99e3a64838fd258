From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/omega-closed-form, omega_solved *)

Lemma omega_solved_1 : forall upsilon0 delta v_R t : R,
  0 < upsilon0 ->
  0 < delta ->
  0 < v_R ->
  0 < t ->
  - 4 * v_R + 2 * delta <> 0 ->
  (upsilon0 ^ 2 - (1 + (1 / 2) * delta * upsilon0) ^ 2 / v_R ^ 2) * exp (delta * t) + (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) ^ 2 * (delta + 2 * v_R) * exp (t * (delta + 2 * v_R)) / (2 * delta + 4 * v_R) + (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) ^ 2 * (delta - 2 * v_R) * exp (t * (delta - 2 * v_R)) / (- 4 * v_R + 2 * delta) =
  2 * ((1 / 2) * (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * ((1 / 2) * delta - v_R))) ^ 2.
Proof.
  intros.
  assert (E : exp (delta * t) = exp ((1 / 2) * delta * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (t * (delta + 2 * v_R)) = exp ((1 / 2) * delta * t) ^ 2 * exp (v_R * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (t * (delta - 2 * v_R)) = exp ((1 / 2) * delta * t) ^ 2 * / exp (v_R * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (t * (v_R + (1 / 2) * delta)) = exp (v_R * t) ^ 1 * exp ((1 / 2) * delta * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (t * ((1 / 2) * delta - v_R)) = exp ((1 / 2) * delta * t) ^ 1 * / exp (v_R * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos ((1 / 2) * delta * t)).
  set (power1 := exp ((1 / 2) * delta * t)) in *; clearbody power1.
  pose proof (exp_pos (v_R * t)).
  set (power2 := exp (v_R * t)) in *; clearbody power2.
  field; nonzero.
Qed.

Lemma omega_solved_2 : forall delta upsilon0 v_R t : R,
  0 < delta ->
  0 < upsilon0 ->
  0 < v_R ->
  0 < t ->
  (1 / 2) * (1 + (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * (v_R + (1 / 2) * delta) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (1 - (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * ((1 / 2) * delta - v_R) * exp (t * ((1 / 2) * delta - v_R)) =
  (v_R ^ 2 - (1 / 4) * delta ^ 2) * ((1 / 2) * (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * ((1 / 2) * delta - v_R))).
Proof.
  intros.
  assert (E : exp (t * (v_R + (1 / 2) * delta)) = exp (v_R * t) ^ 1 * exp ((1 / 2) * delta * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (t * ((1 / 2) * delta - v_R)) = exp ((1 / 2) * delta * t) ^ 1 * / exp (v_R * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (v_R * t)).
  set (power1 := exp (v_R * t)) in *; clearbody power1.
  pose proof (exp_pos ((1 / 2) * delta * t)).
  set (power2 := exp ((1 / 2) * delta * t)) in *; clearbody power2.
  field; nonzero.
Qed.

Lemma omega_solved_3 : forall v_R delta upsilon0 t : R,
  0 < v_R ->
  0 < delta ->
  0 < upsilon0 ->
  0 < t ->
  (1 / 2) * (v_R + (1 / 2) * delta) * (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) * ((1 / 2) * delta - v_R) * exp (t * ((1 / 2) * delta - v_R)) =
  delta * ((1 / 2) * (upsilon0 + (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (upsilon0 - (1 + (1 / 2) * delta * upsilon0) / v_R) * exp (t * ((1 / 2) * delta - v_R))) + (1 / 2) * (1 + (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * exp (t * (v_R + (1 / 2) * delta)) + (1 / 2) * (1 - (- (1 / 2) * delta + upsilon0 * (v_R ^ 2 - (1 / 4) * delta ^ 2)) / v_R) * exp (t * ((1 / 2) * delta - v_R)).
Proof.
  intros.
  assert (E : exp (t * (v_R + (1 / 2) * delta)) = exp (v_R * t) ^ 1 * exp ((1 / 2) * delta * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (t * ((1 / 2) * delta - v_R)) = exp ((1 / 2) * delta * t) ^ 1 * / exp (v_R * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (v_R * t)).
  set (power1 := exp (v_R * t)) in *; clearbody power1.
  pose proof (exp_pos ((1 / 2) * delta * t)).
  set (power2 := exp ((1 / 2) * delta * t)) in *; clearbody power2.
  field; nonzero.
Qed.
