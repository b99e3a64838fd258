From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/degenerate-products, error_from_the_last_slope *)

Lemma error_from_the_last_slope_1 : forall b1 b3 b5 b0 e0 e1 b2 b4 : R,
  b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5 <> 0 ->
  (b1 ^ 2 + b3 ^ 2 + b5 ^ 2) * (b0 * (b0 * e0 + b1 * e1) + b2 * (b2 * e0 + b3 * e1) + b4 * (b4 * e0 + b5 * e1)) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) + (b1 * (b0 * e0 + b1 * e1) + b3 * (b2 * e0 + b3 * e1) + b5 * (b4 * e0 + b5 * e1)) * (- b0 * b1 - b2 * b3 - b4 * b5) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) =
  e0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_last_slope_2 : forall b0 b2 b4 b1 e0 e1 b3 b5 : R,
  b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5 <> 0 ->
  (b0 ^ 2 + b2 ^ 2 + b4 ^ 2) * (b1 * (b0 * e0 + b1 * e1) + b3 * (b2 * e0 + b3 * e1) + b5 * (b4 * e0 + b5 * e1)) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) + (b0 * (b0 * e0 + b1 * e1) + b2 * (b2 * e0 + b3 * e1) + b4 * (b4 * e0 + b5 * e1)) * (- b0 * b1 - b2 * b3 - b4 * b5) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) =
  e1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_last_slope_3 : forall b1 b3 b5 b0 e2 e3 b2 b4 : R,
  b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5 <> 0 ->
  (b1 ^ 2 + b3 ^ 2 + b5 ^ 2) * (b0 * (b0 * e2 + b1 * e3) + b2 * (b2 * e2 + b3 * e3) + b4 * (b4 * e2 + b5 * e3)) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) + (b1 * (b0 * e2 + b1 * e3) + b3 * (b2 * e2 + b3 * e3) + b5 * (b4 * e2 + b5 * e3)) * (- b0 * b1 - b2 * b3 - b4 * b5) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) =
  e2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_last_slope_4 : forall b0 b2 b4 b1 e2 e3 b3 b5 : R,
  b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5 <> 0 ->
  (b0 ^ 2 + b2 ^ 2 + b4 ^ 2) * (b1 * (b0 * e2 + b1 * e3) + b3 * (b2 * e2 + b3 * e3) + b5 * (b4 * e2 + b5 * e3)) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) + (b0 * (b0 * e2 + b1 * e3) + b2 * (b2 * e2 + b3 * e3) + b4 * (b4 * e2 + b5 * e3)) * (- b0 * b1 - b2 * b3 - b4 * b5) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) =
  e3.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_last_slope_5 : forall b1 b3 b5 b0 e4 e5 b2 b4 : R,
  b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5 <> 0 ->
  (b1 ^ 2 + b3 ^ 2 + b5 ^ 2) * (b0 * (b0 * e4 + b1 * e5) + b2 * (b2 * e4 + b3 * e5) + b4 * (b4 * e4 + b5 * e5)) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) + (b1 * (b0 * e4 + b1 * e5) + b3 * (b2 * e4 + b3 * e5) + b5 * (b4 * e4 + b5 * e5)) * (- b0 * b1 - b2 * b3 - b4 * b5) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) =
  e4.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_last_slope_6 : forall b0 b2 b4 b1 e4 e5 b3 b5 : R,
  b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5 <> 0 ->
  (b0 ^ 2 + b2 ^ 2 + b4 ^ 2) * (b1 * (b0 * e4 + b1 * e5) + b3 * (b2 * e4 + b3 * e5) + b5 * (b4 * e4 + b5 * e5)) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) + (b0 * (b0 * e4 + b1 * e5) + b2 * (b2 * e4 + b3 * e5) + b4 * (b4 * e4 + b5 * e5)) * (- b0 * b1 - b2 * b3 - b4 * b5) / (b0 ^ 2 * b3 ^ 2 + b0 ^ 2 * b5 ^ 2 + b1 ^ 2 * b2 ^ 2 + b1 ^ 2 * b4 ^ 2 + b2 ^ 2 * b5 ^ 2 + b3 ^ 2 * b4 ^ 2 - 2 * b0 * b1 * b2 * b3 - 2 * b0 * b1 * b4 * b5 - 2 * b2 * b3 * b4 * b5) =
  e5.
Proof.
  intros.
  field; nonzero.
Qed.

(* dln/degenerate-products, error_from_the_slope *)

Lemma error_from_the_slope_1 : forall b3 a3 b0 a0 e0 a2 e2 b1 e1 e3 a1 b2 : R,
  b0 * b3 - b1 * b2 <> 0 ->
  a0 * a3 - a1 * a2 <> 0 ->
  b3 * (a3 * (b0 * (a0 * e0 + a2 * e2) + b1 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2) - a2 * (b0 * (a1 * e0 + a3 * e2) + b1 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) - b1 * (a3 * (b2 * (a0 * e0 + a2 * e2) + b3 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2) - a2 * (b2 * (a1 * e0 + a3 * e2) + b3 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) =
  e0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_slope_2 : forall b0 a3 b2 a0 e0 a2 e2 b3 e1 e3 a1 b1 : R,
  b0 * b3 - b1 * b2 <> 0 ->
  a0 * a3 - a1 * a2 <> 0 ->
  b0 * (a3 * (b2 * (a0 * e0 + a2 * e2) + b3 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2) - a2 * (b2 * (a1 * e0 + a3 * e2) + b3 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) - b2 * (a3 * (b0 * (a0 * e0 + a2 * e2) + b1 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2) - a2 * (b0 * (a1 * e0 + a3 * e2) + b1 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) =
  e1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_slope_3 : forall b3 a0 b0 a1 e0 a3 e2 b1 e1 e3 a2 b2 : R,
  b0 * b3 - b1 * b2 <> 0 ->
  a0 * a3 - a1 * a2 <> 0 ->
  b3 * (a0 * (b0 * (a1 * e0 + a3 * e2) + b1 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2) - a1 * (b0 * (a0 * e0 + a2 * e2) + b1 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) - b1 * (a0 * (b2 * (a1 * e0 + a3 * e2) + b3 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2) - a1 * (b2 * (a0 * e0 + a2 * e2) + b3 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) =
  e2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma error_from_the_slope_4 : forall b0 a0 b2 a1 e0 a3 e2 b3 e1 e3 a2 b1 : R,
  b0 * b3 - b1 * b2 <> 0 ->
  a0 * a3 - a1 * a2 <> 0 ->
  b0 * (a0 * (b2 * (a1 * e0 + a3 * e2) + b3 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2) - a1 * (b2 * (a0 * e0 + a2 * e2) + b3 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) - b2 * (a0 * (b0 * (a1 * e0 + a3 * e2) + b1 * (a1 * e1 + a3 * e3)) / (a0 * a3 - a1 * a2) - a1 * (b0 * (a0 * e0 + a2 * e2) + b1 * (a0 * e1 + a2 * e3)) / (a0 * a3 - a1 * a2)) / (b0 * b3 - b1 * b2) =
  e3.
Proof.
  intros.
  field; nonzero.
Qed.
