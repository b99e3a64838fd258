From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/potential-constant, zero_at_zero_alone *)

Lemma zero_at_zero_alone_d1 : forall x : R,
  0 <= x ->
  is_derive (fun x => - 1 + x) x (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma zero_at_zero_alone_d2 : forall s : R,
  0 <= s ->
  is_derive (fun s => - 1 + s) s (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma zero_at_zero_alone_d3 : forall m : R,
  0 <= m ->
  is_derive (fun m => - 1 + m) m (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
