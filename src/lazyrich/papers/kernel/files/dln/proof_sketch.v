From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/proof-sketch, falls_along_a_mode *)

Lemma falls_along_a_mode_1 : forall epsilon s : R,
  0 < epsilon ->
  0 < s ->
  (1 / 2) * (epsilon ^ 2 - s) ^ 2 - (1 / 2) * s ^ 2 =
  (1 / 2) * epsilon ^ 4 - s * epsilon ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma falls_along_a_mode_2 : forall epsilon s : R,
  0 < epsilon ->
  0 < s ->
  (1 / 2) * (epsilon ^ 3 - s) ^ 2 - (1 / 2) * s ^ 2 =
  (1 / 2) * epsilon ^ 6 - s * epsilon ^ 3.
Proof.
  intros.
  field; nonzero.
Qed.
