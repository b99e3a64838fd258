From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/cosine-of-beta, against_w *)

Lemma against_w_d1 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => - 1 - Dummy_0) Dummy_0 ((-1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
