From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/dimensions, full_rank *)

Lemma full_rank_d1 : forall a0 b0 x0 a2 x1 b1 a1 a3 : R,
  is_derive (fun a0 => b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) a0 (b0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma full_rank_d2 : forall a1 b0 a0 x0 a2 x1 b1 a3 : R,
  is_derive (fun a1 => b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) a1 (b1 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma full_rank_d3 : forall a2 b0 a0 x0 x1 b1 a1 a3 : R,
  is_derive (fun a2 => b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) a2 (b0 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma full_rank_d4 : forall a3 b0 a0 x0 a2 x1 b1 a1 : R,
  is_derive (fun a3 => b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) a3 (b1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma full_rank_d5 : forall b0 a0 x0 a2 x1 b1 a1 a3 : R,
  is_derive (fun b0 => b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) b0 (a0 * x0 + a2 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma full_rank_d6 : forall b1 b0 a0 x0 a2 x1 a1 a3 : R,
  is_derive (fun b1 => b0 * (a0 * x0 + a2 * x1) + b1 * (a1 * x0 + a3 * x1)) b1 (a1 * x0 + a3 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
