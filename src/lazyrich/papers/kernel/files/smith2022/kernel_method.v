From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/kernel-method, chain_rule *)

Lemma chain_rule_1 : forall j0 y0 w0 j1 w1 j2 w2 j3 y1 j4 j5 : R,
  j0 * (j0 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j3 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) + j1 * (j1 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j4 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) + j2 * (j2 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j5 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) =
  (j0 ^ 2 + j1 ^ 2 + j2 ^ 2) * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + (j0 * j3 + j1 * j4 + j2 * j5) * (y1 - j3 * w0 - j4 * w1 - j5 * w2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_2 : forall j3 j0 y0 w0 j1 w1 j2 w2 y1 j4 j5 : R,
  j3 * (j0 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j3 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) + j4 * (j1 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j4 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) + j5 * (j2 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j5 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) =
  (j3 ^ 2 + j4 ^ 2 + j5 ^ 2) * (y1 - j3 * w0 - j4 * w1 - j5 * w2) + (j0 * j3 + j1 * j4 + j2 * j5) * (y0 - j0 * w0 - j1 * w1 - j2 * w2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_3 : forall j6 j0 y0 w0 j1 w1 j2 w2 j3 y1 j4 j5 j7 j8 : R,
  j6 * (j0 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j3 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) + j7 * (j1 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j4 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) + j8 * (j2 * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + j5 * (y1 - j3 * w0 - j4 * w1 - j5 * w2)) =
  (j0 * j6 + j1 * j7 + j2 * j8) * (y0 - j0 * w0 - j1 * w1 - j2 * w2) + (j3 * j6 + j4 * j7 + j5 * j8) * (y1 - j3 * w0 - j4 * w1 - j5 * w2).
Proof.
  intros.
  field; nonzero.
Qed.
