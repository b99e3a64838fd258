From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/linearized-homogeneity, linearized_at_both *)

Lemma linearized_at_both_d1 : forall z0 z1 : R,
  is_derive (fun z0 => z0 ^ 3 - z1 ^ 3) z0 (3 * z0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma linearized_at_both_d2 : forall z1 z0 : R,
  is_derive (fun z1 => z0 ^ 3 - z1 ^ 3) z1 ((-3) * z1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
