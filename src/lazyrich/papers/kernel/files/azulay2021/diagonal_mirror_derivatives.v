From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-mirror, slope_along_the_flow *)

Lemma slope_along_the_flow_d1 : forall w k : R,
  0 < w ->
  0 < k ->
  is_derive (fun w => (1 / 2) * ln (sqrt (1 + 4 * w ^ 2 / k) + 2 * w / sqrt k)) w ((1 / 2) * (2 / sqrt k + 4 * w / k / sqrt (1 + 4 * w ^ 2 / k)) / (sqrt (1 + 4 * w ^ 2 / k) + 2 * w / sqrt k)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.
