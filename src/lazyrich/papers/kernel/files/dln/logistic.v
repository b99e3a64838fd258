From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/logistic, solves_its_equation *)

Lemma solves_its_equation_1 : forall s a t : R,
  0 < s ->
  0 < a ->
  0 < t ->
  1 + (- 1 + s / a) * exp ((-2) * s * t) <> 0 ->
  2 * s ^ 2 * (- 1 + s / a) * exp ((-2) * s * t) / (1 + (- 1 + s / a) * exp ((-2) * s * t)) ^ 2 =
  2 * s * (s - s / (1 + (- 1 + s / a) * exp ((-2) * s * t))) / (1 + (- 1 + s / a) * exp ((-2) * s * t)).
Proof.
  intros.
  assert (E : exp ((-2) * s * t) = / exp (2 * s * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * s * t)).
  set (power1 := exp (2 * s * t)) in *; clearbody power1.
  field; nonzero.
Qed.
