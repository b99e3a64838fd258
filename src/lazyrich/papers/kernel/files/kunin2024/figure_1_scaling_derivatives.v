From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/figure-1-scaling, imbalance_of_the_scaled *)

Lemma imbalance_of_the_scaled_d1 : forall u : R,
  0 < u ->
  is_derive (fun u => - 1 + u) u (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma imbalance_of_the_scaled_d2 : forall Dummy_0 : R,
  0 < Dummy_0 ->
  is_derive (fun Dummy_0 => 1 + Dummy_0) Dummy_0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma imbalance_of_the_scaled_d3 : forall u : R,
  0 < u ->
  is_derive (fun u => 1 + u ^ 2) u (2 * u).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
