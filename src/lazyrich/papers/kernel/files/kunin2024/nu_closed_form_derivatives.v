From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/nu-closed-form, riccati_solved *)

Lemma riccati_solved_d1 : forall t v_R delta nu0 : R,
  0 < t ->
  0 < v_R ->
  0 < delta ->
  0 < nu0 ->
  (delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t)) <> 0 ->
  is_derive (fun t => (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t)))) t ((((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) + (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2 - delta * nu0) + 2 * v_R * nu0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) * (- (delta + 2 * nu0) * ((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) - 2 * v_R * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / ((delta + 2 * nu0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
