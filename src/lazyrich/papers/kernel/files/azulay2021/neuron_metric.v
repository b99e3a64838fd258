From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-metric, inverse_by_sherman_and_morrison *)

Lemma inverse_by_sherman_and_morrison_1 : forall w0 a w1 w2 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  (1 - (1 / 2) * w0 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) * (a ^ 2 + w0 ^ 2) / a ^ 2 - (1 / 2) * w0 ^ 2 * w1 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w0 ^ 2 * w2 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  1.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_2 : forall w0 w1 a w2 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  w0 * w1 * (1 - (1 / 2) * w1 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) / a ^ 2 - (1 / 2) * w0 * w1 * w2 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w0 * w1 * (a ^ 2 + w0 ^ 2) / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  0.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_3 : forall w0 w2 a w1 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  w0 * w2 * (1 - (1 / 2) * w2 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) / a ^ 2 - (1 / 2) * w0 * w2 * w1 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w0 * w2 * (a ^ 2 + w0 ^ 2) / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  0.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_4 : forall w0 w1 a w2 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  w0 * w1 * (1 - (1 / 2) * w0 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) / a ^ 2 - (1 / 2) * w0 * w1 * w2 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w0 * w1 * (a ^ 2 + w1 ^ 2) / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  0.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_5 : forall w1 a w0 w2 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  (1 - (1 / 2) * w1 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) * (a ^ 2 + w1 ^ 2) / a ^ 2 - (1 / 2) * w0 ^ 2 * w1 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w1 ^ 2 * w2 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  1.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_6 : forall w1 w2 a w0 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  w1 * w2 * (1 - (1 / 2) * w2 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) / a ^ 2 - (1 / 2) * w1 * w2 * w0 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w1 * w2 * (a ^ 2 + w1 ^ 2) / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  0.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_7 : forall w0 w2 a w1 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  w0 * w2 * (1 - (1 / 2) * w0 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) / a ^ 2 - (1 / 2) * w0 * w2 * w1 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w0 * w2 * (a ^ 2 + w2 ^ 2) / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  0.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_8 : forall w1 w2 a w0 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  w1 * w2 * (1 - (1 / 2) * w1 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) / a ^ 2 - (1 / 2) * w1 * w2 * w0 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w1 * w2 * (a ^ 2 + w2 ^ 2) / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  0.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_9 : forall w2 a w0 w1 : R,
  a <> 0 ->
  (1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2 <> 0 ->
  (1 - (1 / 2) * w2 ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2)) * (a ^ 2 + w2 ^ 2) / a ^ 2 - (1 / 2) * w0 ^ 2 * w2 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) - (1 / 2) * w1 ^ 2 * w2 ^ 2 / a ^ 2 / ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) =
  1.
Proof.
  intros.
  try (assert (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2 <> 0) by (replace (a ^ 2 + w0 ^ 2 + w1 ^ 2 + w2 ^ 2) with (((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) * 2) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma inverse_by_sherman_and_morrison_10 : forall a w0 w1 w2 : R,
  ((1 / 2) * a ^ 2 + (1 / 2) * w0 ^ 2 + (1 / 2) * w1 ^ 2 + (1 / 2) * w2 ^ 2) ^ 2 =
  (1 / 4) * (a ^ 2 - w0 ^ 2 - w1 ^ 2 - w2 ^ 2) ^ 2 + a ^ 2 * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
