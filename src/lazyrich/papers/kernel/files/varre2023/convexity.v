From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/convexity, twice_the_loss *)

Lemma twice_the_loss_1 : forall b0 s0 x0 x1 b1 s1 x2 x3 : R,
  (b0 - s0) * (x0 * (x0 * (b0 - s0) + x1 * (b1 - s1)) + x2 * (x2 * (b0 - s0) + x3 * (b1 - s1))) + (b1 - s1) * (x1 * (x0 * (b0 - s0) + x1 * (b1 - s1)) + x3 * (x2 * (b0 - s0) + x3 * (b1 - s1))) =
  (x0 * (b0 - s0) + x1 * (b1 - s1)) ^ 2 + (x2 * (b0 - s0) + x3 * (b1 - s1)) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
