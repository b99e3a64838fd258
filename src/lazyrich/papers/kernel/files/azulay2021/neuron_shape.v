From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-shape, sizes_of_the_layers *)

Lemma sizes_of_the_layers_1 : forall p r : R,
  0 < p ->
  0 < r ->
  1 - (r - p) ^ 2 / (p + r) ^ 2 <> 0 ->
  4 * p * r * (r - p) / (1 - (r - p) ^ 2 / (p + r) ^ 2) / (p + r) =
  r ^ 2 - p ^ 2.
Proof.
  intros.
  try (assert ((p + r) ^ 2 - (r - p) ^ 2 <> 0) by (replace ((p + r) ^ 2 - (r - p) ^ 2) with ((1 - (r - p) ^ 2 / (p + r) ^ 2) * ((p + r) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma sizes_of_the_layers_2 : forall p r : R,
  0 < p ->
  0 < r ->
  1 - (r - p) ^ 2 / (p + r) ^ 2 <> 0 ->
  p ^ 2 * r ^ 2 * (1 + (r - p) ^ 2 / (p + r) ^ 2) ^ 2 / (1 - (r - p) ^ 2 / (p + r) ^ 2) ^ 2 =
  (1 / 4) * (r ^ 2 - p ^ 2) ^ 2 + p ^ 2 * r ^ 2.
Proof.
  intros.
  try (assert ((p + r) ^ 2 - (r - p) ^ 2 <> 0) by (replace ((p + r) ^ 2 - (r - p) ^ 2) with ((1 - (r - p) ^ 2 / (p + r) ^ 2) * ((p + r) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma sizes_of_the_layers_3 : forall p r : R,
  0 < p ->
  0 < r ->
  1 + (r - p) / (p + r) <> 0 ->
  1 - (r - p) ^ 2 / (p + r) ^ 2 <> 0 ->
  p * r * (1 - (r - p) / (p + r)) / (1 + (r - p) / (p + r)) =
  (1 / 2) * p ^ 2 - (1 / 2) * r ^ 2 + p * r * (1 + (r - p) ^ 2 / (p + r) ^ 2) / (1 - (r - p) ^ 2 / (p + r) ^ 2).
Proof.
  intros.
  try (assert (2 * r <> 0) by (replace (2 * r) with ((1 + (r - p) / (p + r)) * (p + r)) by (field; nonzero); nonzero)).
  try (assert ((p + r) ^ 2 - (r - p) ^ 2 <> 0) by (replace ((p + r) ^ 2 - (r - p) ^ 2) with ((1 - (r - p) ^ 2 / (p + r) ^ 2) * ((p + r) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma sizes_of_the_layers_4 : forall p r : R,
  0 < p ->
  0 < r ->
  1 - (r - p) / (p + r) <> 0 ->
  1 - (r - p) ^ 2 / (p + r) ^ 2 <> 0 ->
  p * r * (1 + (r - p) / (p + r)) / (1 - (r - p) / (p + r)) =
  (1 / 2) * r ^ 2 - (1 / 2) * p ^ 2 + p * r * (1 + (r - p) ^ 2 / (p + r) ^ 2) / (1 - (r - p) ^ 2 / (p + r) ^ 2).
Proof.
  intros.
  try (assert (2 * p <> 0) by (replace (2 * p) with ((1 - (r - p) / (p + r)) * (p + r)) by (field; nonzero); nonzero)).
  try (assert ((p + r) ^ 2 - (r - p) ^ 2 <> 0) by (replace ((p + r) ^ 2 - (r - p) ^ 2) with ((1 - (r - p) ^ 2 / (p + r) ^ 2) * ((p + r) ^ 2)) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.
