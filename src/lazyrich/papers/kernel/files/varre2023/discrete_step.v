From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/discrete-step, after_one_step *)

Lemma after_one_step_1 : forall t0 x w0 a0 eta w2 y a1 w1 w3 t1 z : R,
  t0 - (x * (w0 + a0 * eta * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y))) + y * (w2 + a0 * eta * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z)))) * (a0 + eta * w0 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + eta * w2 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) - (x * (w1 + a1 * eta * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y))) + y * (w3 + a1 * eta * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z)))) * (a1 + eta * w1 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + eta * w3 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) =
  t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y) - eta * x * (w0 * (w0 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w2 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + w1 * (w1 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w3 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + (a0 ^ 2 + a1 ^ 2) * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y))) - eta * y * (w2 * (w0 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w2 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + w3 * (w1 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w3 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + (a0 ^ 2 + a1 ^ 2) * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) - eta ^ 2 * (x * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + y * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) * ((a0 * w0 + a1 * w1) * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + (a0 * w2 + a1 * w3) * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma after_one_step_2 : forall t1 y w0 a0 eta t0 x w2 a1 w1 w3 z : R,
  t1 - (y * (w0 + a0 * eta * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y))) + z * (w2 + a0 * eta * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z)))) * (a0 + eta * w0 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + eta * w2 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) - (y * (w1 + a1 * eta * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y))) + z * (w3 + a1 * eta * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z)))) * (a1 + eta * w1 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + eta * w3 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) =
  t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z) - eta * y * (w0 * (w0 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w2 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + w1 * (w1 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w3 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + (a0 ^ 2 + a1 ^ 2) * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y))) - eta * z * (w2 * (w0 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w2 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + w3 * (w1 * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + w3 * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) + (a0 ^ 2 + a1 ^ 2) * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) - eta ^ 2 * (y * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + z * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))) * ((a0 * w0 + a1 * w1) * (t0 - a0 * (w0 * x + w2 * y) - a1 * (w1 * x + w3 * y)) + (a0 * w2 + a1 * w3) * (t1 - a0 * (w0 * y + w2 * z) - a1 * (w1 * y + w3 * z))).
Proof.
  intros.
  field; nonzero.
Qed.
