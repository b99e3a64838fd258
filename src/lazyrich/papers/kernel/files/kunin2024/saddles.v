From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/saddles, rate_of_escape *)

Lemma rate_of_escape_1 : forall lambda eta_a eta_w b0 b1 g00 s g11 g01 : R,
  0 < eta_a ->
  0 < eta_w ->
  lambda ^ 3 - lambda * eta_a * eta_w * b0 ^ 2 - lambda * eta_a * eta_w * b1 ^ 2 + g00 * eta_a * lambda ^ 2 * s ^ 2 * b1 ^ 2 + g11 * eta_a * lambda ^ 2 * s ^ 2 * b0 ^ 2 - 2 * b0 * b1 * g01 * eta_a * lambda ^ 2 * s ^ 2 =
  lambda * (lambda ^ 2 + lambda * eta_a * (s * b0 * (s * b0 * g11 - s * b1 * g01) - s * b1 * (s * b0 * g01 - s * b1 * g00)) - eta_a * eta_w * (b0 ^ 2 + b1 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
