From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/leaky-slopes, two_sides_of_the_kink *)

Lemma two_sides_of_the_kink_d1 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 1 + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d2 : forall k : R,
  0 < k ->
  is_derive (fun k => 1 + k) k (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d3 : forall neg : R,
  neg < 0 ->
  is_derive (fun neg => 1 + neg) neg (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d4 : forall neg : R,
  neg < 0 ->
  is_derive (fun neg => 1 + neg) neg (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d5 : forall neg : R,
  neg < 0 ->
  is_derive (fun neg => 1 + neg) neg (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d6 : forall pos : R,
  0 < pos ->
  is_derive (fun pos => - 1 + pos) pos (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d7 : forall pos : R,
  0 < pos ->
  is_derive (fun pos => - 1 + pos) pos (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_sides_of_the_kink_d8 : forall pos : R,
  0 < pos ->
  is_derive (fun pos => - 1 + pos) pos (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

(* azulay2021/leaky-slopes, larger_of_two_slopes *)

Lemma larger_of_two_slopes_d1 : forall rho : R,
  0 < rho ->
  is_derive (fun rho => - 1 + rho) rho (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma larger_of_two_slopes_d2 : forall rho : R,
  0 < rho ->
  is_derive (fun rho => 1 - rho) rho ((-1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
