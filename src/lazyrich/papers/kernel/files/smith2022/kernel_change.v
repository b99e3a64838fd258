From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/kernel-change, of_the_predictor *)

Lemma of_the_predictor_1 : forall m p : R,
  (m ^ 2 + p ^ 2) ^ 2 =
  (p ^ 2 - m ^ 2) ^ 2 + 4 * m ^ 2 * p ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
