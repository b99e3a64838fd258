From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/wide-function-flow, vectorized_flow *)

Lemma vectorized_flow_1 : forall a0 eta_w g0 a1 g1 a2 a3 w0 eta_a g2 w1 g4 w2 w3 w4 w5 : R,
  a0 * (- a0 * eta_w * g0 - a1 * eta_w * g1) + a2 * (- a2 * eta_w * g0 - a3 * eta_w * g1) + w0 * (- eta_a * g0 * w0 - eta_a * g2 * w1 - eta_a * g4 * w2) + w3 * (- eta_a * g0 * w3 - eta_a * g2 * w4 - eta_a * g4 * w5) =
  - g0 * (eta_a * w0 ^ 2 + eta_a * w3 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) - g1 * (a0 * a1 * eta_w + a2 * a3 * eta_w) - g2 * (eta_a * w0 * w1 + eta_a * w3 * w4) - g4 * (eta_a * w0 * w2 + eta_a * w3 * w5).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma vectorized_flow_2 : forall a0 eta_w g2 a1 g3 a2 a3 w1 eta_a g0 w0 g4 w2 w4 w3 w5 : R,
  a0 * (- a0 * eta_w * g2 - a1 * eta_w * g3) + a2 * (- a2 * eta_w * g2 - a3 * eta_w * g3) + w1 * (- eta_a * g0 * w0 - eta_a * g2 * w1 - eta_a * g4 * w2) + w4 * (- eta_a * g0 * w3 - eta_a * g2 * w4 - eta_a * g4 * w5) =
  - g0 * (eta_a * w0 * w1 + eta_a * w3 * w4) - g2 * (eta_a * w1 ^ 2 + eta_a * w4 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) - g3 * (a0 * a1 * eta_w + a2 * a3 * eta_w) - g4 * (eta_a * w1 * w2 + eta_a * w4 * w5).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma vectorized_flow_3 : forall a0 eta_w g4 a1 g5 a2 a3 w2 eta_a g0 w0 g2 w1 w5 w3 w4 : R,
  a0 * (- a0 * eta_w * g4 - a1 * eta_w * g5) + a2 * (- a2 * eta_w * g4 - a3 * eta_w * g5) + w2 * (- eta_a * g0 * w0 - eta_a * g2 * w1 - eta_a * g4 * w2) + w5 * (- eta_a * g0 * w3 - eta_a * g2 * w4 - eta_a * g4 * w5) =
  - g0 * (eta_a * w0 * w2 + eta_a * w3 * w5) - g2 * (eta_a * w1 * w2 + eta_a * w4 * w5) - g4 * (eta_a * w2 ^ 2 + eta_a * w5 ^ 2 + eta_w * a0 ^ 2 + eta_w * a2 ^ 2) - g5 * (a0 * a1 * eta_w + a2 * a3 * eta_w).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma vectorized_flow_4 : forall a1 a0 eta_w g0 g1 a3 a2 w0 eta_a g3 w1 g5 w2 w3 w4 w5 : R,
  a1 * (- a0 * eta_w * g0 - a1 * eta_w * g1) + a3 * (- a2 * eta_w * g0 - a3 * eta_w * g1) + w0 * (- eta_a * g1 * w0 - eta_a * g3 * w1 - eta_a * g5 * w2) + w3 * (- eta_a * g1 * w3 - eta_a * g3 * w4 - eta_a * g5 * w5) =
  - g0 * (a0 * a1 * eta_w + a2 * a3 * eta_w) - g1 * (eta_a * w0 ^ 2 + eta_a * w3 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2) - g3 * (eta_a * w0 * w1 + eta_a * w3 * w4) - g5 * (eta_a * w0 * w2 + eta_a * w3 * w5).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma vectorized_flow_5 : forall a1 a0 eta_w g2 g3 a3 a2 w1 eta_a g1 w0 g5 w2 w4 w3 w5 : R,
  a1 * (- a0 * eta_w * g2 - a1 * eta_w * g3) + a3 * (- a2 * eta_w * g2 - a3 * eta_w * g3) + w1 * (- eta_a * g1 * w0 - eta_a * g3 * w1 - eta_a * g5 * w2) + w4 * (- eta_a * g1 * w3 - eta_a * g3 * w4 - eta_a * g5 * w5) =
  - g1 * (eta_a * w0 * w1 + eta_a * w3 * w4) - g2 * (a0 * a1 * eta_w + a2 * a3 * eta_w) - g3 * (eta_a * w1 ^ 2 + eta_a * w4 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2) - g5 * (eta_a * w1 * w2 + eta_a * w4 * w5).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma vectorized_flow_6 : forall a1 a0 eta_w g4 g5 a3 a2 w2 eta_a g1 w0 g3 w1 w5 w3 w4 : R,
  a1 * (- a0 * eta_w * g4 - a1 * eta_w * g5) + a3 * (- a2 * eta_w * g4 - a3 * eta_w * g5) + w2 * (- eta_a * g1 * w0 - eta_a * g3 * w1 - eta_a * g5 * w2) + w5 * (- eta_a * g1 * w3 - eta_a * g3 * w4 - eta_a * g5 * w5) =
  - g1 * (eta_a * w0 * w2 + eta_a * w3 * w5) - g3 * (eta_a * w1 * w2 + eta_a * w4 * w5) - g4 * (a0 * a1 * eta_w + a2 * a3 * eta_w) - g5 * (eta_a * w2 ^ 2 + eta_a * w5 ^ 2 + eta_w * a1 ^ 2 + eta_w * a3 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
