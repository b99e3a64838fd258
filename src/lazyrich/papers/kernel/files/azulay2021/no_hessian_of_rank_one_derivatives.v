From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/no-hessian-of-rank-one, twist_of_rank_one *)

Lemma twist_of_rank_one_d1 : forall w0 : R,
  is_derive (fun w0 => 1 + w0 ^ 2) w0 (2 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d2 : forall w0 w1 : R,
  is_derive (fun w0 => w0 * w1) w0 (w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d3 : forall w0 w2 : R,
  is_derive (fun w0 => w0 * w2) w0 (w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d4 : forall w1 w0 : R,
  is_derive (fun w1 => w0 * w1) w1 (w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d5 : forall w2 w0 : R,
  is_derive (fun w2 => w0 * w2) w2 (w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d6 : forall w1 : R,
  is_derive (fun w1 => 1 + w1 ^ 2) w1 (2 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d7 : forall w1 w2 : R,
  is_derive (fun w1 => w1 * w2) w1 (w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d8 : forall w2 w1 : R,
  is_derive (fun w2 => w1 * w2) w2 (w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_rank_one_d9 : forall w2 : R,
  is_derive (fun w2 => 1 + w2 ^ 2) w2 (2 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
