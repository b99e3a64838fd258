From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/schatten, mirror_of_depth_l *)

Lemma mirror_of_depth_l_1 : forall L g a a0 : R,
  0 < L ->
  0 < g ->
  0 < a ->
  0 < a0 ->
  (-1) * L * g * Rpower a (2 - 2 / L) * (Rpower a (2 / L) * Rpower a0 (1 - 2 / L) / a ^ 2 - 2 * Rpower a (2 / L) * Rpower a0 (1 - 2 / L) / L / a ^ 2) =
  g * Rpower a0 (1 - 2 / L) * (2 - L).
Proof.
  intros.
  unfold Rpower in *.
  rewrite ?ln_mult in * by positive.
  pose proof (exp_ln a ltac:(positive)); set (log_a := ln a) in *; clearbody log_a.
  subst a.
  pose proof (exp_ln a0 ltac:(positive)); set (log_a0 := ln a0) in *; clearbody log_a0.
  subst a0.
  assert (E : exp ((2 - 2 / L) * (log_a)) = exp (log_a) ^ 2 * / exp (2 * log_a / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((2 / L) * (log_a)) = exp (2 * log_a / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((1 - 2 / L) * (log_a0)) = exp (log_a0) ^ 1 * / exp (2 * log_a0 / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (log_a)).
  set (power1 := exp (log_a)) in *; clearbody power1.
  pose proof (exp_pos (log_a0)).
  set (power2 := exp (log_a0)) in *; clearbody power2.
  pose proof (exp_pos (2 * log_a / L)).
  set (power3 := exp (2 * log_a / L)) in *; clearbody power3.
  pose proof (exp_pos (2 * log_a0 / L)).
  set (power4 := exp (2 * log_a0 / L)) in *; clearbody power4.
  field; nonzero.
Qed.

Lemma mirror_of_depth_l_2 : forall a0 L : R,
  0 < a0 ->
  0 < L ->
  1 - Rpower a0 (2 / L) * Rpower a0 (1 - 2 / L) / a0 =
  0.
Proof.
  intros.
  unfold Rpower in *.
  rewrite ?ln_mult in * by positive.
  pose proof (exp_ln a0 ltac:(positive)); set (log_a0 := ln a0) in *; clearbody log_a0.
  subst a0.
  assert (E : exp ((2 / L) * (log_a0)) = exp (2 * log_a0 / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((1 - 2 / L) * (log_a0)) = exp (log_a0) ^ 1 * / exp (2 * log_a0 / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (log_a0)).
  set (power1 := exp (log_a0)) in *; clearbody power1.
  pose proof (exp_pos (2 * log_a0 / L)).
  set (power2 := exp (2 * log_a0 / L)) in *; clearbody power2.
  field; nonzero.
Qed.
