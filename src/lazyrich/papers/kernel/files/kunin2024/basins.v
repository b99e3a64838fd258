From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/basins, sides_are_kept *)

Lemma sides_are_kept_1 : forall b0 a w0 b1 w1 l : R,
  0 < a ->
  0 < l ->
  b0 * (b0 * a - w0 * a ^ 2) + b1 * (b1 * a - w1 * a ^ 2) + l * (b0 * w0 + b1 * w1 - a * w0 ^ 2 - a * w1 ^ 2) - (l - a ^ 2) * (b0 * w0 + b1 * w1 + a * l) =
  (-1) * a * (l ^ 2 - b0 ^ 2 - b1 ^ 2 - l * (a ^ 2 - w0 ^ 2 - w1 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma sides_are_kept_2 : forall a l b0 b1 : R,
  0 < a ->
  0 < l ->
  a * l + b0 ^ 2 / a + b1 ^ 2 / a =
  a * (l + (b0 ^ 2 + b1 ^ 2) / a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
