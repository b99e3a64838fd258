From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/expansion, hessian_at_the_start *)

Lemma hessian_at_the_start_1 : forall r s t : R,
  0 < r ->
  0 < s ->
  0 < t ->
  (3 / 2) / r - (3 / 2) * r * (1 - s) ^ 2 * (1 - t ^ 2) ^ 2 / (1 + s) ^ 2 / (1 + t ^ 2) ^ 2 / (r ^ 2 + r ^ 2 * (1 - s) ^ 2 / (1 + s) ^ 2) =
  (3 / 2) * (1 - (1 - s) ^ 2 * (1 - t ^ 2) ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * s ^ 2)) / r.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_at_the_start_2 : forall r t s : R,
  0 < r ->
  0 < t ->
  0 < s ->
  (-3) * r * t * (1 - s) ^ 2 * (1 - t ^ 2) / (1 + s) ^ 2 / (1 + t ^ 2) ^ 2 / (r ^ 2 + r ^ 2 * (1 - s) ^ 2 / (1 + s) ^ 2) =
  (-3) * t * (1 - s) ^ 2 * (1 - t ^ 2) / r / (1 + t ^ 2) ^ 2 / (2 + 2 * s ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_at_the_start_3 : forall r t s : R,
  0 < r ->
  0 < t ->
  0 < s ->
  (3 / 2) / r - 6 * r * t ^ 2 * (1 - s) ^ 2 / (1 + s) ^ 2 / (1 + t ^ 2) ^ 2 / (r ^ 2 + r ^ 2 * (1 - s) ^ 2 / (1 + s) ^ 2) =
  (3 / 2) * (1 - 4 * t ^ 2 * (1 - s) ^ 2 / (1 + t ^ 2) ^ 2 / (2 + 2 * s ^ 2)) / r.
Proof.
  intros.
  field; nonzero.
Qed.
