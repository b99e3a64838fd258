From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/absolute-commutator, not_zero *)

Lemma not_zero_1 : forall t : R,
  0 < t ->
  2 * cosh (t * sqrt 3) * exp ((-1) * t) - (2 / 3) * sqrt 3 * exp ((-1) * t) * sinh (t * sqrt 3) =
  2 * ((1 / 3) * sqrt 3 * sinh (t * sqrt 3) + cosh (t * sqrt 3)) * exp ((-1) * t) - (4 / 3) * sqrt 3 * exp ((-1) * t) * sinh (t * sqrt 3).
Proof.
  intros.
  rewrite ?cosh_by_exp in *.
  rewrite ?sinh_by_exp in *.
  assert (rule1 : sqrt (3) ^ 2 = 3) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (3)).
  try (assert (0 < sqrt (3)) by positive).
  set (root1 := sqrt (3)) in *; clearbody root1.
  assert (E : exp ((-1) * t) = / exp (t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (t * root1)).
  set (power1 := exp (t * root1)) in *; clearbody power1.
  pose proof (exp_pos (t)).
  set (power2 := exp (t)) in *; clearbody power2.
  field [rule1]; nonzero.
Qed.

Lemma not_zero_2 : forall t : R,
  0 < t ->
  (sqrt 3 * sinh (t * sqrt 3) + cosh (t * sqrt 3)) * exp ((-1) * t) - ((1 / 3) * sqrt 3 * sinh (t * sqrt 3) + cosh (t * sqrt 3)) * exp ((-1) * t) =
  (2 / 3) * sqrt 3 * exp ((-1) * t) * sinh (t * sqrt 3).
Proof.
  intros.
  rewrite ?cosh_by_exp in *.
  rewrite ?sinh_by_exp in *.
  assert (rule1 : sqrt (3) ^ 2 = 3) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (3)).
  try (assert (0 < sqrt (3)) by positive).
  set (root1 := sqrt (3)) in *; clearbody root1.
  assert (E : exp ((-1) * t) = / exp (t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (t * root1)).
  set (power1 := exp (t * root1)) in *; clearbody power1.
  pose proof (exp_pos (t)).
  set (power2 := exp (t)) in *; clearbody power2.
  field [rule1]; nonzero.
Qed.
