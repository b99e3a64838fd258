From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/nu-closed-form, riccati_solved *)

Lemma riccati_solved_1 : forall v_R t delta nu0 : R,
  0 < v_R ->
  0 < t ->
  0 < delta ->
  0 < nu0 ->
  (delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t)) <> 0 ->
  (((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) + (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) * (- (delta + 2 * nu0) * ((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) - 2 * v_R * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2 =
  v_R ^ 2 - (1 / 4) * delta ^ 2 - (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2 / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2 - delta * (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))).
Proof.
  intros.
  assert (E : exp ((-1) * v_R * t) = / exp (v_R * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (v_R * t)).
  set (power1 := exp (v_R * t)) in *; clearbody power1.
  field; nonzero.
Qed.
