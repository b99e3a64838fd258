From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/balance-law, defects_do_not_move *)

Lemma defects_do_not_move_1 : forall v0 u0 w0 t0 u1 v1 w1 t1 u2 t2 u3 t3 : R,
  - 2 * v0 * (u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) - 2 * v1 * (u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) + 2 * w0 * ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0)) + 2 * w1 * ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma defects_do_not_move_2 : forall u0 v0 w0 t0 u1 v1 w1 t1 u2 t2 u3 t3 : R,
  - 2 * u0 * (v0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)) - 2 * u2 * (v0 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v0 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) + 2 * v0 * (u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma defects_do_not_move_3 : forall v0 u1 w0 t0 u0 v1 w1 t1 u3 t2 u2 t3 : R,
  v0 * (u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) + v1 * (u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) - u0 * (v1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)) - u1 * (v0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)) - u2 * (v1 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v1 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) - u3 * (v0 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v0 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma defects_do_not_move_4 : forall u1 v1 w0 t0 u0 v0 w1 t1 u3 t2 u2 t3 : R,
  - 2 * u1 * (v1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)) - 2 * u3 * (v1 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v1 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) + 2 * v1 * (u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
