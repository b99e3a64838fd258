From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/deep-inverse, sherman_morrison *)

Lemma sherman_morrison_1 : forall L s : R,
  0 < L ->
  0 < s ->
  1 + L - L * Rpower s (2 + 4 * L) / (s ^ 2 * Rpower s (4 * L) + L * s ^ 2 * Rpower s (4 * L)) - L ^ 2 * Rpower s (2 + 4 * L) / (s ^ 2 * Rpower s (4 * L) + L * s ^ 2 * Rpower s (4 * L)) =
  1.
Proof.
  intros.
  unfold Rpower in *.
  rewrite ?ln_mult in * by positive.
  pose proof (exp_ln s ltac:(positive)); set (log_s := ln s) in *; clearbody log_s.
  subst s.
  assert (E : exp ((2 + 4 * L) * (log_s)) = exp (log_s) ^ 2 * exp (4 * log_s * L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((4 * L) * (log_s)) = exp (4 * log_s * L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (log_s)).
  set (power1 := exp (log_s)) in *; clearbody power1.
  pose proof (exp_pos (4 * log_s * L)).
  set (power2 := exp (4 * log_s * L)) in *; clearbody power2.
  field; nonzero.
Qed.
