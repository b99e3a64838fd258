From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/b-equation, equation_of_b *)

Lemma equation_of_b_d1 : forall b L : R,
  0 < b ->
  0 < L ->
  is_derive (fun b => Rpower b ((1 / 2) * L)) b ((1 / 2) * L * Rpower b ((1 / 2) * L) / b).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
