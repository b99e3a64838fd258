From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/symmetric-triple, the_gap_closes *)

Lemma the_gap_closes_1 : forall m2 b0 b1 b2 b3 g m1 : R,
  m2 * (b0 ^ 2 + b1 ^ 2) + m2 * (b2 ^ 2 + b3 ^ 2 + 2 * g) - m1 * (b2 ^ 2 + b3 ^ 2) - m1 * (b0 ^ 2 + b1 ^ 2 + 2 * g) =
  (m2 - m1) * (b2 ^ 2 + b3 ^ 2) - (m1 - m2) * (b0 ^ 2 + b1 ^ 2) - 2 * g * (m1 - m2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma the_gap_closes_2 : forall m1 b2 b3 b0 b1 g m2 : R,
  m1 * (b2 ^ 2 + b3 ^ 2) + m1 * (b0 ^ 2 + b1 ^ 2 + 2 * g) - m2 * (b0 ^ 2 + b1 ^ 2) - m2 * (b2 ^ 2 + b3 ^ 2 + 2 * g) =
  (m1 - m2) * (b0 ^ 2 + b1 ^ 2) - (m2 - m1) * (b2 ^ 2 + b3 ^ 2) - 2 * g * (m2 - m1).
Proof.
  intros.
  field; nonzero.
Qed.
