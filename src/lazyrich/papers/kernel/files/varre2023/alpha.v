From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/alpha, quotient_rule *)

Lemma quotient_rule_1 : forall b0 a3 a2 b2 r0 b3 r1 a0 a1 b1 r2 r3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b0 * (a3 * (a2 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2) - a3 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a1 * (a2 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2) - a3 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + b2 * (a0 * (a2 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2) - a3 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a2 * (a2 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2) - a3 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + r0 * (a0 * a3 / (a0 * a3 - a1 * a2) - a1 * a2 / (a0 * a3 - a1 * a2)) =
  r0 - (r0 * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + r1 * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) - (r2 * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + r3 * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma quotient_rule_2 : forall b1 a3 a2 b2 r0 b3 r1 a0 a1 b0 r2 r3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b1 * (a3 * (a2 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2) - a3 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a1 * (a2 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2) - a3 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + b3 * (a0 * (a2 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2) - a3 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a2 * (a2 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2) - a3 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + r1 * (a0 * a3 / (a0 * a3 - a1 * a2) - a1 * a2 / (a0 * a3 - a1 * a2)) =
  r1 - (r0 * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + r1 * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) - (r2 * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) + r3 * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2))) * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma quotient_rule_3 : forall b0 a3 a1 r0 b1 r1 a0 a2 b2 b3 r2 r3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b0 * (a3 * (a1 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2) - a0 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a1 * (a1 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2) - a0 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + b2 * (a0 * (a1 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2) - a0 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a2 * (a1 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2) - a0 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + r2 * (a0 * a3 / (a0 * a3 - a1 * a2) - a1 * a2 / (a0 * a3 - a1 * a2)) =
  r2 - (r0 * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + r1 * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2))) * (a3 * b0 / (a0 * a3 - a1 * a2) - a2 * b2 / (a0 * a3 - a1 * a2)) - (r2 * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + r3 * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2))) * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma quotient_rule_4 : forall b1 a3 a1 b0 r0 r1 a0 a2 b2 b3 r2 r3 : R,
  a0 * a3 - a1 * a2 <> 0 ->
  b1 * (a3 * (a1 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2) - a0 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a1 * (a1 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2) - a0 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + b3 * (a0 * (a1 * (b0 * r2 + b1 * r3) / (a0 * a3 - a1 * a2) - a0 * (b2 * r2 + b3 * r3) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2) - a2 * (a1 * (b0 * r0 + b1 * r1) / (a0 * a3 - a1 * a2) - a0 * (b2 * r0 + b3 * r1) / (a0 * a3 - a1 * a2)) / (a0 * a3 - a1 * a2)) + r3 * (a0 * a3 / (a0 * a3 - a1 * a2) - a1 * a2 / (a0 * a3 - a1 * a2)) =
  r3 - (r0 * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + r1 * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2))) * (a3 * b1 / (a0 * a3 - a1 * a2) - a2 * b3 / (a0 * a3 - a1 * a2)) - (r2 * (a0 * b2 / (a0 * a3 - a1 * a2) - a1 * b0 / (a0 * a3 - a1 * a2)) + r3 * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2))) * (a0 * b3 / (a0 * a3 - a1 * a2) - a1 * b1 / (a0 * a3 - a1 * a2)).
Proof.
  intros.
  field; nonzero.
Qed.
