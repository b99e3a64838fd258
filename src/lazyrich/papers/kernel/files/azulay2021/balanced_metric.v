From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/balanced-metric, inverse_of_balanced_neurons *)

Lemma inverse_of_balanced_neurons_1 : forall a_1 t a_2 : R,
  0 < a_1 ->
  0 < t ->
  0 < a_2 ->
  (1 - (1 / 2) * (a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) + a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2)) ^ 2 / (a_1 ^ 2 + a_2 ^ 2) ^ 2) * (a_1 ^ 2 + a_2 ^ 2 + a_1 ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2 + a_2 ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) - (1 / 2) * (a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) + a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2)) * (2 * t * a_1 ^ 2 / (1 + t ^ 2) + 2 * t * a_2 ^ 2 / (1 + t ^ 2)) * (2 * t * a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2 + 2 * t * a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) ^ 3 =
  1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_2 : forall t a_1 a_2 : R,
  0 < t ->
  0 < a_1 ->
  0 < a_2 ->
  (1 - (1 / 2) * (2 * t * a_1 ^ 2 / (1 + t ^ 2) + 2 * t * a_2 ^ 2 / (1 + t ^ 2)) ^ 2 / (a_1 ^ 2 + a_2 ^ 2) ^ 2) * (2 * t * a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2 + 2 * t * a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) - (1 / 2) * (a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) + a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2)) * (2 * t * a_1 ^ 2 / (1 + t ^ 2) + 2 * t * a_2 ^ 2 / (1 + t ^ 2)) * (a_1 ^ 2 + a_2 ^ 2 + a_1 ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2 + a_2 ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) ^ 3 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_3 : forall a_1 t a_2 : R,
  0 < a_1 ->
  0 < t ->
  0 < a_2 ->
  (1 - (1 / 2) * (a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) + a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2)) ^ 2 / (a_1 ^ 2 + a_2 ^ 2) ^ 2) * (2 * t * a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2 + 2 * t * a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) - (1 / 2) * (a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) + a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2)) * (2 * t * a_1 ^ 2 / (1 + t ^ 2) + 2 * t * a_2 ^ 2 / (1 + t ^ 2)) * (a_1 ^ 2 + a_2 ^ 2 + 4 * a_1 ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2 + 4 * a_2 ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) ^ 3 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_4 : forall t a_1 a_2 : R,
  0 < t ->
  0 < a_1 ->
  0 < a_2 ->
  (1 - (1 / 2) * (2 * t * a_1 ^ 2 / (1 + t ^ 2) + 2 * t * a_2 ^ 2 / (1 + t ^ 2)) ^ 2 / (a_1 ^ 2 + a_2 ^ 2) ^ 2) * (a_1 ^ 2 + a_2 ^ 2 + 4 * a_1 ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2 + 4 * a_2 ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) - (1 / 2) * (a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) + a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2)) * (2 * t * a_1 ^ 2 / (1 + t ^ 2) + 2 * t * a_2 ^ 2 / (1 + t ^ 2)) * (2 * t * a_1 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2 + 2 * t * a_2 ^ 2 * (1 - t ^ 2) / (1 + t ^ 2) ^ 2) / (a_1 ^ 2 + a_2 ^ 2) ^ 3 =
  1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_5 : forall a_1 t : R,
  0 < a_1 ->
  0 < t ->
  a_1 ^ 2 - a_1 ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2 - 4 * a_1 ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_6 : forall a_1 a_2 t : R,
  0 < a_1 ->
  0 < a_2 ->
  0 < t ->
  a_1 * a_2 - a_1 * a_2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2 - 4 * a_1 * a_2 * t ^ 2 / (1 + t ^ 2) ^ 2 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_7 : forall a_2 t : R,
  0 < a_2 ->
  0 < t ->
  a_2 ^ 2 - a_2 ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2 - 4 * a_2 ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
