From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/outer-bernoulli, rate_of_a *)

Lemma rate_of_a_1 : forall b0 w0 b1 w1 a : R,
  0 < a ->
  b0 * w0 + b1 * w1 - a * w0 ^ 2 - a * w1 ^ 2 =
  a * (- w0 ^ 2 - w1 ^ 2 + (b0 * w0 + b1 * w1) / a).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rate_of_a_2 : forall eta_a a w0 w1 b0 b1 : R,
  0 < eta_a ->
  0 < a ->
  (-1) * eta_a * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1) =
  a * (- eta_a * (w0 ^ 2 + w1 ^ 2) + eta_a * (b0 * w0 + b1 * w1) / a).
Proof.
  intros.
  field; nonzero.
Qed.
