From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/entropy-limits, limits_of_the_entropy *)

Lemma limits_of_the_entropy_d1 : forall size : R,
  0 < size ->
  is_derive (fun size => - 1 + size) size (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
