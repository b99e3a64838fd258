From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/no-spurious-minima, descending_path *)

Lemma descending_path_1 : forall s2 x s1 : R,
  0 < s2 ->
  0 < x ->
  0 < s1 ->
  (1 / 2) * s2 ^ 2 + (1 / 2) * (x ^ 2 - s1) ^ 2 =
  (1 / 2) * s2 ^ 2 + (1 / 2) * (s1 - x ^ 2) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma descending_path_2 : forall s1 x s2 : R,
  0 < s1 ->
  0 < x ->
  0 < s2 ->
  (1 / 2) * (- s1 + s1 * (1 - x ^ 2)) ^ 2 + (1 / 2) * (- s2 + s2 * x ^ 2) ^ 2 + (1 / 2) * s1 ^ 2 * x ^ 2 * (1 - x ^ 2) + (1 / 2) * s2 ^ 2 * x ^ 2 * (1 - x ^ 2) =
  (1 / 2) * s2 ^ 2 + (1 / 2) * x ^ 2 * (s1 ^ 2 - s2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
