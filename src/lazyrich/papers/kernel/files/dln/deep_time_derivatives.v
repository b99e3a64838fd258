From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/deep-time, a_power_at_depth_four *)

Lemma a_power_at_depth_four_d1 : forall y : R,
  0 < y ->
  0 < 1 - y ->
  1 - y <> 0 ->
  is_derive (fun y => - (1 / 2) / y ^ 2 - (1 / 4) * ln (1 + y) - (1 / 4) * ln (1 - y) + (1 / 4) * ln (1 + y ^ 2)) y (/ (y ^ 3) - (1 / 4) / (1 + y) + (1 / 4) / (1 - y) + (1 / 2) * y / (1 + y ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
