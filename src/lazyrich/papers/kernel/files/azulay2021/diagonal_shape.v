From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-shape, root_of_k *)

Lemma root_of_k_1 : forall u v : R,
  0 < u ->
  0 < v ->
  1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2 <> 0 ->
  2 * u ^ 2 + 2 * v ^ 2 =
  4 * u * v * (1 + (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) / (1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2).
Proof.
  intros.
  try (assert ((u + v) ^ 2 - (v - u) ^ 2 <> 0) by (replace ((u + v) ^ 2 - (v - u) ^ 2) with ((1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) * ((u + v) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma root_of_k_2 : forall u v : R,
  0 < u ->
  0 < v ->
  1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2 <> 0 ->
  2 * u ^ 2 + 2 * v ^ 2 - 4 * u * v / (1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) =
  4 * u * v * (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2 / (1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2).
Proof.
  intros.
  try (assert ((u + v) ^ 2 - (v - u) ^ 2 <> 0) by (replace ((u + v) ^ 2 - (v - u) ^ 2) with ((1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) * ((u + v) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma root_of_k_3 : forall u v : R,
  0 < u ->
  0 < v ->
  1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2 <> 0 ->
  - 2 * u ^ 2 - 2 * v ^ 2 + 8 * u * v / (1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) =
  u * v * (4 - 4 * (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) / (1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2).
Proof.
  intros.
  try (assert ((u + v) ^ 2 - (v - u) ^ 2 <> 0) by (replace ((u + v) ^ 2 - (v - u) ^ 2) with ((1 - (- 1 + v / u) ^ 2 / (1 + v / u) ^ 2) * ((u + v) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.
