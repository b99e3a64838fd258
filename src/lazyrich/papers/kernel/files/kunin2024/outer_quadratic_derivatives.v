From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/outer-quadratic, the_one_positive_root *)

Lemma the_one_positive_root_d1 : forall kappa : R,
  0 < kappa ->
  is_derive (fun kappa => - 1 + kappa) kappa (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma the_one_positive_root_d2 : forall eta_w : R,
  0 < eta_w ->
  is_derive (fun eta_w => - 1 + eta_w) eta_w (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
