From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/effective-flow, velocity_of_the_product *)

Lemma velocity_of_the_product_1 : forall v0 w0 v1 w2 t0 u0 t1 w1 w3 u1 t2 t3 : R,
  - (v0 * w0 + v1 * w2) * ((1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) * (2 * v0 * w1 + 2 * v1 * w3)) - u0 * v0 * (u0 * v0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u1 * v0 * (- t2 + u1 * (v0 * w0 + v1 * w2))) - u0 * v1 * (u0 * v1 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u1 * v1 * (- t2 + u1 * (v0 * w0 + v1 * w2))) - u0 * w0 * (u0 * w0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w0 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w1 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u0 * w2 * (u0 * w2 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w3 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w2 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w3 * (- t3 + u1 * (v0 * w1 + v1 * w3))) =
  (w0 ^ 2 + w2 ^ 2) * (u0 ^ 2 * (t0 - u0 * v0 * w0 - u0 * v1 * w2) + u0 * u1 * (t2 - u1 * v0 * w0 - u1 * v1 * w2)) + (v0 * w0 + v1 * w2) * ((v0 * w0 + v1 * w2) * (t0 - u0 * v0 * w0 - u0 * v1 * w2) + (v0 * w1 + v1 * w3) * (t1 - u0 * v0 * w1 - u0 * v1 * w3)) + (w0 * w1 + w2 * w3) * (u0 ^ 2 * (t1 - u0 * v0 * w1 - u0 * v1 * w3) + u0 * u1 * (t3 - u1 * v0 * w1 - u1 * v1 * w3)) + u0 * (u0 * v0 ^ 2 + u0 * v1 ^ 2) * (t0 - u0 * v0 * w0 - u0 * v1 * w2) + u1 * (u0 * v0 ^ 2 + u0 * v1 ^ 2) * (t2 - u1 * v0 * w0 - u1 * v1 * w2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma velocity_of_the_product_2 : forall v0 w1 v1 w3 t0 u0 w0 w2 t1 u1 t3 t2 : R,
  - (v0 * w1 + v1 * w3) * ((1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) * (2 * v0 * w1 + 2 * v1 * w3)) - u0 * v0 * (u0 * v0 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * v0 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u0 * v1 * (u0 * v1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * v1 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u0 * w1 * (u0 * w0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w0 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w1 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u0 * w3 * (u0 * w2 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w3 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w2 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w3 * (- t3 + u1 * (v0 * w1 + v1 * w3))) =
  (w1 ^ 2 + w3 ^ 2) * (u0 ^ 2 * (t1 - u0 * v0 * w1 - u0 * v1 * w3) + u0 * u1 * (t3 - u1 * v0 * w1 - u1 * v1 * w3)) + (v0 * w1 + v1 * w3) * ((v0 * w0 + v1 * w2) * (t0 - u0 * v0 * w0 - u0 * v1 * w2) + (v0 * w1 + v1 * w3) * (t1 - u0 * v0 * w1 - u0 * v1 * w3)) + (w0 * w1 + w2 * w3) * (u0 ^ 2 * (t0 - u0 * v0 * w0 - u0 * v1 * w2) + u0 * u1 * (t2 - u1 * v0 * w0 - u1 * v1 * w2)) + u0 * (u0 * v0 ^ 2 + u0 * v1 ^ 2) * (t1 - u0 * v0 * w1 - u0 * v1 * w3) + u1 * (u0 * v0 ^ 2 + u0 * v1 ^ 2) * (t3 - u1 * v0 * w1 - u1 * v1 * w3).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma velocity_of_the_product_3 : forall v0 w0 v1 w2 t2 u1 t3 w1 w3 u0 t0 t1 : R,
  - (v0 * w0 + v1 * w2) * ((1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) * (2 * v0 * w1 + 2 * v1 * w3)) - u1 * v0 * (u0 * v0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u1 * v0 * (- t2 + u1 * (v0 * w0 + v1 * w2))) - u1 * v1 * (u0 * v1 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u1 * v1 * (- t2 + u1 * (v0 * w0 + v1 * w2))) - u1 * w0 * (u0 * w0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w0 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w1 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u1 * w2 * (u0 * w2 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w3 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w2 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w3 * (- t3 + u1 * (v0 * w1 + v1 * w3))) =
  (w0 ^ 2 + w2 ^ 2) * (u1 ^ 2 * (t2 - u1 * v0 * w0 - u1 * v1 * w2) + u0 * u1 * (t0 - u0 * v0 * w0 - u0 * v1 * w2)) + (v0 * w0 + v1 * w2) * ((v0 * w0 + v1 * w2) * (t2 - u1 * v0 * w0 - u1 * v1 * w2) + (v0 * w1 + v1 * w3) * (t3 - u1 * v0 * w1 - u1 * v1 * w3)) + (w0 * w1 + w2 * w3) * (u1 ^ 2 * (t3 - u1 * v0 * w1 - u1 * v1 * w3) + u0 * u1 * (t1 - u0 * v0 * w1 - u0 * v1 * w3)) + u0 * (u1 * v0 ^ 2 + u1 * v1 ^ 2) * (t0 - u0 * v0 * w0 - u0 * v1 * w2) + u1 * (u1 * v0 ^ 2 + u1 * v1 ^ 2) * (t2 - u1 * v0 * w0 - u1 * v1 * w2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma velocity_of_the_product_4 : forall v0 w1 v1 w3 t2 u1 w0 w2 t3 u0 t1 t0 : R,
  - (v0 * w1 + v1 * w3) * ((1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) * (2 * v0 * w1 + 2 * v1 * w3)) - u1 * v0 * (u0 * v0 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * v0 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u1 * v1 * (u0 * v1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * v1 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u1 * w1 * (u0 * w0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w0 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w1 * (- t3 + u1 * (v0 * w1 + v1 * w3))) - u1 * w3 * (u0 * w2 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w3 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w2 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w3 * (- t3 + u1 * (v0 * w1 + v1 * w3))) =
  (w1 ^ 2 + w3 ^ 2) * (u1 ^ 2 * (t3 - u1 * v0 * w1 - u1 * v1 * w3) + u0 * u1 * (t1 - u0 * v0 * w1 - u0 * v1 * w3)) + (v0 * w1 + v1 * w3) * ((v0 * w0 + v1 * w2) * (t2 - u1 * v0 * w0 - u1 * v1 * w2) + (v0 * w1 + v1 * w3) * (t3 - u1 * v0 * w1 - u1 * v1 * w3)) + (w0 * w1 + w2 * w3) * (u1 ^ 2 * (t2 - u1 * v0 * w0 - u1 * v1 * w2) + u0 * u1 * (t0 - u0 * v0 * w0 - u0 * v1 * w2)) + u0 * (u1 * v0 ^ 2 + u1 * v1 ^ 2) * (t1 - u0 * v0 * w1 - u0 * v1 * w3) + u1 * (u1 * v0 ^ 2 + u1 * v1 ^ 2) * (t3 - u1 * v0 * w1 - u1 * v1 * w3).
Proof.
  intros.
  field; nonzero.
Qed.
