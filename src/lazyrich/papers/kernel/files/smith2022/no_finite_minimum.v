From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/no-finite-minimum, falls_in_the_scale *)

Lemma falls_in_the_scale_1 : forall a q : R,
  0 < a ->
  0 < q ->
  (-2) * a * q * exp ((-1) * q * a ^ 2) / (1 + exp ((-1) * q * a ^ 2)) =
  (-2) * a * q / (1 + exp (q * a ^ 2)).
Proof.
  intros.
  assert (E : exp ((-1) * q * a ^ 2) = / exp (q * a ^ 2) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (q * a ^ 2)).
  set (power1 := exp (q * a ^ 2)) in *; clearbody power1.
  field; nonzero.
Qed.
