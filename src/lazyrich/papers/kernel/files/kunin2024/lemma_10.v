From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/lemma-10, diagonal_preconditioner *)

Lemma diagonal_preconditioner_1 : forall delta s_1 : R,
  0 < delta ->
  0 < s_1 ->
  (delta + 2 * s_1) ^ 2 =
  delta ^ 2 + 4 * s_1 * (delta + s_1).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma diagonal_preconditioner_2 : forall g0 delta s_1 : R,
  0 < delta ->
  0 < s_1 ->
  g0 * (- delta - 2 * s_1) =
  - g0 * s_1 - g0 * (delta + s_1).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma diagonal_preconditioner_3 : forall delta s_2 : R,
  0 < delta ->
  0 < s_2 ->
  (delta + 2 * s_2) ^ 2 =
  delta ^ 2 + 4 * s_2 * (delta + s_2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma diagonal_preconditioner_4 : forall g3 delta s_2 : R,
  0 < delta ->
  0 < s_2 ->
  g3 * (- delta - 2 * s_2) =
  - g3 * s_2 - g3 * (delta + s_2).
Proof.
  intros.
  field; nonzero.
Qed.
