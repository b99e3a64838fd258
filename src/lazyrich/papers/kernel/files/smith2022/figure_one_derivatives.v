From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/figure-one, the_gap *)

Lemma the_gap_d1 : forall w0 w1 : R,
  is_derive (fun w0 => w0 ^ 2 - w1 ^ 2) w0 (2 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma the_gap_d2 : forall w1 w0 : R,
  is_derive (fun w1 => w0 ^ 2 - w1 ^ 2) w1 ((-2) * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
