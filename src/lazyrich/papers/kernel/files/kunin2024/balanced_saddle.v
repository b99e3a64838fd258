From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/balanced-saddle, driven_to_zero *)

Lemma driven_to_zero_1 : forall mu0 B t : R,
  0 < mu0 ->
  0 < B ->
  0 < t ->
  1 - mu0 * exp ((-2) * B * t) / (B + mu0) <> 0 ->
  - 2 * mu0 * B ^ 2 * exp ((-2) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) / (B + mu0) - 2 * B ^ 2 * mu0 ^ 2 * exp ((-4) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) ^ 2 / (B + mu0) ^ 2 =
  2 * B * mu0 * (- B - B * mu0 * exp ((-2) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) / (B + mu0)) * exp ((-2) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) / (B + mu0).
Proof.
  intros.
  assert (E : exp ((-2) * B * t) = / exp (2 * B * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((-4) * B * t) = / exp (2 * B * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * B * t)).
  set (power1 := exp (2 * B * t)) in *; clearbody power1.
  field; nonzero.
Qed.

Lemma driven_to_zero_2 : forall B mu0 : R,
  0 < B ->
  0 < mu0 ->
  1 - mu0 / (B + mu0) <> 0 ->
  B * mu0 / (1 - mu0 / (B + mu0)) / (B + mu0) =
  mu0.
Proof.
  intros.
  try (assert (B <> 0) by (replace (B) with ((1 - mu0 / (B + mu0)) * (B + mu0)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma driven_to_zero_3 : forall B mu0 t : R,
  0 < B ->
  0 < mu0 ->
  0 < t ->
  1 - mu0 * exp ((-2) * B * t) / (B + mu0) <> 0 ->
  B + B * mu0 * exp ((-2) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) / (B + mu0) <> 0 ->
  B * mu0 * exp ((-2) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) / (B + mu0) / (B + B * mu0 * exp ((-2) * B * t) / (1 - mu0 * exp ((-2) * B * t) / (B + mu0)) / (B + mu0)) =
  mu0 * exp ((-2) * B * t) / (B + mu0).
Proof.
  intros.
  assert (E : exp ((-2) * B * t) = / exp (2 * B * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * B * t)).
  set (power1 := exp (2 * B * t)) in *; clearbody power1.
  field; nonzero.
Qed.
