From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/positive-definite, form_of_two_parts *)

Lemma form_of_two_parts_d1 : forall kappa : R,
  0 <= kappa ->
  is_derive (fun kappa => - 1 + kappa) kappa (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
