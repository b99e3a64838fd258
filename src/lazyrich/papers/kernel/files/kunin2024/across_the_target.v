From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/across-the-target, only_shrinks *)

Lemma only_shrinks_1 : forall eta_w b1 b2 w0 a b0 w1 w2 : R,
  0 < eta_w ->
  0 < a ->
  - eta_w * (b1 ^ 2 + b2 ^ 2) * (w0 * a ^ 2 - b0 * a) + b0 * b1 * eta_w * (w1 * a ^ 2 - b1 * a) + b0 * b2 * eta_w * (w2 * a ^ 2 - b2 * a) =
  (-1) * eta_w * a ^ 2 * (w0 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b0 * (b0 * w0 + b1 * w1 + b2 * w2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma only_shrinks_2 : forall eta_w b0 b2 w1 a b1 w0 w2 : R,
  0 < eta_w ->
  0 < a ->
  - eta_w * (b0 ^ 2 + b2 ^ 2) * (w1 * a ^ 2 - b1 * a) + b0 * b1 * eta_w * (w0 * a ^ 2 - b0 * a) + b1 * b2 * eta_w * (w2 * a ^ 2 - b2 * a) =
  (-1) * eta_w * a ^ 2 * (w1 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b1 * (b0 * w0 + b1 * w1 + b2 * w2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma only_shrinks_3 : forall eta_w b0 b1 w2 a b2 w0 w1 : R,
  0 < eta_w ->
  0 < a ->
  - eta_w * (b0 ^ 2 + b1 ^ 2) * (w2 * a ^ 2 - b2 * a) + b0 * b2 * eta_w * (w0 * a ^ 2 - b0 * a) + b1 * b2 * eta_w * (w1 * a ^ 2 - b1 * a) =
  (-1) * eta_w * a ^ 2 * (w2 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b2 * (b0 * w0 + b1 * w1 + b2 * w2)).
Proof.
  intros.
  field; nonzero.
Qed.
