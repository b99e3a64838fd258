From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/invariant, nothing_moves *)

Lemma nothing_moves_1 : forall a0 b0 r0 b1 r1 a3 r2 r3 a6 r4 r5 : R,
  a0 * (2 * b0 * r0 + 2 * b1 * r1) + a3 * (2 * b0 * r2 + 2 * b1 * r3) + a6 * (2 * b0 * r4 + 2 * b1 * r5) - b0 * (2 * a0 * r0 + 2 * a3 * r2 + 2 * a6 * r4) - b1 * (2 * a0 * r1 + 2 * a3 * r3 + 2 * a6 * r5) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma nothing_moves_2 : forall a0 b2 r0 b3 r1 a1 b0 b1 a3 r2 r3 a4 a6 r4 r5 a7 : R,
  a0 * (b2 * r0 + b3 * r1) + a1 * (b0 * r0 + b1 * r1) + a3 * (b2 * r2 + b3 * r3) + a4 * (b0 * r2 + b1 * r3) + a6 * (b2 * r4 + b3 * r5) + a7 * (b0 * r4 + b1 * r5) - b0 * (a1 * r0 + a4 * r2 + a7 * r4) - b1 * (a1 * r1 + a4 * r3 + a7 * r5) - b2 * (a0 * r0 + a3 * r2 + a6 * r4) - b3 * (a0 * r1 + a3 * r3 + a6 * r5) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma nothing_moves_3 : forall a0 b4 r0 b5 r1 a2 b0 b1 a3 r2 r3 a5 a6 r4 r5 a8 : R,
  a0 * (b4 * r0 + b5 * r1) + a2 * (b0 * r0 + b1 * r1) + a3 * (b4 * r2 + b5 * r3) + a5 * (b0 * r2 + b1 * r3) + a6 * (b4 * r4 + b5 * r5) + a8 * (b0 * r4 + b1 * r5) - b0 * (a2 * r0 + a5 * r2 + a8 * r4) - b1 * (a2 * r1 + a5 * r3 + a8 * r5) - b4 * (a0 * r0 + a3 * r2 + a6 * r4) - b5 * (a0 * r1 + a3 * r3 + a6 * r5) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma nothing_moves_4 : forall a1 b2 r0 b3 r1 a4 r2 r3 a7 r4 r5 : R,
  a1 * (2 * b2 * r0 + 2 * b3 * r1) + a4 * (2 * b2 * r2 + 2 * b3 * r3) + a7 * (2 * b2 * r4 + 2 * b3 * r5) - b2 * (2 * a1 * r0 + 2 * a4 * r2 + 2 * a7 * r4) - b3 * (2 * a1 * r1 + 2 * a4 * r3 + 2 * a7 * r5) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma nothing_moves_5 : forall a1 b4 r0 b5 r1 a2 b2 b3 a4 r2 r3 a5 a7 r4 r5 a8 : R,
  a1 * (b4 * r0 + b5 * r1) + a2 * (b2 * r0 + b3 * r1) + a4 * (b4 * r2 + b5 * r3) + a5 * (b2 * r2 + b3 * r3) + a7 * (b4 * r4 + b5 * r5) + a8 * (b2 * r4 + b3 * r5) - b2 * (a2 * r0 + a5 * r2 + a8 * r4) - b3 * (a2 * r1 + a5 * r3 + a8 * r5) - b4 * (a1 * r0 + a4 * r2 + a7 * r4) - b5 * (a1 * r1 + a4 * r3 + a7 * r5) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma nothing_moves_6 : forall a2 b4 r0 b5 r1 a5 r2 r3 a8 r4 r5 : R,
  a2 * (2 * b4 * r0 + 2 * b5 * r1) + a5 * (2 * b4 * r2 + 2 * b5 * r3) + a8 * (2 * b4 * r4 + 2 * b5 * r5) - b4 * (2 * a2 * r0 + 2 * a5 * r2 + 2 * a8 * r4) - b5 * (2 * a2 * r1 + 2 * a5 * r3 + 2 * a8 * r5) =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
