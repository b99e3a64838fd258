From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/inflection, steepest *)

Lemma steepest_1 : forall L a s : R,
  0 < L ->
  0 < a ->
  0 < s ->
  - 2 + 3 * L <> 0 ->
  - L * Rpower a (2 - 2 / L) + L * Rpower a (2 - 2 / L) * (2 - 2 / L) * (s - a) / a =
  Rpower a (1 - 2 / L) * (- 2 + 3 * L) * (- a + s * (- 2 + 2 * L) / (- 2 + 3 * L)).
Proof.
  intros.
  unfold Rpower in *.
  rewrite ?ln_mult in * by positive.
  pose proof (exp_ln a ltac:(positive)); set (log_a := ln a) in *; clearbody log_a.
  subst a.
  assert (E : exp ((2 - 2 / L) * (log_a)) = exp (log_a) ^ 2 * / exp (2 * log_a / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((1 - 2 / L) * (log_a)) = exp (log_a) ^ 1 * / exp (2 * log_a / L) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (log_a)).
  set (power1 := exp (log_a)) in *; clearbody power1.
  pose proof (exp_pos (2 * log_a / L)).
  set (power2 := exp (2 * log_a / L)) in *; clearbody power2.
  field; nonzero.
Qed.
