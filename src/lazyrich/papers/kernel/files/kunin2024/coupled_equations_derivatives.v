From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/coupled-equations, slope_of_the_coupling *)

Lemma slope_of_the_coupling_d1 : forall mu delta : R,
  0 < mu ->
  sqrt (delta ^ 2 + 4 * mu ^ 2) - delta <> 0 ->
  is_derive (fun mu => 2 * mu / (sqrt (delta ^ 2 + 4 * mu ^ 2) - delta)) mu (2 / (sqrt (delta ^ 2 + 4 * mu ^ 2) - delta) - 8 * mu ^ 2 / sqrt (delta ^ 2 + 4 * mu ^ 2) / (sqrt (delta ^ 2 + 4 * mu ^ 2) - delta) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
