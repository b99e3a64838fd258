From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/homogeneous, degree_two *)

Lemma degree_two_1 : forall x0 a0 b0 s a1 b2 x1 a2 a3 : R,
  x0 * (a0 * b0 * s ^ 2 + a1 * b2 * s ^ 2) + x1 * (a2 * b0 * s ^ 2 + a3 * b2 * s ^ 2) =
  s ^ 2 * (x0 * (a0 * b0 + a1 * b2) + x1 * (a2 * b0 + a3 * b2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma degree_two_2 : forall x0 a0 b1 s a1 b3 x1 a2 a3 : R,
  x0 * (a0 * b1 * s ^ 2 + a1 * b3 * s ^ 2) + x1 * (a2 * b1 * s ^ 2 + a3 * b3 * s ^ 2) =
  s ^ 2 * (x0 * (a0 * b1 + a1 * b3) + x1 * (a2 * b1 + a3 * b3)).
Proof.
  intros.
  field; nonzero.
Qed.
