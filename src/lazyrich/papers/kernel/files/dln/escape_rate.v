From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/escape-rate, rates_of_escape *)

Lemma rates_of_escape_1 : forall x p : R,
  0 < p ->
  x ^ 2 - 2 * x * p ^ 2 =
  x * (x - 2 * p ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rates_of_escape_2 : forall x p q : R,
  0 < p ->
  0 < q ->
  x ^ 2 + p ^ 4 - q ^ 4 - 2 * x * p ^ 2 =
  (x - p ^ 2) ^ 2 - q ^ 4.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rates_of_escape_3 : forall x p r : R,
  0 < p ->
  0 < r ->
  x ^ 2 + p ^ 4 - r ^ 4 - 2 * x * p ^ 2 =
  (x - p ^ 2) ^ 2 - r ^ 4.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rates_of_escape_4 : forall x q p : R,
  0 < q ->
  0 < p ->
  x ^ 2 + q ^ 4 - p ^ 4 - 2 * x * q ^ 2 =
  (x - q ^ 2) ^ 2 - p ^ 4.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rates_of_escape_5 : forall x q : R,
  0 < q ->
  x ^ 2 - 2 * x * q ^ 2 =
  x * (x - 2 * q ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rates_of_escape_6 : forall x q r : R,
  0 < q ->
  0 < r ->
  x ^ 2 + q ^ 4 - r ^ 4 - 2 * x * q ^ 2 =
  (x - q ^ 2) ^ 2 - r ^ 4.
Proof.
  intros.
  field; nonzero.
Qed.
