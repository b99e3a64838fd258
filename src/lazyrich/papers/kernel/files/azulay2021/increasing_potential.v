From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/increasing-potential, slope_is_positive *)

Lemma slope_is_positive_1 : forall w r p : R,
  0 < w ->
  0 < r ->
  0 < p ->
  w * (3 * r + ((- r ^ 3 - 2 * r * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2) + 2 * r * p ^ 2) / r - (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r ^ 2) / r) / (p ^ 2 + r ^ 2) =
  (3 / 2) * w / r.
Proof.
  intros.
  field; nonzero.
Qed.
