From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/kernel-distance-range, cosine_of_two_kernels *)

Lemma cosine_of_two_kernels_d1 : forall p : R,
  0 <= p ->
  is_derive (fun p => - 1 + p) p (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma cosine_of_two_kernels_d2 : forall q : R,
  0 <= q ->
  is_derive (fun q => - 1 + q) q (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma cosine_of_two_kernels_d3 : forall r : R,
  0 <= r ->
  is_derive (fun r => - 1 + r) r (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma cosine_of_two_kernels_d4 : forall s : R,
  0 <= s ->
  is_derive (fun s => - 1 + s) s (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
