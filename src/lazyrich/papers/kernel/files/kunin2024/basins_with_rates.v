From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/basins-with-rates, sides_are_kept_with_rates *)

Lemma sides_are_kept_with_rates_1 : forall l eta_w a eta_a b0 w0 b1 w1 : R,
  0 < l ->
  0 < eta_w ->
  0 < a ->
  0 < eta_a ->
  - (l - eta_w * a ^ 2) * (a * l + eta_a * (b0 * w0 + b1 * w1)) - eta_a * l * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1) - b0 * eta_a * eta_w * (w0 * a ^ 2 - b0 * a) - b1 * eta_a * eta_w * (w1 * a ^ 2 - b1 * a) =
  (-1) * a * (l ^ 2 - l * (eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2)) - eta_a * eta_w * (b0 ^ 2 + b1 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma sides_are_kept_with_rates_2 : forall a l eta_a b0 b1 : R,
  0 < a ->
  0 < l ->
  0 < eta_a ->
  a * l + eta_a * (b0 ^ 2 / a + b1 ^ 2 / a) =
  a * (l + eta_a * (b0 ^ 2 + b1 ^ 2) / a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
