From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/delayed-alignment, steady_state_plugged_in *)

Lemma steady_state_plugged_in_1 : forall p B phi t D : R,
  0 < p ->
  0 < B ->
  0 < phi ->
  0 < t ->
  0 < D ->
  1 - phi ^ 2 <> 0 ->
  1 + phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / (1 - phi ^ 2) <> 0 ->
  - 2 * p * B ^ 2 * phi ^ 4 * exp (4 * p * t * B ^ 2 / D) / D / (1 - phi ^ 2) ^ 2 / (1 + phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / (1 - phi ^ 2)) ^ 2 + 2 * p * B ^ 2 * phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / D / (1 - phi ^ 2) / (1 + phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / (1 - phi ^ 2)) =
  2 * p * B ^ 2 * phi ^ 2 * (1 / (1 - phi ^ 2) / (1 + phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / (1 - phi ^ 2))) * (1 - phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / (1 - phi ^ 2) / (1 + phi ^ 2 * exp (2 * p * t * B ^ 2 / D) / (1 - phi ^ 2))) * exp (2 * p * t * B ^ 2 / D) / D.
Proof.
  intros.
  assert (E : exp (4 * p * t * B ^ 2 / D) = exp (2 * p * t * B ^ 2 / D) ^ 2) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (2 * p * t * B ^ 2 / D)).
  set (power1 := exp (2 * p * t * B ^ 2 / D)) in *; clearbody power1.
  field; nonzero.
Qed.
