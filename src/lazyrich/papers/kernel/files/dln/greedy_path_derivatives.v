From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/greedy-path, none_is_smaller *)

Lemma none_is_smaller_d1 : forall s2 : R,
  0 < s2 ->
  is_derive (fun s2 => - 1 + s2) s2 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
