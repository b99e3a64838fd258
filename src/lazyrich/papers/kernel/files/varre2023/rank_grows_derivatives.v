From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/rank-grows, shares_rise *)

Lemma shares_rise_d1 : forall g s : R,
  0 < g ->
  0 < s ->
  is_derive (fun g => 2 * g / (g + sqrt (g ^ 2 + s ^ 2))) g (2 / (g + sqrt (g ^ 2 + s ^ 2)) + 2 * g * (- 1 - g / sqrt (g ^ 2 + s ^ 2)) / (g + sqrt (g ^ 2 + s ^ 2)) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
