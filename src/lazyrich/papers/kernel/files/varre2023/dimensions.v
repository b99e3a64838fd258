From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/dimensions, full_rank *)

Lemma full_rank_1 : forall a0 x0 a2 x1 a1 a3 b0 b1 : R,
  (a0 * x0 + a2 * x1) ^ 2 + (a1 * x0 + a3 * x1) ^ 2 + b0 ^ 2 * x0 ^ 2 + b0 ^ 2 * x1 ^ 2 + b1 ^ 2 * x0 ^ 2 + b1 ^ 2 * x1 ^ 2 =
  (a0 * x0 + a2 * x1) ^ 2 + (a1 * x0 + a3 * x1) ^ 2 + (b0 ^ 2 + b1 ^ 2) * (x0 ^ 2 + x1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
