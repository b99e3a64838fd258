From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/sufficiently-aligned, side_in_terms_of_beta *)

Lemma side_in_terms_of_beta_1 : forall a b0 w0 b1 w1 l : R,
  0 < a ->
  0 < l ->
  a * (b0 * w0 + b1 * w1 + a * l) =
  l * a ^ 2 + b0 * w0 * a + b1 * w1 * a.
Proof.
  intros.
  field; nonzero.
Qed.
