From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/exponential-approach, pace_at_the_end *)

Lemma pace_at_the_end_d1 : forall a s : R,
  0 < a ->
  0 < s ->
  0 < s - a ->
  s - a <> 0 ->
  is_derive (fun a => ln (s - a)) a ((-1) / (s - a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
