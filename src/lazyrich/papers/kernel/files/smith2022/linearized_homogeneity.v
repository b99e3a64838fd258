From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/linearized-homogeneity, linearized_at_both *)

Lemma linearized_at_both_1 : forall a c w1 w0 : R,
  - 3 * a ^ 2 * c ^ 2 * (a * w1 - a * c) + 3 * a ^ 2 * c ^ 2 * (a * w0 - a * c) =
  a ^ 3 * (- 3 * c ^ 2 * (w1 - c) + 3 * c ^ 2 * (w0 - c)).
Proof.
  intros.
  field; nonzero.
Qed.
