From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* lazyrich2026/plateaus-of-deep-networks, the_barrier *)

Lemma the_barrier_d1 : forall w D : R,
  0 < w ->
  0 < D ->
  is_derive (fun w => Rpower w (2 - D)) w (Rpower w (2 - D) * (2 - D) / w).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
