From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/mode-equation, equation_of_a_mode *)

Lemma equation_of_a_mode_1 : forall p s : R,
  0 < p ->
  0 < s ->
  (-3) * p ^ 4 * (p ^ 3 - s) =
  3 * p ^ 4 * (s - p ^ 3).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma equation_of_a_mode_2 : forall q u : R,
  0 < q ->
  0 < u ->
  (-3) * q ^ 4 * (q ^ 3 - u) =
  3 * q ^ 4 * (u - q ^ 3).
Proof.
  intros.
  field; nonzero.
Qed.
