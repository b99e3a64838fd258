From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/wide-conservation, nothing_drives_the_imbalance *)

Lemma nothing_drives_the_imbalance_d1 : forall h eta_w A At eta_a W Wt G Gt : R,
  0 < eta_w ->
  0 < eta_a ->
  is_derive (fun h => eta_w * A * At - eta_a * W * Wt + eta_w * h ^ 2 * eta_a ^ 2 * W * G * Gt * Wt - eta_a * h ^ 2 * eta_w ^ 2 * A * Gt * G * At) h (- 2 * h * eta_a * eta_w ^ 2 * A * Gt * G * At + 2 * h * eta_w * eta_a ^ 2 * W * G * Gt * Wt).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
