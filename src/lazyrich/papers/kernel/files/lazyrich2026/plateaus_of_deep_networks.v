From lazyrich Require Import tactics.
Open Scope R_scope.

(* lazyrich2026/plateaus-of-deep-networks, the_barrier *)

Lemma the_barrier_1 : forall D g : R,
  0 < D ->
  0 < g ->
  D * g * (2 - D) =
  (-1) * D * g * (- 2 + D).
Proof.
  intros.
  field; nonzero.
Qed.
