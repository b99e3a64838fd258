From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/scalar-flow, with_z2_put_in *)

Lemma with_z2_put_in_1 : forall r0 a0 z0 a1 z2 : R,
  r0 * (a0 * z0 + a1 * z2) =
  a0 * r0 * z0 + a1 * r0 * z2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_z2_put_in_2 : forall r0 a0 z1 a1 z3 : R,
  r0 * (a0 * z1 + a1 * z3) =
  a0 * r0 * z1 + a1 * r0 * z3.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_z2_put_in_3 : forall r1 a0 z0 a1 z2 : R,
  r1 * (a0 * z0 + a1 * z2) =
  a0 * r1 * z0 + a1 * r1 * z2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_z2_put_in_4 : forall r1 a0 z1 a1 z3 : R,
  r1 * (a0 * z1 + a1 * z3) =
  a0 * r1 * z1 + a1 * r1 * z3.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_z2_put_in_5 : forall r0 a0 z0 a1 z2 z1 z3 r1 : R,
  r0 * (a0 * z0 + a1 * z2) ^ 2 + r0 * (a0 * z1 + a1 * z3) ^ 2 + r0 * (z0 ^ 2 + z1 ^ 2) + r1 * (z0 * z2 + z1 * z3) =
  r0 * (z0 ^ 2 + z1 ^ 2) + r0 * (a0 * (a0 * (z0 ^ 2 + z1 ^ 2) + a1 * (z0 * z2 + z1 * z3)) + a1 * (a0 * (z0 * z2 + z1 * z3) + a1 * (z2 ^ 2 + z3 ^ 2))) + r1 * (z0 * z2 + z1 * z3).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma with_z2_put_in_6 : forall r0 z0 z2 z1 z3 r1 a0 a1 : R,
  r0 * (z0 * z2 + z1 * z3) + r1 * (a0 * z0 + a1 * z2) ^ 2 + r1 * (a0 * z1 + a1 * z3) ^ 2 + r1 * (z2 ^ 2 + z3 ^ 2) =
  r0 * (z0 * z2 + z1 * z3) + r1 * (z2 ^ 2 + z3 ^ 2) + r1 * (a0 * (a0 * (z0 ^ 2 + z1 ^ 2) + a1 * (z0 * z2 + z1 * z3)) + a1 * (a0 * (z0 * z2 + z1 * z3) + a1 * (z2 ^ 2 + z3 ^ 2))).
Proof.
  intros.
  field; nonzero.
Qed.
