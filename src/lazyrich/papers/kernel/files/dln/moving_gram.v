From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/moving-gram, grams_move_together *)

Lemma grams_move_together_1 : forall w0 u0 v0 u1 v1 t0 u2 u3 t2 w1 t1 t3 : R,
  - 2 * w0 * ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0)) - 2 * w1 * ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) =
  2 * w0 * ((t0 - w0 * (u0 * v0 + u1 * v1)) * (u0 * v0 + u1 * v1) + (t2 - w0 * (u2 * v0 + u3 * v1)) * (u2 * v0 + u3 * v1)) + 2 * w1 * ((t1 - w1 * (u0 * v0 + u1 * v1)) * (u0 * v0 + u1 * v1) + (t3 - w1 * (u2 * v0 + u3 * v1)) * (u2 * v0 + u3 * v1)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma grams_move_together_2 : forall v0 u0 w0 t0 u1 v1 w1 t1 u2 t2 u3 t3 : R,
  - 2 * v0 * (u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) - 2 * v1 * (u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)) =
  2 * w0 * ((t0 - w0 * (u0 * v0 + u1 * v1)) * (u0 * v0 + u1 * v1) + (t2 - w0 * (u2 * v0 + u3 * v1)) * (u2 * v0 + u3 * v1)) + 2 * w1 * ((t1 - w1 * (u0 * v0 + u1 * v1)) * (u0 * v0 + u1 * v1) + (t3 - w1 * (u2 * v0 + u3 * v1)) * (u2 * v0 + u3 * v1)).
Proof.
  intros.
  field; nonzero.
Qed.
