From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/deep-inverse, sherman_morrison *)

Lemma sherman_morrison_d1 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 2 + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sherman_morrison_d2 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => - 2 - Dummy_0) Dummy_0 ((-1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sherman_morrison_d3 : forall L : R,
  0 < L ->
  is_derive (fun L => 2 + 4 * L) L (4).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sherman_morrison_d4 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 4 + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
