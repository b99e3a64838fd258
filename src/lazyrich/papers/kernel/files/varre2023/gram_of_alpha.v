From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/gram-of-alpha, from_the_invariant *)

Lemma from_the_invariant_1 : forall a0 a1 a3 b0 a2 b2 b1 b3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  (a0 ^ 2 + a1 ^ 2) * (1 - (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) ^ 2 - (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) ^ 2) + (a0 * a2 + a1 * a3) * (- (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) - (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) =
  a3 * (a0 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) / (a0 * a3 - a1 * a2) - a2 * (a0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a1 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_2 : forall a0 a1 b2 a3 a2 b0 b3 b1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  (a0 ^ 2 + a1 ^ 2) * (- (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) - (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) + (a0 * a2 + a1 * a3) * (1 - (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) ^ 2 - (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) ^ 2) =
  a0 * (a0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a1 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)) / (a0 * a3 - a1 * a2) - a1 * (a0 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_3 : forall a2 a3 a0 b2 a1 b0 b3 b1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  (a2 ^ 2 + a3 ^ 2) * (- (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) - (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) + (a0 * a2 + a1 * a3) * (1 - (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) ^ 2 - (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) ^ 2) =
  a3 * (a2 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) / (a0 * a3 - a1 * a2) - a2 * (a2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a3 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_4 : forall a2 a3 a0 b2 a1 b0 b3 b1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  (a2 ^ 2 + a3 ^ 2) * (1 - (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) ^ 2 - (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) ^ 2) + (a0 * a2 + a1 * a3) * (- (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) - (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) =
  a0 * (a2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a3 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)) / (a0 * a3 - a1 * a2) - a1 * (a2 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_5 : forall a0 b0 a1 b2 a3 a2 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a0 * b0 + a1 * b2 =
  (a0 ^ 2 + a1 ^ 2) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + (a0 * a2 + a1 * a3) * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_6 : forall a0 b1 a1 b3 a3 a2 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a0 * b1 + a1 * b3 =
  (a0 ^ 2 + a1 ^ 2) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) + (a0 * a2 + a1 * a3) * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_7 : forall a2 b0 a3 b2 a0 a1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a2 * b0 + a3 * b2 =
  (a2 ^ 2 + a3 ^ 2) * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + (a0 * a2 + a1 * a3) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_invariant_8 : forall a2 b1 a3 b3 a0 a1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a2 * b1 + a3 * b3 =
  (a2 ^ 2 + a3 ^ 2) * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) + (a0 * a2 + a1 * a3) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.
