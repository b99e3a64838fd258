From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/inverse-of-m, times_its_inverse *)

Lemma times_its_inverse_1 : forall w0 a w1 w2 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  (w0 ^ 2 + a ^ 2) * (/ (a ^ 2) - (1 / 2) * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 ^ 2 * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w0 ^ 2 * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_2 : forall w0 w1 a w2 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w0 * w1 * (/ (a ^ 2) - (1 / 2) * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 * w1 * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w0 * w1 * (w0 ^ 2 + a ^ 2) * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_3 : forall w0 w2 a w1 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w0 * w2 * (/ (a ^ 2) - (1 / 2) * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 * w2 * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w0 * w2 * (w0 ^ 2 + a ^ 2) * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_4 : forall w0 w1 a w2 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w0 * w1 * (/ (a ^ 2) - (1 / 2) * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 * w1 * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w0 * w1 * (w1 ^ 2 + a ^ 2) * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_5 : forall w1 a w0 w2 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  (w1 ^ 2 + a ^ 2) * (/ (a ^ 2) - (1 / 2) * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 ^ 2 * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w1 ^ 2 * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_6 : forall w1 w2 a w0 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w1 * w2 * (/ (a ^ 2) - (1 / 2) * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w1 * w2 * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w1 * w2 * (w1 ^ 2 + a ^ 2) * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_7 : forall w0 w2 a w1 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w0 * w2 * (/ (a ^ 2) - (1 / 2) * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 * w2 * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w0 * w2 * (w2 ^ 2 + a ^ 2) * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_8 : forall w1 w2 a w0 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  w1 * w2 * (/ (a ^ 2) - (1 / 2) * w1 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w1 * w2 * w0 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w1 * w2 * (w2 ^ 2 + a ^ 2) * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma times_its_inverse_9 : forall w2 a w0 w1 : R,
  0 < a ->
  w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2 <> 0 ->
  (w2 ^ 2 + a ^ 2) * (/ (a ^ 2) - (1 / 2) * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2)) - (1 / 2) * w0 ^ 2 * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) - (1 / 2) * w1 ^ 2 * w2 ^ 2 * (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) / (w0 ^ 2 * a ^ 2 + w1 ^ 2 * a ^ 2 + w2 ^ 2 * a ^ 2) / (w0 ^ 2 + w1 ^ 2 + w2 ^ 2 + a ^ 2) =
  1.
Proof.
  intros.
  field; nonzero.
Qed.
