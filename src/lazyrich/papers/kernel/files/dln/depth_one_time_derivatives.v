From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/depth-one-time, half_at_log_two *)

Lemma half_at_log_two_d1 : forall t s : R,
  0 < t ->
  0 < s ->
  is_derive (fun t => s * (1 - exp ((-1) * t))) t (s * exp ((-1) * t)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
