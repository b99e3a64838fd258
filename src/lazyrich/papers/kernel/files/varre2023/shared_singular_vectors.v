From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/shared-singular-vectors, they_commute *)

Lemma they_commute_1 : forall z0 z1 z2 g z3 : R,
  (z0 ^ 2 + z1 ^ 2) * (z0 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z1 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z2 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z3 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) =
  (z0 ^ 2 + z1 ^ 2) * (z0 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z1 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z0 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z1 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma they_commute_2 : forall z2 z3 z0 g z1 : R,
  (z2 ^ 2 + z3 ^ 2) * (z2 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z3 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z0 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z1 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) =
  (z0 ^ 2 + z1 ^ 2) * (z2 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z3 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z2 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z3 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma they_commute_3 : forall z0 z1 z2 g z3 : R,
  (z0 ^ 2 + z1 ^ 2) * (z0 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z1 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z2 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z3 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) =
  (z2 ^ 2 + z3 ^ 2) * (z0 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z1 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z0 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z1 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma they_commute_4 : forall z2 z3 z0 g z1 : R,
  (z2 ^ 2 + z3 ^ 2) * (z2 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z3 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z0 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z1 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) =
  (z2 ^ 2 + z3 ^ 2) * (z2 * (z2 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z3 * (z0 * z1 + z2 * z3)) + z3 * (z2 * (z0 * z1 + z2 * z3) + z3 * (z1 ^ 2 + z3 ^ 2 - 2 * g))) + (z0 * z2 + z1 * z3) * (z2 * (z0 * (z0 ^ 2 + z2 ^ 2 - 2 * g) + z1 * (z0 * z1 + z2 * z3)) + z3 * (z0 * (z0 * z1 + z2 * z3) + z1 * (z1 ^ 2 + z3 ^ 2 - 2 * g))).
Proof.
  intros.
  field; nonzero.
Qed.
