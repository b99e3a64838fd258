From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/depth-one-time, half_at_log_two *)

Lemma half_at_log_two_1 : forall s t : R,
  0 < s ->
  0 < t ->
  s * exp ((-1) * t) =
  s - s * (1 - exp ((-1) * t)).
Proof.
  intros.
  assert (E : exp ((-1) * t) = / exp (t) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (t)).
  set (power1 := exp (t)) in *; clearbody power1.
  field; nonzero.
Qed.
