From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/index-of-a-saddle, eigenvalues_at_the_saddles *)

Lemma eigenvalues_at_the_saddles_1 : forall x p q : R,
  0 < p ->
  0 < q ->
  x ^ 8 + x ^ 2 * (- 2 * p ^ 4 * q ^ 8 - 2 * p ^ 8 * q ^ 4) + x ^ 4 * (p ^ 8 + q ^ 8 + 4 * p ^ 4 * q ^ 4) + x ^ 6 * (- 2 * p ^ 4 - 2 * q ^ 4) + p ^ 8 * q ^ 8 =
  (x ^ 2 - p ^ 4) ^ 2 * (x ^ 2 - q ^ 4) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_2 : forall x p q : R,
  0 < p ->
  0 < q ->
  x ^ 8 + x ^ 3 * (- 2 * p ^ 2 * q ^ 8 + 2 * p ^ 6 * q ^ 4) + x ^ 4 * (q ^ 8 - 5 * p ^ 4 * q ^ 4) + x ^ 5 * (- 2 * p ^ 6 + 6 * p ^ 2 * q ^ 4) + x ^ 6 * (- 2 * q ^ 4 + 5 * p ^ 4) - 4 * x ^ 7 * p ^ 2 =
  x ^ 3 * (x - 2 * p ^ 2) * (x ^ 2 - q ^ 4) * (x + q ^ 2 - p ^ 2) * (x - p ^ 2 - q ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_3 : forall x p q : R,
  0 < p ->
  0 < q ->
  x ^ 8 + x ^ 3 * (- 2 * p ^ 8 * q ^ 2 + 2 * p ^ 4 * q ^ 6) + x ^ 4 * (p ^ 8 - 5 * p ^ 4 * q ^ 4) + x ^ 5 * (- 2 * q ^ 6 + 6 * p ^ 4 * q ^ 2) + x ^ 6 * (- 2 * p ^ 4 + 5 * q ^ 4) - 4 * x ^ 7 * q ^ 2 =
  x ^ 3 * (x - 2 * q ^ 2) * (x ^ 2 - p ^ 4) * (x + p ^ 2 - q ^ 2) * (x - p ^ 2 - q ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
