From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/recovery, back_from_mu *)

Lemma back_from_mu_d1 : forall s : R,
  0 < s ->
  is_derive (fun s => - 1 + s) s (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
