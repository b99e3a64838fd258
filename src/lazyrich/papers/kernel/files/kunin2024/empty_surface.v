From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/empty-surface, more_than_cauchy_allows *)

Lemma more_than_cauchy_allows_1 : forall a l delta : R,
  0 < a ->
  0 < l ->
  0 < delta ->
  a ^ 2 * l ^ 2 - (a ^ 2 - delta) * (l ^ 2 - delta * l) =
  delta * (l ^ 2 + l * a ^ 2 - delta * l).
Proof.
  intros.
  field; nonzero.
Qed.
