From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/rich-entropy, limit_of_small_k *)

Lemma limit_of_small_k_d1 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 4 + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma limit_of_small_k_d2 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 3 + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma limit_of_small_k_d3 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => (1 / 2) + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
