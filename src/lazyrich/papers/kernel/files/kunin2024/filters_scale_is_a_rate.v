From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/filters-scale-is-a-rate, scale_is_a_rate *)

Lemma scale_is_a_rate_1 : forall alpha x F eta y : R,
  0 < alpha ->
  0 < x ->
  0 < F ->
  0 < eta ->
  0 < y ->
  alpha * (x / alpha + F * alpha * eta * y / x ^ 2) =
  x + F * eta * y * alpha ^ 2 / x ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma scale_is_a_rate_2 : forall alpha y F eta x : R,
  0 < alpha ->
  0 < y ->
  0 < F ->
  0 < eta ->
  0 < x ->
  alpha * (y / alpha - F * alpha * eta / x) =
  y - F * eta * alpha ^ 2 / x.
Proof.
  intros.
  field; nonzero.
Qed.
