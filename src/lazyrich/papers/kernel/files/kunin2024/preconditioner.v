From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/preconditioner, M_in_terms_of_beta *)

Lemma M_in_terms_of_beta_1 : forall w0 eta_a w1 w2 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w0 ^ 2 =
  (1 / 2) * w0 ^ 2 * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_2 : forall w0 w1 eta_a w2 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w0 * w1 =
  (1 / 2) * w0 * w1 * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_3 : forall w0 w2 eta_a w1 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w0 * w2 =
  (1 / 2) * w0 * w2 * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_4 : forall w1 eta_a w0 w2 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w1 ^ 2 =
  (1 / 2) * w1 ^ 2 * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_5 : forall w1 w2 eta_a w0 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w1 * w2 =
  (1 / 2) * w1 * w2 * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_6 : forall w2 eta_a w0 w1 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w2 ^ 2 =
  (1 / 2) * w2 ^ 2 * (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / eta_a / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_7 : forall eta_a w0 eta_w a w1 w2 : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  eta_a * w0 ^ 2 + eta_w * a ^ 2 =
  eta_w * a ^ 2 + (1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 - (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) + w0 ^ 2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_8 : forall w0 w1 eta_a w2 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w0 * w1 * eta_a =
  w0 * w1 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_9 : forall w0 w2 eta_a w1 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w0 * w2 * eta_a =
  w0 * w2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_10 : forall eta_a w1 eta_w a w0 w2 : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  eta_a * w1 ^ 2 + eta_w * a ^ 2 =
  eta_w * a ^ 2 + (1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 - (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) + w1 ^ 2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_11 : forall w1 w2 eta_a w0 : R,
  0 < eta_a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  w1 * w2 * eta_a =
  w1 * w2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_12 : forall eta_a w2 eta_w a w0 w1 : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0 ->
  eta_a * w2 ^ 2 + eta_w * a ^ 2 =
  eta_w * a ^ 2 + (1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 - (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) + w2 ^ 2 * ((1 / 2) * eta_a * w0 ^ 2 + (1 / 2) * eta_a * w1 ^ 2 + (1 / 2) * eta_a * w2 ^ 2 + (1 / 2) * eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma M_in_terms_of_beta_13 : forall eta_a w0 w1 w2 eta_w a : R,
  0 < eta_a ->
  0 < eta_w ->
  0 < a ->
  (eta_a * w0 ^ 2 + eta_a * w1 ^ 2 + eta_a * w2 ^ 2 + eta_w * a ^ 2) ^ 2 =
  (eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 2 + 4 * eta_a * eta_w * a ^ 2 * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
