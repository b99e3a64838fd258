From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/lazy-proportions, in_proportion *)

Lemma in_proportion_d1 : forall s1 : R,
  0 < s1 ->
  is_derive (fun s1 => - 1 + s1) s1 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
