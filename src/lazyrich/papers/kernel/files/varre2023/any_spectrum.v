From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/any-spectrum, with_a_spectrum *)

Lemma with_a_spectrum_1 : forall a d0 d1 : R,
  a ^ 2 * d0 ^ 4 + a ^ 2 * d1 ^ 4 =
  a ^ 2 * (d0 ^ 4 + d1 ^ 4).
Proof.
  intros.
  field; nonzero.
Qed.
