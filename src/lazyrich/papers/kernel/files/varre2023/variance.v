From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/variance, drift_and_solution *)

Lemma drift_and_solution_1 : forall c d t b : R,
  0 < c ->
  0 < d ->
  0 < t ->
  0 < b ->
  (1 / 2) * c * sqrt d * exp (t * sqrt d) - (1 / 2) * b * sqrt d * exp ((-1) * t * sqrt d) =
  (1 / 2) * sqrt d * (c * exp (t * sqrt d) - b * exp ((-1) * t * sqrt d)).
Proof.
  intros.
  assert (rule1 : sqrt (d) ^ 2 = d) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (d)).
  try (assert (0 < sqrt (d)) by positive).
  set (root1 := sqrt (d)) in *; clearbody root1.
  assert (E : exp ((-1) * t * root1) = / exp (t * root1) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (t * root1)).
  set (power1 := exp (t * root1)) in *; clearbody power1.
  field [rule1]; nonzero.
Qed.

Lemma drift_and_solution_2 : forall b d t c : R,
  0 < b ->
  0 < d ->
  0 < t ->
  0 < c ->
  (1 / 2) * (b * sqrt d * exp ((-1) * t * sqrt d) + c * sqrt d * exp (t * sqrt d)) / sqrt d =
  (1 / 2) * b * exp ((-1) * t * sqrt d) + (1 / 2) * c * exp (t * sqrt d).
Proof.
  intros.
  assert (rule1 : sqrt (d) ^ 2 = d) by (apply pow2_sqrt; nonnegative).
  pose proof (sqrt_pos (d)).
  try (assert (0 < sqrt (d)) by positive).
  set (root1 := sqrt (d)) in *; clearbody root1.
  assert (E : exp ((-1) * t * root1) = / exp (t * root1) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (t * root1)).
  set (power1 := exp (t * root1)) in *; clearbody power1.
  field [rule1]; nonzero.
Qed.
