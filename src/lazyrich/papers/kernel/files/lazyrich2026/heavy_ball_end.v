From lazyrich Require Import tactics.
Open Scope R_scope.

(* lazyrich2026/heavy-ball-end, one_step_and_the_form_of_the_end *)

Lemma one_step_and_the_form_of_the_end_1 : forall w mu b g gamma : R,
  0 < w ->
  0 < mu ->
  0 < b ->
  0 < g ->
  0 < gamma ->
  - 1 + (w + mu * (w - b) - g * gamma * w) / w =
  - g * gamma + b * mu * (- 1 + w / b) / w.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma one_step_and_the_form_of_the_end_2 : forall alpha C_p s C_m : R,
  0 < alpha ->
  0 < C_p ->
  0 < s ->
  0 < C_m ->
  (1 / 2) * alpha ^ 2 * exp (2 * C_p + 2 * s) - (1 / 2) * alpha ^ 2 * exp (- 2 * s + 2 * C_m) =
  alpha ^ 2 * exp (C_m + C_p) * sinh (C_p - C_m + 2 * s).
Proof.
  intros.
  rewrite ?sinh_by_exp in *.
  assert (E : exp (2 * C_p + 2 * s) = exp (C_p) ^ 2 * exp (2 * s) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (- 2 * s + 2 * C_m) = / exp (2 * s) ^ 1 * exp (C_m) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (C_m + C_p) = exp (C_m) ^ 1 * exp (C_p) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  assert (E : exp (C_p - C_m + 2 * s) = exp (C_p) ^ 1 * / exp (C_m) ^ 1 * exp (2 * s) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (C_p)).
  set (power1 := exp (C_p)) in *; clearbody power1.
  pose proof (exp_pos (2 * s)).
  set (power2 := exp (2 * s)) in *; clearbody power2.
  pose proof (exp_pos (C_m)).
  set (power3 := exp (C_m)) in *; clearbody power3.
  field; nonzero.
Qed.
