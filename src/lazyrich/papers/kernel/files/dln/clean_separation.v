From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/clean-separation, half_widths *)

Lemma half_widths_1 : forall s epsilon : R,
  0 < s ->
  0 < epsilon ->
  0 < - 1 + s / epsilon ->
  1 + (- 1 + s / epsilon) * exp ((-2) * s * ((1 / 2) * ln (- 1 + s / epsilon) / s - (1 / 2) * ln 9 / s)) <> 0 ->
  s / (1 + (- 1 + s / epsilon) * exp ((-2) * s * ((1 / 2) * ln (- 1 + s / epsilon) / s - (1 / 2) * ln 9 / s))) =
  (1 / 10) * s.
Proof.
  intros.
  try (assert (0 < s - epsilon) by (replace (s - epsilon) with ((- 1 + s / epsilon) * epsilon) by (field; nonzero); positive)).
  assert (E : exp ((-2) * s * ((1 / 2) * ln (- 1 + s / epsilon) / s - (1 / 2) * ln 9 / s)) = / exp (ln (- 1 + s / epsilon)) ^ 1 * exp (ln 9) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  rewrite (exp_ln (- 1 + s / epsilon)) in * by positive.
  rewrite (exp_ln 9) in * by positive.
  field; nonzero.
Qed.

Lemma half_widths_2 : forall s epsilon : R,
  0 < s ->
  0 < epsilon ->
  0 < - 1 + s / epsilon ->
  1 + (- 1 + s / epsilon) * exp ((-2) * s * ((1 / 2) * ln 9 / s + (1 / 2) * ln (- 1 + s / epsilon) / s)) <> 0 ->
  s / (1 + (- 1 + s / epsilon) * exp ((-2) * s * ((1 / 2) * ln 9 / s + (1 / 2) * ln (- 1 + s / epsilon) / s))) =
  (9 / 10) * s.
Proof.
  intros.
  try (assert (0 < s - epsilon) by (replace (s - epsilon) with ((- 1 + s / epsilon) * epsilon) by (field; nonzero); positive)).
  assert (E : exp ((-2) * s * ((1 / 2) * ln 9 / s + (1 / 2) * ln (- 1 + s / epsilon) / s)) = / exp (ln 9) ^ 1 * / exp (ln (- 1 + s / epsilon)) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  rewrite (exp_ln 9) in * by positive.
  rewrite (exp_ln (- 1 + s / epsilon)) in * by positive.
  field; nonzero.
Qed.
