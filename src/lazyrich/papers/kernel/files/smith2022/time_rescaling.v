From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/time-rescaling, slower_by_two_thirds *)

Lemma slower_by_two_thirds_1 : forall x w0 y a w1 : R,
  a <> 0 ->
  6 * x * w0 ^ 2 * (- y + x * a ^ 3 * (w0 ^ 3 - w1 ^ 3)) / a ^ 2 =
  6 * x * w0 ^ 2 * (- y + x * (a ^ 3 * w0 ^ 3 - a ^ 3 * w1 ^ 3)) / a ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma slower_by_two_thirds_2 : forall x w1 y a w0 : R,
  a <> 0 ->
  (-6) * x * w1 ^ 2 * (- y + x * a ^ 3 * (w0 ^ 3 - w1 ^ 3)) / a ^ 2 =
  (-6) * x * w1 ^ 2 * (- y + x * (a ^ 3 * w0 ^ 3 - a ^ 3 * w1 ^ 3)) / a ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
