From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/fitting-bernoulli, logistic_solves *)

Lemma logistic_solves_1 : forall B mu0 t : R,
  0 < B ->
  0 < mu0 ->
  0 < t ->
  1 + (- 1 + B / mu0) * exp ((-2) * B * t) <> 0 ->
  2 * B ^ 2 * (- 1 + B / mu0) * exp ((-2) * B * t) / (1 + (- 1 + B / mu0) * exp ((-2) * B * t)) ^ 2 =
  2 * B * (B - B / (1 + (- 1 + B / mu0) * exp ((-2) * B * t))) / (1 + (- 1 + B / mu0) * exp ((-2) * B * t)).
Proof.
  intros.
  assert (E : exp ((-2) * B * t) = / exp (2 * B * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * B * t)).
  set (power1 := exp (2 * B * t)) in *; clearbody power1.
  field; nonzero.
Qed.
