From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/singular-value-curves, riccati *)

Lemma riccati_1 : forall v_E a b : R,
  0 < v_E ->
  0 < a ->
  0 < b ->
  v_E * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) * (2 * a * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / b / (b ^ 2 + v_E * a ^ 2) + 2 * a * (b ^ 2 - v_E * a ^ 2) * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / b / (b ^ 2 + v_E * a ^ 2) ^ 2) =
  - (b ^ 2 - a ^ 2) * (- ((1 / 2) * b ^ 2 - (1 / 2) * a ^ 2) / a / b + (b ^ 2 - v_E * a ^ 2) * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / a / b / (b ^ 2 + v_E * a ^ 2)) + a * b * (1 - (- ((1 / 2) * b ^ 2 - (1 / 2) * a ^ 2) / a / b + (b ^ 2 - v_E * a ^ 2) * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / a / b / (b ^ 2 + v_E * a ^ 2)) ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma riccati_2 : forall b a : R,
  0 < b ->
  0 < a ->
  - ((1 / 2) * b ^ 2 - (1 / 2) * a ^ 2) / a / b + (b ^ 2 - a ^ 2) * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / a / b / (a ^ 2 + b ^ 2) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
