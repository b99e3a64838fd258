From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/schatten, mirror_of_depth_l *)

Lemma mirror_of_depth_l_d1 : forall a L a0 : R,
  0 < a ->
  0 < L ->
  0 < a0 ->
  is_derive (fun a => a - (1 / 2) * L * Rpower a (2 / L) * Rpower a0 (1 - 2 / L)) a (1 - Rpower a (2 / L) * Rpower a0 (1 - 2 / L) / a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma mirror_of_depth_l_d2 : forall a L a0 : R,
  0 < a ->
  0 < L ->
  0 < a0 ->
  is_derive (fun a => 1 - Rpower a (2 / L) * Rpower a0 (1 - 2 / L) / a) a (Rpower a (2 / L) * Rpower a0 (1 - 2 / L) / a ^ 2 - 2 * Rpower a (2 / L) * Rpower a0 (1 - 2 / L) / L / a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
