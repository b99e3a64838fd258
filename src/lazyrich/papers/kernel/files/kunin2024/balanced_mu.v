From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/balanced-mu, bernoulli_solved *)

Lemma bernoulli_solved_1 : forall B c t mu0 : R,
  0 < B ->
  0 < c ->
  0 < t ->
  0 < mu0 ->
  (1 / 2) * exp ((-2) * c) + (1 / 2) * exp (2 * c + 2 * B * t) - (1 / 2) * exp (2 * c) - (1 / 2) * exp (- 2 * c - 2 * B * t) + 2 * B * t + 2 * B * ((1 / 2) * exp c + (1 / 2) * exp ((-1) * c)) ^ 2 / mu0 <> 0 ->
  8 * B ^ 2 * ((1 / 2) * exp (c + B * t) + (1 / 2) * exp (- c - B * t)) ^ 4 / ((1 / 2) * exp ((-2) * c) + (1 / 2) * exp (2 * c + 2 * B * t) - (1 / 2) * exp (2 * c) - (1 / 2) * exp (- 2 * c - 2 * B * t) + 2 * B * t + 2 * B * ((1 / 2) * exp c + (1 / 2) * exp ((-1) * c)) ^ 2 / mu0) ^ 2 + 2 * B * ((1 / 2) * exp (c + B * t) + (1 / 2) * exp (- c - B * t)) ^ 2 * (- 2 * B - 2 * B * ((1 / 2) * exp (- 2 * c - 2 * B * t) + (1 / 2) * exp (2 * c + 2 * B * t))) / ((1 / 2) * exp ((-2) * c) + (1 / 2) * exp (2 * c + 2 * B * t) - (1 / 2) * exp (2 * c) - (1 / 2) * exp (- 2 * c - 2 * B * t) + 2 * B * t + 2 * B * ((1 / 2) * exp c + (1 / 2) * exp ((-1) * c)) ^ 2 / mu0) ^ 2 + 4 * B ^ 2 * ((1 / 2) * exp (c + B * t) + (1 / 2) * exp (- c - B * t)) * ((1 / 2) * exp (c + B * t) - (1 / 2) * exp (- c - B * t)) / ((1 / 2) * exp ((-2) * c) + (1 / 2) * exp (2 * c + 2 * B * t) - (1 / 2) * exp (2 * c) - (1 / 2) * exp (- 2 * c - 2 * B * t) + 2 * B * t + 2 * B * ((1 / 2) * exp c + (1 / 2) * exp ((-1) * c)) ^ 2 / mu0) - 4 * B ^ 2 * ((1 / 2) * exp (c + B * t) + (1 / 2) * exp (- c - B * t)) ^ 2 * (- exp (- c - B * t) + exp (c + B * t)) / (exp (c + B * t) + exp (- c - B * t)) / ((1 / 2) * exp ((-2) * c) + (1 / 2) * exp (2 * c + 2 * B * t) - (1 / 2) * exp (2 * c) - (1 / 2) * exp (- 2 * c - 2 * B * t) + 2 * B * t + 2 * B * ((1 / 2) * exp c + (1 / 2) * exp ((-1) * c)) ^ 2 / mu0) =
  0.
Proof.
  intros.
  assert (E : exp (c + B * t) = exp (c) ^ 1 * exp (B * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (- c - B * t) = / exp (c) ^ 1 * / exp (B * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((-2) * c) = / exp (c) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (2 * c + 2 * B * t) = exp (c) ^ 2 * exp (B * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (2 * c) = exp (c) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (- 2 * c - 2 * B * t) = / exp (c) ^ 2 * / exp (B * t) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp ((-1) * c) = / exp (c) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (c)).
  set (power1 := exp (c)) in *; clearbody power1.
  pose proof (exp_pos (B * t)).
  set (power2 := exp (B * t)) in *; clearbody power2.
  field; nonzero.
Qed.
