From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/interpolation, mirror_map *)

Lemma mirror_map_1 : forall a z : R,
  0 < a ->
  0 < z ->
  a ^ 2 * exp (2 * z) - a ^ 2 * exp ((-2) * z) =
  2 * a ^ 2 * sinh (2 * z).
Proof.
  intros.
  rewrite ?sinh_by_exp in *.
  assert (E : exp ((-2) * z) = / exp (2 * z) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * z)).
  set (power1 := exp (2 * z)) in *; clearbody power1.
  field; nonzero.
Qed.

Lemma mirror_map_2 : forall g a z : R,
  0 < g ->
  0 < a ->
  0 < z ->
  (1 / 16) * g ^ 2 * (2 * a ^ 2 * exp ((-2) * z) + 2 * a ^ 2 * exp (2 * z)) ^ 2 / a ^ 4 / (1 + (sinh (2 * z)) ^ 2) =
  g ^ 2.
Proof.
  intros.
  rewrite ?sinh_by_exp in *.
  assert (E : exp ((-2) * z) = / exp (2 * z) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * z)).
  set (power1 := exp (2 * z)) in *; clearbody power1.
  field; nonzero.
Qed.
