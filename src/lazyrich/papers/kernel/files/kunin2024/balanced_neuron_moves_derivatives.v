From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/balanced-neuron-moves, distance_of_two_rays *)

Lemma distance_of_two_rays_d1 : forall c : R,
  0 < c ->
  is_derive (fun c => - 1 + c) c (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
