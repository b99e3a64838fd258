From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/figure-1-scaling, imbalance_of_the_scaled *)

Lemma imbalance_of_the_scaled_1 : forall alpha tau u : R,
  0 < alpha ->
  0 < tau ->
  0 < u ->
  alpha ^ 2 * tau ^ 2 - tau ^ 2 * (1 - u ^ 2) ^ 2 / alpha ^ 2 / (1 + u ^ 2) ^ 2 - 4 * tau ^ 2 * u ^ 2 / alpha ^ 2 / (1 + u ^ 2) ^ 2 =
  tau ^ 2 * (alpha ^ 2 - / (alpha ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
