From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/one-output-overlaps, overlaps_of_two *)

Lemma overlaps_of_two_d1 : forall p0 : R,
  0 < p0 ->
  is_derive (fun p0 => - 1 + p0) p0 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma overlaps_of_two_d2 : forall p1 : R,
  0 < p1 ->
  is_derive (fun p1 => - 1 + p1) p1 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
