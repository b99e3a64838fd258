From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/gradient, chain_rule *)

Lemma chain_rule_1 : forall u0 v0 u1 v1 t0 w0 u2 u3 t2 : R,
  (1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) =
  (- t0 + w0 * (u0 * v0 + u1 * v1)) * (u0 * v0 + u1 * v1) + (- t2 + w0 * (u2 * v0 + u3 * v1)) * (u2 * v0 + u3 * v1).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_2 : forall u0 v0 u1 v1 t1 w1 u2 u3 t3 : R,
  (1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) =
  (- t1 + w1 * (u0 * v0 + u1 * v1)) * (u0 * v0 + u1 * v1) + (- t3 + w1 * (u2 * v0 + u3 * v1)) * (u2 * v0 + u3 * v1).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_3 : forall u0 w0 t0 v0 u1 v1 w1 t1 u2 t2 u3 t3 : R,
  u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) =
  w0 * (u0 * (- t0 + w0 * (u0 * v0 + u1 * v1)) + u2 * (- t2 + w0 * (u2 * v0 + u3 * v1))) + w1 * (u0 * (- t1 + w1 * (u0 * v0 + u1 * v1)) + u2 * (- t3 + w1 * (u2 * v0 + u3 * v1))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_4 : forall u1 w0 t0 u0 v0 v1 w1 t1 u3 t2 u2 t3 : R,
  u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) =
  w0 * (u1 * (- t0 + w0 * (u0 * v0 + u1 * v1)) + u3 * (- t2 + w0 * (u2 * v0 + u3 * v1))) + w1 * (u1 * (- t1 + w1 * (u0 * v0 + u1 * v1)) + u3 * (- t3 + w1 * (u2 * v0 + u3 * v1))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_5 : forall v0 w0 t0 u0 u1 v1 w1 t1 : R,
  v0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) =
  v0 * w0 * (- t0 + w0 * (u0 * v0 + u1 * v1)) + v0 * w1 * (- t1 + w1 * (u0 * v0 + u1 * v1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_6 : forall v1 w0 t0 u0 v0 u1 w1 t1 : R,
  v1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) =
  v1 * w0 * (- t0 + w0 * (u0 * v0 + u1 * v1)) + v1 * w1 * (- t1 + w1 * (u0 * v0 + u1 * v1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_7 : forall v0 w0 t2 u2 u3 v1 w1 t3 : R,
  v0 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v0 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) =
  v0 * w0 * (- t2 + w0 * (u2 * v0 + u3 * v1)) + v0 * w1 * (- t3 + w1 * (u2 * v0 + u3 * v1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma chain_rule_8 : forall v1 w0 t2 u2 v0 u3 w1 t3 : R,
  v1 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v1 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) =
  v1 * w0 * (- t2 + w0 * (u2 * v0 + u3 * v1)) + v1 * w1 * (- t3 + w1 * (u2 * v0 + u3 * v1)).
Proof.
  intros.
  field; nonzero.
Qed.
