From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/rank-one-update, kernel_on_the_cone *)

Lemma kernel_on_the_cone_1 : forall eta_a w0 w1 w2 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  (eta_a * w0 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) =
  1 + w0 ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_on_the_cone_2 : forall eta_a w1 w0 w2 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  (eta_a * w1 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) =
  1 + w1 ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_on_the_cone_3 : forall eta_a w2 w0 w1 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  (eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) =
  1 + w2 ^ 2 / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
