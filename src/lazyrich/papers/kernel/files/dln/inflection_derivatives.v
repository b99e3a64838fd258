From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/inflection, steepest *)

Lemma steepest_d1 : forall a L s : R,
  0 < a ->
  0 < L ->
  0 < s ->
  is_derive (fun a => L * Rpower a (2 - 2 / L) * (s - a)) a (- L * Rpower a (2 - 2 / L) + L * Rpower a (2 - 2 / L) * (2 - 2 / L) * (s - a) / a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
