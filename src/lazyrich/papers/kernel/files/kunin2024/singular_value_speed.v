From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/singular-value-speed, singular_values_move *)

Lemma singular_values_move_1 : forall g0 sigma_1 sigma_2 : R,
  0 < sigma_1 ->
  0 < sigma_2 ->
  2 * sigma_1 ^ 3 - 2 * sigma_1 * sigma_2 ^ 2 <> 0 ->
  (-1) * (- 2 * g0 * sigma_1 ^ 3 + 2 * g0 * sigma_1 * sigma_2 ^ 2) / (2 * sigma_1 ^ 3 - 2 * sigma_1 * sigma_2 ^ 2) =
  g0.
Proof.
  intros.
  field; nonzero.
Qed.
