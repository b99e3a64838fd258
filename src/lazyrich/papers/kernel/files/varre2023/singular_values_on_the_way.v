From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/singular-values-on-the-way, two_quadratic_equations *)

Lemma two_quadratic_equations_1 : forall a0 b0 a1 b2 a2 a3 b1 b3 : R,
  (a0 * b0 + a1 * b2) ^ 2 + (a2 * b0 + a3 * b2) ^ 2 - b0 ^ 4 - b2 ^ 4 - b0 ^ 2 * b1 ^ 2 - b2 ^ 2 * b3 ^ 2 - 2 * b0 ^ 2 * b2 ^ 2 - 2 * b0 * b1 * b2 * b3 =
  b0 * (b0 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + b2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + b2 * (b0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + b2 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_2 : forall a0 b0 a1 b2 b1 b3 a2 a3 : R,
  (a0 * b0 + a1 * b2) * (a0 * b1 + a1 * b3) + (a2 * b0 + a3 * b2) * (a2 * b1 + a3 * b3) - b0 * b1 ^ 3 - b1 * b0 ^ 3 - b2 * b3 ^ 3 - b3 * b2 ^ 3 - b0 * b1 * b2 ^ 2 - b0 * b1 * b3 ^ 2 - b2 * b3 * b0 ^ 2 - b2 * b3 * b1 ^ 2 =
  b1 * (b0 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + b2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + b3 * (b0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + b2 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_3 : forall a0 b0 a1 b2 b1 b3 a2 a3 : R,
  (a0 * b0 + a1 * b2) * (a0 * b1 + a1 * b3) + (a2 * b0 + a3 * b2) * (a2 * b1 + a3 * b3) - b0 * b1 ^ 3 - b1 * b0 ^ 3 - b2 * b3 ^ 3 - b3 * b2 ^ 3 - b0 * b1 * b2 ^ 2 - b0 * b1 * b3 ^ 2 - b2 * b3 * b0 ^ 2 - b2 * b3 * b1 ^ 2 =
  b0 * (b1 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + b3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + b2 * (b1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + b3 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_4 : forall a0 b1 a1 b3 a2 a3 b0 b2 : R,
  (a0 * b1 + a1 * b3) ^ 2 + (a2 * b1 + a3 * b3) ^ 2 - b1 ^ 4 - b3 ^ 4 - b0 ^ 2 * b1 ^ 2 - b2 ^ 2 * b3 ^ 2 - 2 * b1 ^ 2 * b3 ^ 2 - 2 * b0 * b1 * b2 * b3 =
  b1 * (b1 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + b3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + b3 * (b1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + b3 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_5 : forall a0 a1 b0 b2 b1 b3 a2 a3 : R,
  a0 ^ 4 + a1 ^ 4 - (a0 * b0 + a1 * b2) ^ 2 - (a0 * b1 + a1 * b3) ^ 2 + a0 ^ 2 * a2 ^ 2 + a1 ^ 2 * a3 ^ 2 + 2 * a0 ^ 2 * a1 ^ 2 + 2 * a0 * a1 * a2 * a3 =
  a0 * (a0 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + a1 * (a0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a1 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_6 : forall a0 a2 a1 a3 b0 b2 b1 b3 : R,
  a0 * a2 ^ 3 + a1 * a3 ^ 3 + a2 * a0 ^ 3 + a3 * a1 ^ 3 - (a0 * b0 + a1 * b2) * (a2 * b0 + a3 * b2) - (a0 * b1 + a1 * b3) * (a2 * b1 + a3 * b3) + a0 * a2 * a1 ^ 2 + a0 * a2 * a3 ^ 2 + a1 * a3 * a0 ^ 2 + a1 * a3 * a2 ^ 2 =
  a2 * (a0 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a1 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + a3 * (a0 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a1 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_7 : forall a0 a2 a1 a3 b0 b2 b1 b3 : R,
  a0 * a2 ^ 3 + a1 * a3 ^ 3 + a2 * a0 ^ 3 + a3 * a1 ^ 3 - (a0 * b0 + a1 * b2) * (a2 * b0 + a3 * b2) - (a0 * b1 + a1 * b3) * (a2 * b1 + a3 * b3) + a0 * a2 * a1 ^ 2 + a0 * a2 * a3 ^ 2 + a1 * a3 * a0 ^ 2 + a1 * a3 * a2 ^ 2 =
  a0 * (a2 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + a1 * (a2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a3 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_quadratic_equations_8 : forall a2 a3 b0 b2 b1 b3 a0 a1 : R,
  a2 ^ 4 + a3 ^ 4 - (a2 * b0 + a3 * b2) ^ 2 - (a2 * b1 + a3 * b3) ^ 2 + a0 ^ 2 * a2 ^ 2 + a1 ^ 2 * a3 ^ 2 + 2 * a2 ^ 2 * a3 ^ 2 + 2 * a0 * a1 * a2 * a3 =
  a2 * (a2 * (a0 ^ 2 + a2 ^ 2 - b0 ^ 2 - b1 ^ 2) + a3 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3)) + a3 * (a2 * (a0 * a1 + a2 * a3 - b0 * b2 - b1 * b3) + a3 * (a1 ^ 2 + a3 ^ 2 - b2 ^ 2 - b3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
