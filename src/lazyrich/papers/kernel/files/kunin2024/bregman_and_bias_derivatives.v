From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/bregman-and-bias, same_slope *)

Lemma same_slope_d1 : forall beta0 slope0 beta1 slope1 start0 start1 : R,
  is_derive (fun beta0 => beta0 * slope0 + beta1 * slope1 - slope0 * (beta0 - start0) - slope1 * (beta1 - start1)) beta0 (0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma same_slope_d2 : forall beta1 beta0 slope0 slope1 start0 start1 : R,
  is_derive (fun beta1 => beta0 * slope0 + beta1 * slope1 - slope0 * (beta0 - start0) - slope1 * (beta1 - start1)) beta1 (0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
