From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/frozen-kernel, kernel_of_a_mode *)

Lemma kernel_of_a_mode_1 : forall v w : R,
  0 < v ->
  0 < w ->
  (v ^ 2 + w ^ 2) ^ 2 =
  (v ^ 2 - w ^ 2) ^ 2 + 4 * v ^ 2 * w ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
