From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/wide-tangent-kernel, kernel_is_a_kronecker_sum *)

Lemma kernel_is_a_kronecker_sum_1 : forall eta_a w0 x0 w1 x1 w2 w3 eta_w a0 a2 : R,
  eta_a * (w0 * x0 + w1 * x1) ^ 2 + eta_a * (w2 * x0 + w3 * x1) ^ 2 + eta_w * a0 ^ 2 * x0 ^ 2 + eta_w * a0 ^ 2 * x1 ^ 2 + eta_w * a2 ^ 2 * x0 ^ 2 + eta_w * a2 ^ 2 * x1 ^ 2 =
  x0 * (x0 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) + x1 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x1 * (x0 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x1 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_2 : forall eta_a w0 x0 w1 x1 x2 x3 w2 w3 eta_w a0 a2 : R,
  eta_a * (w0 * x0 + w1 * x1) * (w0 * x2 + w1 * x3) + eta_a * (w2 * x0 + w3 * x1) * (w2 * x2 + w3 * x3) + eta_w * x0 * x2 * a0 ^ 2 + eta_w * x0 * x2 * a2 ^ 2 + eta_w * x1 * x3 * a0 ^ 2 + eta_w * x1 * x3 * a2 ^ 2 =
  x2 * (x0 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) + x1 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x3 * (x0 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x1 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_3 : forall a0 a1 eta_w x0 x1 a2 a3 : R,
  a0 * a1 * eta_w * x0 ^ 2 + a0 * a1 * eta_w * x1 ^ 2 + a2 * a3 * eta_w * x0 ^ 2 + a2 * a3 * eta_w * x1 ^ 2 =
  x0 ^ 2 * (a0 * a1 * eta_w + a2 * a3 * eta_w) + x1 ^ 2 * (a0 * a1 * eta_w + a2 * a3 * eta_w).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_4 : forall a0 a1 eta_w x0 x2 x1 x3 a2 a3 : R,
  a0 * a1 * eta_w * x0 * x2 + a0 * a1 * eta_w * x1 * x3 + a2 * a3 * eta_w * x0 * x2 + a2 * a3 * eta_w * x1 * x3 =
  x0 * x2 * (a0 * a1 * eta_w + a2 * a3 * eta_w) + x1 * x3 * (a0 * a1 * eta_w + a2 * a3 * eta_w).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_5 : forall eta_a w0 x0 w1 x1 x2 x3 w2 w3 eta_w a0 a2 : R,
  eta_a * (w0 * x0 + w1 * x1) * (w0 * x2 + w1 * x3) + eta_a * (w2 * x0 + w3 * x1) * (w2 * x2 + w3 * x3) + eta_w * x0 * x2 * a0 ^ 2 + eta_w * x0 * x2 * a2 ^ 2 + eta_w * x1 * x3 * a0 ^ 2 + eta_w * x1 * x3 * a2 ^ 2 =
  x0 * (x2 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) + x3 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x1 * (x2 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x3 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_6 : forall eta_a w0 x2 w1 x3 w2 w3 eta_w a0 a2 : R,
  eta_a * (w0 * x2 + w1 * x3) ^ 2 + eta_a * (w2 * x2 + w3 * x3) ^ 2 + eta_w * a0 ^ 2 * x2 ^ 2 + eta_w * a0 ^ 2 * x3 ^ 2 + eta_w * a2 ^ 2 * x2 ^ 2 + eta_w * a2 ^ 2 * x3 ^ 2 =
  x2 * (x2 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) + x3 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x3 * (x2 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x3 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_7 : forall a0 a1 eta_w x2 x3 a2 a3 : R,
  a0 * a1 * eta_w * x2 ^ 2 + a0 * a1 * eta_w * x3 ^ 2 + a2 * a3 * eta_w * x2 ^ 2 + a2 * a3 * eta_w * x3 ^ 2 =
  x2 ^ 2 * (a0 * a1 * eta_w + a2 * a3 * eta_w) + x3 ^ 2 * (a0 * a1 * eta_w + a2 * a3 * eta_w).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_8 : forall eta_a w0 x0 w1 x1 w2 w3 eta_w a1 a3 : R,
  eta_a * (w0 * x0 + w1 * x1) ^ 2 + eta_a * (w2 * x0 + w3 * x1) ^ 2 + eta_w * a1 ^ 2 * x0 ^ 2 + eta_w * a1 ^ 2 * x1 ^ 2 + eta_w * a3 ^ 2 * x0 ^ 2 + eta_w * a3 ^ 2 * x1 ^ 2 =
  x0 * (x0 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2) + x1 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x1 * (x0 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x1 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_9 : forall eta_a w0 x0 w1 x1 x2 x3 w2 w3 eta_w a1 a3 : R,
  eta_a * (w0 * x0 + w1 * x1) * (w0 * x2 + w1 * x3) + eta_a * (w2 * x0 + w3 * x1) * (w2 * x2 + w3 * x3) + eta_w * x0 * x2 * a1 ^ 2 + eta_w * x0 * x2 * a3 ^ 2 + eta_w * x1 * x3 * a1 ^ 2 + eta_w * x1 * x3 * a3 ^ 2 =
  x2 * (x0 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2) + x1 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x3 * (x0 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x1 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_10 : forall eta_a w0 x0 w1 x1 x2 x3 w2 w3 eta_w a1 a3 : R,
  eta_a * (w0 * x0 + w1 * x1) * (w0 * x2 + w1 * x3) + eta_a * (w2 * x0 + w3 * x1) * (w2 * x2 + w3 * x3) + eta_w * x0 * x2 * a1 ^ 2 + eta_w * x0 * x2 * a3 ^ 2 + eta_w * x1 * x3 * a1 ^ 2 + eta_w * x1 * x3 * a3 ^ 2 =
  x0 * (x2 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2) + x3 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x1 * (x2 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x3 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma kernel_is_a_kronecker_sum_11 : forall eta_a w0 x2 w1 x3 w2 w3 eta_w a1 a3 : R,
  eta_a * (w0 * x2 + w1 * x3) ^ 2 + eta_a * (w2 * x2 + w3 * x3) ^ 2 + eta_w * a1 ^ 2 * x2 ^ 2 + eta_w * a1 ^ 2 * x3 ^ 2 + eta_w * a3 ^ 2 * x2 ^ 2 + eta_w * a3 ^ 2 * x3 ^ 2 =
  x2 * (x2 * (eta_a * w0 ^ 2 + eta_a * w2 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2) + x3 * (eta_a * w0 * w1 + eta_a * w2 * w3)) + x3 * (x2 * (eta_a * w0 * w1 + eta_a * w2 * w3) + x3 * (eta_a * w1 ^ 2 + eta_a * w3 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
