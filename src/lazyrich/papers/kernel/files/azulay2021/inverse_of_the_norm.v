From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/inverse-of-the-norm, product_with_the_inverse *)

Lemma product_with_the_inverse_1 : forall t a p : R,
  0 < t ->
  0 < a ->
  0 < p ->
  (1 - (1 - t ^ 2) ^ 2 * (1 - (a - p) / (a + p)) ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2)) * (a ^ 2 + p ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2) / a ^ 2 - 4 * p ^ 2 * t ^ 2 * (1 - t ^ 2) ^ 2 * (1 - (a - p) / (a + p)) ^ 2 / a ^ 2 / (1 + t ^ 2) ^ 4 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2) =
  1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma product_with_the_inverse_2 : forall t p a : R,
  0 < t ->
  0 < p ->
  0 < a ->
  2 * t * p ^ 2 * (1 - t ^ 2) * (1 - (1 - t ^ 2) ^ 2 * (1 - (a - p) / (a + p)) ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2)) / a ^ 2 / (1 + t ^ 2) ^ 2 - 2 * t * (1 - (a - p) / (a + p)) ^ 2 * (1 - t ^ 2) * (a ^ 2 + 4 * p ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2) / a ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma product_with_the_inverse_3 : forall t p a : R,
  0 < t ->
  0 < p ->
  0 < a ->
  2 * t * p ^ 2 * (1 - t ^ 2) * (1 - 4 * t ^ 2 * (1 - (a - p) / (a + p)) ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2)) / a ^ 2 / (1 + t ^ 2) ^ 2 - 2 * t * (1 - (a - p) / (a + p)) ^ 2 * (1 - t ^ 2) * (a ^ 2 + p ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2) / a ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma product_with_the_inverse_4 : forall t a p : R,
  0 < t ->
  0 < a ->
  0 < p ->
  (1 - 4 * t ^ 2 * (1 - (a - p) / (a + p)) ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2)) * (a ^ 2 + 4 * p ^ 2 * t ^ 2 / (1 + t ^ 2) ^ 2) / a ^ 2 - 4 * p ^ 2 * t ^ 2 * (1 - t ^ 2) ^ 2 * (1 - (a - p) / (a + p)) ^ 2 / a ^ 2 / (1 + t ^ 2) ^ 4 / (2 + 2 * (a - p) ^ 2 / (a + p) ^ 2) =
  1.
Proof.
  intros.
  field; nonzero.
Qed.
