From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/transition-width, without_units *)

Lemma without_units_1 : forall L s x : R,
  0 < L ->
  0 < s ->
  0 < x ->
  L * Rpower s (- 2 + 2 / L) * Rpower (s * x) (2 - 2 / L) * (s - s * x) / s =
  L * Rpower x (2 - 2 / L) * (1 - x).
Proof.
  intros.
  unfold Rpower in *.
  rewrite ?ln_mult in * by positive.
  pose proof (exp_ln s ltac:(positive)); set (log_s := ln s) in *; clearbody log_s.
  subst s.
  pose proof (exp_ln x ltac:(positive)); set (log_x := ln x) in *; clearbody log_x.
  subst x.
  assert (E : exp ((- 2 + 2 / L) * (log_s)) = / exp (log_s) ^ 2 * exp (2 * log_s / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((2 - 2 / L) * (log_s + log_x)) = exp (log_s) ^ 2 * exp (log_x) ^ 2 * / exp (2 * log_s / L) ^ 1 * / exp (2 * log_x / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((2 - 2 / L) * (log_x)) = exp (log_x) ^ 2 * / exp (2 * log_x / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (log_s)).
  set (power1 := exp (log_s)) in *; clearbody power1.
  pose proof (exp_pos (log_x)).
  set (power2 := exp (log_x)) in *; clearbody power2.
  pose proof (exp_pos (2 * log_s / L)).
  set (power3 := exp (2 * log_s / L)) in *; clearbody power3.
  pose proof (exp_pos (2 * log_x / L)).
  set (power4 := exp (2 * log_x / L)) in *; clearbody power4.
  field; nonzero.
Qed.
