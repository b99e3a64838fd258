From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/greedy-path, least_norm_at_equal_loss *)

Lemma least_norm_at_equal_loss_1 : forall s1 b1 s2 b2 a1 : R,
  0 <= s1 ->
  0 <= b1 ->
  0 <= s2 ->
  0 <= b2 ->
  0 <= a1 ->
  (1 / 2) * (s1 - b1) ^ 2 + (1 / 2) * (s2 - b2) ^ 2 - (1 / 2) * s2 ^ 2 - (1 / 2) * (s1 - a1) ^ 2 + (s1 - a1) * (b1 + b2 - a1) =
  (1 / 2) * b2 ^ 2 + (1 / 2) * (b1 - a1) ^ 2 + b2 * (s1 - a1 - s2).
Proof.
  intros.
  field; nonzero.
Qed.
