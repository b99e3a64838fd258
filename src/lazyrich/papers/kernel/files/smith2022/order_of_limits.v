From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/order-of-limits, waiting_at_zero *)

Lemma waiting_at_zero_1 : forall a rate t : R,
  0 < a ->
  0 < rate ->
  0 < t ->
  a ^ 2 * exp (2 * rate * t) - a ^ 2 * exp ((-2) * rate * t) =
  2 * a ^ 2 * sinh (2 * rate * t).
Proof.
  intros.
  rewrite ?sinh_by_exp in *.
  assert (E : exp ((-2) * rate * t) = / exp (2 * rate * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * rate * t)).
  set (power1 := exp (2 * rate * t)) in *; clearbody power1.
  field; nonzero.
Qed.
