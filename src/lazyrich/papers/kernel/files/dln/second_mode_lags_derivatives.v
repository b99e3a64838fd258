From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/second-mode-lags, small_when_the_first_is_learned *)

Lemma small_when_the_first_is_learned_d1 : forall z : R,
  0 < z ->
  is_derive (fun z => - 1 + z) z (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma small_when_the_first_is_learned_d2 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => - (2 / 3) + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma small_when_the_first_is_learned_d3 : forall z : R,
  0 < z ->
  is_derive (fun z => - (2 / 3) + (1 / 3) * z ^ 3) z (z ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma small_when_the_first_is_learned_d4 : forall z : R,
  0 < z ->
  is_derive (fun z => - 2 + z ^ 3) z (3 * z ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
