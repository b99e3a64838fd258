From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/one-unseen-direction, alpha_solves *)

Lemma alpha_solves_d1 : forall r : R,
  0 < r ->
  is_derive (fun r => - 1 + r) r (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma alpha_solves_d2 : forall k : R,
  0 < k ->
  is_derive (fun k => - 1 + k) k (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
