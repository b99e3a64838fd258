From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/deep-time, a_power_at_depth_four *)

Lemma a_power_at_depth_four_1 : forall y : R,
  0 < y ->
  1 - y <> 0 ->
  1 - y ^ 4 <> 0 ->
  / (y ^ 3) - (1 / 4) / (1 + y) + (1 / 4) / (1 - y) + (1 / 2) * y / (1 + y ^ 2) =
  1 / y ^ 3 / (1 - y ^ 4).
Proof.
  intros.
  field; nonzero.
Qed.
