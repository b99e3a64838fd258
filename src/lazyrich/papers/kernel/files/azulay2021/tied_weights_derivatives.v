From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/tied-weights, half_of_the_tied_potential *)

Lemma half_of_the_tied_potential_d1 : forall alpha : R,
  0 < alpha ->
  is_derive (fun alpha => - 1 + alpha) alpha (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
