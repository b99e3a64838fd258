From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/lambda-balanced, the_defect_stays *)

Lemma the_defect_stays_1 : forall v0 w0 t0 v1 w2 w1 t1 w3 v2 t2 v3 t3 : R,
  - 2 * v0 * (w0 * (- t0 + v0 * w0 + v1 * w2) + w1 * (- t1 + v0 * w1 + v1 * w3)) - 2 * v2 * (w0 * (- t2 + v2 * w0 + v3 * w2) + w1 * (- t3 + v2 * w1 + v3 * w3)) + 2 * w0 * (v0 * (- t0 + v0 * w0 + v1 * w2) + v2 * (- t2 + v2 * w0 + v3 * w2)) + 2 * w1 * (v0 * (- t1 + v0 * w1 + v1 * w3) + v2 * (- t3 + v2 * w1 + v3 * w3)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma the_defect_stays_2 : forall w0 v1 t0 v0 w2 v3 t2 v2 w1 t1 w3 t3 : R,
  w0 * (v1 * (- t0 + v0 * w0 + v1 * w2) + v3 * (- t2 + v2 * w0 + v3 * w2)) + w1 * (v1 * (- t1 + v0 * w1 + v1 * w3) + v3 * (- t3 + v2 * w1 + v3 * w3)) + w2 * (v0 * (- t0 + v0 * w0 + v1 * w2) + v2 * (- t2 + v2 * w0 + v3 * w2)) + w3 * (v0 * (- t1 + v0 * w1 + v1 * w3) + v2 * (- t3 + v2 * w1 + v3 * w3)) - v0 * (w2 * (- t0 + v0 * w0 + v1 * w2) + w3 * (- t1 + v0 * w1 + v1 * w3)) - v1 * (w0 * (- t0 + v0 * w0 + v1 * w2) + w1 * (- t1 + v0 * w1 + v1 * w3)) - v2 * (w2 * (- t2 + v2 * w0 + v3 * w2) + w3 * (- t3 + v2 * w1 + v3 * w3)) - v3 * (w0 * (- t2 + v2 * w0 + v3 * w2) + w1 * (- t3 + v2 * w1 + v3 * w3)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma the_defect_stays_3 : forall v1 w2 t0 v0 w0 w3 t1 w1 v3 t2 v2 t3 : R,
  - 2 * v1 * (w2 * (- t0 + v0 * w0 + v1 * w2) + w3 * (- t1 + v0 * w1 + v1 * w3)) - 2 * v3 * (w2 * (- t2 + v2 * w0 + v3 * w2) + w3 * (- t3 + v2 * w1 + v3 * w3)) + 2 * w2 * (v1 * (- t0 + v0 * w0 + v1 * w2) + v3 * (- t2 + v2 * w0 + v3 * w2)) + 2 * w3 * (v1 * (- t1 + v0 * w1 + v1 * w3) + v3 * (- t3 + v2 * w1 + v3 * w3)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
