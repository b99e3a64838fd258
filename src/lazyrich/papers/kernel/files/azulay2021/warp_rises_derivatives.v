From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warp-rises, every_factor_is_positive *)

Lemma every_factor_is_positive_d1 : forall r : R,
  0 <= r ->
  is_derive (fun r => - 1 + r) r (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
