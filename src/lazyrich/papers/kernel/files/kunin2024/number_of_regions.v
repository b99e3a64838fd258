From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/number-of-regions, one_more_hyperplane *)

Lemma one_more_hyperplane_1 : forall h : R,
  2 + h + (1 / 2) * h * (1 + h) =
  2 + 2 * h + (1 / 2) * h * (- 1 + h).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma one_more_hyperplane_2 : forall h : R,
  2 + h + (1 / 2) * h * (1 + h) + (1 / 6) * h * (1 + h) * (- 1 + h) =
  2 + 2 * h + h * (- 1 + h) + (1 / 6) * h * (- 1 + h) * (- 2 + h).
Proof.
  intros.
  field; nonzero.
Qed.
