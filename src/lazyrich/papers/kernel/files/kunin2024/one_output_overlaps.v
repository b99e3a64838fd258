From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/one-output-overlaps, overlaps_of_two *)

Lemma overlaps_of_two_1 : forall a0 p0 : R,
  0 < p0 ->
  1 =
  a0 ^ 2 / p0 ^ 2 - (a0 ^ 2 - p0 ^ 2) / p0 ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma overlaps_of_two_2 : forall r p0 p1 a0 a1 : R,
  0 < p0 ->
  0 < p1 ->
  r / p0 / p1 =
  - (- r + a0 * a1) / p0 / p1 + a0 * a1 / p0 / p1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma overlaps_of_two_3 : forall a1 p1 : R,
  0 < p1 ->
  1 =
  a1 ^ 2 / p1 ^ 2 - (a1 ^ 2 - p1 ^ 2) / p1 ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
