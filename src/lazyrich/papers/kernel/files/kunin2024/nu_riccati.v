From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/nu-riccati, rate_of_nu *)

Lemma rate_of_nu_1 : forall b0 w0 b1 w1 a : R,
  0 < a ->
  (b0 * w0 + b1 * w1) * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1) / a ^ 2 - b0 * (w0 * a ^ 2 - b0 * a) / a - b1 * (w1 * a ^ 2 - b1 * a) / a =
  b0 ^ 2 + b1 ^ 2 - (b0 * w0 + b1 * w1) ^ 2 / a ^ 2 - (b0 * w0 + b1 * w1) * (a ^ 2 - w0 ^ 2 - w1 ^ 2) / a.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rate_of_nu_2 : forall eta_a b0 w0 b1 w1 a eta_w : R,
  0 < eta_a ->
  0 < a ->
  0 < eta_w ->
  eta_a * (b0 * w0 + b1 * w1) * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1) / a ^ 2 - b0 * eta_w * (w0 * a ^ 2 - b0 * a) / a - b1 * eta_w * (w1 * a ^ 2 - b1 * a) / a =
  eta_w * (b0 ^ 2 + b1 ^ 2) - eta_a * (b0 * w0 + b1 * w1) ^ 2 / a ^ 2 - (b0 * w0 + b1 * w1) * (eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2)) / a.
Proof.
  intros.
  field; nonzero.
Qed.
