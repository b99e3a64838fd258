From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/discrete-directions, two_steps *)

Lemma two_steps_1 : forall r0 r1 eta : R,
  r0 * (r1 - eta * r1) - r1 * (r0 - eta * r0) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_steps_2 : forall eta r0 r1 : R,
  eta ^ 2 * r0 ^ 2 * (r1 - eta * r1) - r0 * r1 * eta ^ 2 * (r0 - eta * r0) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_steps_3 : forall eta r1 r0 : R,
  - eta ^ 2 * r1 ^ 2 * (r0 - eta * r0) + r0 * r1 * eta ^ 2 * (r1 - eta * r1) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_steps_4 : forall r0 eta r1 : R,
  r0 * (eta * r1 + eta * (r1 - eta * r1)) - r1 * (eta * r0 + eta * (r0 - eta * r0)) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma two_steps_5 : forall r0 r1 eta : R,
  r0 * (r1 - (1 + r1 * eta ^ 2 * (r1 - eta * r1)) * (eta * r1 + eta * (r1 - eta * r1)) - r0 * eta ^ 2 * (r1 - eta * r1) * (eta * r0 + eta * (r0 - eta * r0))) - r1 * (r0 - (1 + r0 * eta ^ 2 * (r0 - eta * r0)) * (eta * r0 + eta * (r0 - eta * r0)) - r1 * eta ^ 2 * (r0 - eta * r0) * (eta * r1 + eta * (r1 - eta * r1))) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
