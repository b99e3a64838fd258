From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/plane-system, rates_in_the_plane *)

Lemma rates_in_the_plane_1 : forall b0 w0 b1 w1 b2 w2 a : R,
  0 < a ->
  b0 * w0 + b1 * w1 + b2 * w2 - a * w0 ^ 2 - a * w1 ^ 2 - a * w2 ^ 2 =
  b0 * w0 + b1 * w1 + b2 * w2 - a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rates_in_the_plane_2 : forall b0 a w0 b1 w1 b2 w2 : R,
  0 < a ->
  b0 * (b0 * a - w0 * a ^ 2) + b1 * (b1 * a - w1 * a ^ 2) + b2 * (b2 * a - w2 * a ^ 2) =
  a * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - a ^ 2 * (b0 * w0 + b1 * w1 + b2 * w2).
Proof.
  intros.
  field; nonzero.
Qed.
