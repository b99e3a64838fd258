From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/first-order-conditions, from_the_lagrangian *)

Lemma from_the_lagrangian_1 : forall a2 m0 a1 x0 a3 x1 a0 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a2 * m0 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) - a3 * m0 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) =
  (-1) * m0 * x0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_2 : forall a2 m1 a1 x0 a3 x1 a0 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a2 * m1 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) - a3 * m1 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) =
  (-1) * m1 * x0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_3 : forall a1 m0 a0 x0 a2 x1 a3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a1 * m0 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) - a0 * m0 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) =
  (-1) * m0 * x1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_4 : forall a1 m1 a0 x0 a2 x1 a3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  a1 * m1 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) - a0 * m1 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) =
  (-1) * m1 * x1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_5 : forall b0 m0 x0 b1 m1 a2 a1 a3 x1 a0 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  - b0 * m0 * x0 - b1 * m1 * x0 =
  b0 * (a2 * m0 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) - a3 * m0 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2)) + b1 * (a2 * m1 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) - a3 * m1 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_6 : forall b2 m0 x0 b3 m1 a2 a1 a3 x1 a0 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  - b2 * m0 * x0 - b3 * m1 * x0 =
  b2 * (a2 * m0 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) - a3 * m0 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2)) + b3 * (a2 * m1 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2) - a3 * m1 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_7 : forall b0 m0 x1 b1 m1 a1 a0 x0 a2 a3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  - b0 * m0 * x1 - b1 * m1 * x1 =
  b0 * (a1 * m0 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) - a0 * m0 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2)) + b1 * (a1 * m1 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) - a0 * m1 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma from_the_lagrangian_8 : forall b2 m0 x1 b3 m1 a1 a0 x0 a2 a3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  - b2 * m0 * x1 - b3 * m1 * x1 =
  b2 * (a1 * m0 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) - a0 * m0 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2)) + b3 * (a1 * m1 * (a0 * x0 + a2 * x1) / (a0 * a3 - a1 * a2) - a0 * m1 * (a1 * x0 + a3 * x1) / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.
