From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/midpoint-rate, growth_with_depth *)

Lemma growth_with_depth_d1 : forall L s : R,
  0 < L ->
  0 < s ->
  is_derive (fun L => - ln 2 + (- 2 + 2 * L) * (- ln 2 + ln s) / L + ln L + ln s) L (/ (L) + 2 * (- ln 2 + ln s) / L - (- 2 + 2 * L) * (- ln 2 + ln s) / L ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
