From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/outer-quadratic, two_roots *)

Lemma two_roots_1 : forall eta_w x a eta_a r : R,
  0 < eta_w ->
  0 < x ->
  0 < a ->
  0 < eta_a ->
  0 < r ->
  eta_w * x ^ 2 - x * (eta_w * a ^ 2 - eta_a * r ^ 2) - eta_a * a ^ 2 * r ^ 2 =
  eta_w * (x - a ^ 2) * (x + eta_a * r ^ 2 / eta_w).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_roots_2 : forall eta_a r eta_w a : R,
  0 < eta_a ->
  0 < r ->
  0 < eta_w ->
  0 < a ->
  (eta_a * r ^ 2 + eta_w * a ^ 2) ^ 2 =
  (eta_w * a ^ 2 - eta_a * r ^ 2) ^ 2 + 4 * eta_a * eta_w * a ^ 2 * r ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
