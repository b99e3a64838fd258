From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/mu-is-invariant, under_rescaling *)

Lemma under_rescaling_d1 : forall alpha : R,
  0 < alpha ->
  is_derive (fun alpha => - 1 + alpha) alpha (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma under_rescaling_d2 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 1 - Dummy_0) Dummy_0 ((-1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma under_rescaling_d3 : forall alpha : R,
  alpha < 0 ->
  is_derive (fun alpha => 1 + alpha) alpha (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma under_rescaling_d4 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => - 1 - Dummy_0) Dummy_0 ((-1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma under_rescaling_d5 : forall alpha : R,
  alpha < 0 ->
  is_derive (fun alpha => - 1 + alpha) alpha (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
