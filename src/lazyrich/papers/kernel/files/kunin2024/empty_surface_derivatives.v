From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/empty-surface, no_common_point *)

Lemma no_common_point_d1 : forall l : R,
  0 < l ->
  is_derive (fun l => - 1 + l) l (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
