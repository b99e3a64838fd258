From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/omega-bernoulli, rate_of_omega *)

Lemma rate_of_omega_1 : forall b0 a w0 b1 w1 : R,
  0 < a ->
  b0 * w0 + b1 * w1 <> 0 ->
  b0 * (b0 * a - w0 * a ^ 2) + b1 * (b1 * a - w1 * a ^ 2) =
  (- a ^ 2 + a * (b0 ^ 2 + b1 ^ 2) / (b0 * w0 + b1 * w1)) * (b0 * w0 + b1 * w1).
Proof.
  intros.
  field; nonzero.
Qed.
