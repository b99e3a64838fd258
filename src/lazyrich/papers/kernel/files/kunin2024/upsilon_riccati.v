From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/upsilon-riccati, upsilon_solved *)

Lemma upsilon_solved_1 : forall b0 w0 b1 w1 a : R,
  0 < a ->
  b0 * w0 + b1 * w1 <> 0 ->
  (b0 * w0 + b1 * w1 - a * w0 ^ 2 - a * w1 ^ 2) / (b0 * w0 + b1 * w1) - b0 * a * (b0 * a - w0 * a ^ 2) / (b0 * w0 + b1 * w1) ^ 2 - b1 * a * (b1 * a - w1 * a ^ 2) / (b0 * w0 + b1 * w1) ^ 2 =
  1 + a * (a ^ 2 - w0 ^ 2 - w1 ^ 2) / (b0 * w0 + b1 * w1) - a ^ 2 * (b0 ^ 2 + b1 ^ 2) / (b0 * w0 + b1 * w1) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma upsilon_solved_2 : forall delta upsilon0 v_R t : R,
  0 < delta ->
  0 < upsilon0 ->
  0 < v_R ->
  0 < t ->
  ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t)) <> 0 ->
  ((2 + delta * upsilon0) * ((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) + ((2 + delta * upsilon0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) * (- (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) * ((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) - 2 * v_R * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2 =
  1 + delta * ((2 + delta * upsilon0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) - ((2 + delta * upsilon0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2 * (v_R ^ 2 - (1 / 4) * delta ^ 2) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2.
Proof.
  intros.
  assert (E : exp ((-1) * v_R * t) = / exp (v_R * t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (v_R * t)).
  set (power1 := exp (v_R * t)) in *; clearbody power1.
  field; nonzero.
Qed.
