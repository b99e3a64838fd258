From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/no-common-warp, warp_is_unique *)

Lemma warp_is_unique_d1 : forall f_1 G_11 f_2 G_12 : R,
  is_derive (fun f_1 => G_11 * f_2 - G_12 * f_1) f_1 ((-1) * G_12).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma warp_is_unique_d2 : forall f_2 G_11 G_12 f_1 : R,
  is_derive (fun f_2 => G_11 * f_2 - G_12 * f_1) f_2 (G_11).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma warp_is_unique_d3 : forall f_1 G_12 f_2 G_22 : R,
  is_derive (fun f_1 => G_12 * f_2 - G_22 * f_1) f_1 ((-1) * G_22).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma warp_is_unique_d4 : forall f_2 G_12 G_22 f_1 : R,
  is_derive (fun f_2 => G_12 * f_2 - G_22 * f_1) f_2 (G_12).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
