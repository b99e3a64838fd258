From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/lambda-equation, equation_with_imbalance *)

Lemma equation_with_imbalance_1 : forall v s w : R,
  0 < v ->
  0 < s ->
  0 < w ->
  v ^ 2 * (s - v * w) + w ^ 2 * (s - v * w) =
  (s - v * w) * (v ^ 2 + w ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma equation_with_imbalance_2 : forall v s w : R,
  0 < v ->
  0 < s ->
  0 < w ->
  (v ^ 2 * (s - v * w) + w ^ 2 * (s - v * w)) ^ 2 =
  (s - v * w) ^ 2 * ((v ^ 2 - w ^ 2) ^ 2 + 4 * v ^ 2 * w ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
