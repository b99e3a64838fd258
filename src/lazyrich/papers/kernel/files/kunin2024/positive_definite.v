From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/positive-definite, eigenvalues_of_M *)

Lemma eigenvalues_of_M_1 : forall w0 w1 w2 a : R,
  0 < a ->
  w0 * w1 ^ 2 + w0 * w2 ^ 2 + w0 * (w0 ^ 2 + a ^ 2) =
  w0 * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma eigenvalues_of_M_2 : forall w1 w0 w2 a : R,
  0 < a ->
  w1 * w0 ^ 2 + w1 * w2 ^ 2 + w1 * (w1 ^ 2 + a ^ 2) =
  w1 * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma eigenvalues_of_M_3 : forall w2 w0 w1 a : R,
  0 < a ->
  w2 * w0 ^ 2 + w2 * w1 ^ 2 + w2 * (w2 ^ 2 + a ^ 2) =
  w2 * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma eigenvalues_of_M_4 : forall w1 w0 a : R,
  0 < a ->
  w1 * (w0 ^ 2 + a ^ 2) - w1 * w0 ^ 2 =
  w1 * a ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma eigenvalues_of_M_5 : forall w0 w1 a : R,
  0 < a ->
  w0 * w1 ^ 2 - w0 * (w1 ^ 2 + a ^ 2) =
  (-1) * w0 * a ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
