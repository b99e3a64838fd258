From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/not-a-hessian, curl_of_the_inverse *)

Lemma curl_of_the_inverse_1 : forall w1 a w0 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 <> 0 ->
  - 2 * w1 / a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2) + (1 / 2) * w1 * (2 * w0 ^ 2 + 2 * w1 ^ 2) / a / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + a ^ 2) =
  (-1) * w1 / a ^ 3 / (w0 ^ 2 + w1 ^ 2 + a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
