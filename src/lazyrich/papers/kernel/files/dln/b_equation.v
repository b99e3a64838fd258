From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/b-equation, equation_of_b *)

Lemma equation_of_b_1 : forall b L s : R,
  0 < b ->
  0 < L ->
  0 < s ->
  2 * b * Rpower b ((-1 / 2) * L) * Rpower b ((1 / 2) * L * (2 - 2 / L)) * (s - Rpower b ((1 / 2) * L)) =
  2 * Rpower b ((1 / 2) * L) * (s - Rpower b ((1 / 2) * L)).
Proof.
  intros.
  unfold Rpower in *.
  rewrite ?ln_mult in * by positive.
  pose proof (exp_ln b ltac:(positive)); set (log_b := ln b) in *; clearbody log_b.
  subst b.
  assert (E : exp (((-1 / 2) * L) * (log_b)) = / exp ((1 / 2) * log_b * L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (((1 / 2) * L * (2 - 2 / L)) * (log_b)) = / exp (log_b) ^ 1 * exp ((1 / 2) * log_b * L) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (((1 / 2) * L) * (log_b)) = exp ((1 / 2) * log_b * L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (log_b)).
  set (power1 := exp (log_b)) in *; clearbody power1.
  pose proof (exp_pos ((1 / 2) * log_b * L)).
  set (power2 := exp ((1 / 2) * log_b * L)) in *; clearbody power2.
  field; nonzero.
Qed.
