From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warped-hessian-map, twist_of_the_warped_metric *)

Lemma twist_of_the_warped_metric_1 : forall w1 w0 r p : R,
  0 < r ->
  0 < p ->
  w1 * (((2 * w0 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w0 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w1 / r ^ 3 / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_2 : forall w2 w0 r p : R,
  0 < r ->
  0 < p ->
  w2 * (((2 * w0 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w0 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w2 / r ^ 3 / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_3 : forall w0 w1 r p : R,
  0 < r ->
  0 < p ->
  w0 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w1 / r ^ 3 / (p ^ 2 + r ^ 2) =
  w1 * (((2 * w0 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_4 : forall w2 w0 w1 r p : R,
  0 < r ->
  0 < p ->
  w2 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w1 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_5 : forall w0 w2 r p : R,
  0 < r ->
  0 < p ->
  w0 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w2 / r ^ 3 / (p ^ 2 + r ^ 2) =
  w2 * (((2 * w0 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_6 : forall w1 w0 w2 r p : R,
  0 < r ->
  0 < p ->
  w1 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w2 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_7 : forall w1 w0 r p : R,
  0 < r ->
  0 < p ->
  w1 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w0 / r ^ 3 / (p ^ 2 + r ^ 2) =
  w0 * (((2 * w1 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_8 : forall w2 w0 w1 r p : R,
  0 < r ->
  0 < p ->
  w2 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w0 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_9 : forall w0 w1 r p : R,
  0 < r ->
  0 < p ->
  w0 * (((2 * w1 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w1 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w0 / r ^ 3 / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_10 : forall w2 w1 r p : R,
  0 < r ->
  0 < p ->
  w2 * (((2 * w1 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w1 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w2 / r ^ 3 / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_11 : forall w0 w1 w2 r p : R,
  0 < r ->
  0 < p ->
  w0 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w2 * ((2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_12 : forall w1 w2 r p : R,
  0 < r ->
  0 < p ->
  w1 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w2 / r ^ 3 / (p ^ 2 + r ^ 2) =
  w2 * (((2 * w1 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_13 : forall w1 w0 w2 r p : R,
  0 < r ->
  0 < p ->
  w1 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w0 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_14 : forall w2 w0 r p : R,
  0 < r ->
  0 < p ->
  w2 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w0 / r ^ 3 / (p ^ 2 + r ^ 2) =
  w0 * (((2 * w2 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_15 : forall w0 w1 w2 r p : R,
  0 < r ->
  0 < p ->
  w0 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w1 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_16 : forall w2 w1 r p : R,
  0 < r ->
  0 < p ->
  w2 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w1 / r ^ 3 / (p ^ 2 + r ^ 2) =
  w1 * (((2 * w2 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_17 : forall w0 w2 r p : R,
  0 < r ->
  0 < p ->
  w0 * (((2 * w2 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w2 * ((2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w0 / r ^ 3 / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_18 : forall w1 w2 r p : R,
  0 < r ->
  0 < p ->
  w1 * (((2 * w2 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2) / r + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) =
  w2 * ((2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)) / r + 2 * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2) / (p ^ 2 + r ^ 2) - w1 / r ^ 3 / (p ^ 2 + r ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
