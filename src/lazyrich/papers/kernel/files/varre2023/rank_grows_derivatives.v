From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/rank-grows, shares_rise *)

Lemma shares_rise_d1 : forall g s : R,
  0 < g ->
  0 < s ->
  is_derive (fun g => ln (g + sqrt (g ^ 2 + s ^ 2))) g ((1 + g / sqrt (g ^ 2 + s ^ 2)) / (g + sqrt (g ^ 2 + s ^ 2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma shares_rise_d2 : forall g : R,
  0 < g ->
  is_derive (fun g => ln (2 * g)) g (/ (g)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
