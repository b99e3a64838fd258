From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/anisotropic-gradient, with_the_imbalance *)

Lemma with_the_imbalance_1 : forall b0 a3 a0 a1 a2 b2 b1 b3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b0 * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + b1 * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) =
  a0 + a2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) / (a0 * a3 - a1 * a2) - a3 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_the_imbalance_2 : forall b2 a3 b0 a0 a1 a2 b3 b1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b2 * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + b3 * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) =
  a1 + a2 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2) / (a0 * a3 - a1 * a2) - a3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_the_imbalance_3 : forall b0 a0 b2 a3 a1 a2 b1 b3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b0 * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + b1 * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) =
  a2 + a1 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) / (a0 * a3 - a1 * a2) - a0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_the_imbalance_4 : forall b2 a0 a3 a1 a2 b0 b3 b1 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b2 * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + b3 * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)) =
  a3 + a1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) / (a0 * a3 - a1 * a2) - a0 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2) / (a0 * a3 - a1 * a2).
Proof.
  intros.
  field; nonzero.
Qed.
