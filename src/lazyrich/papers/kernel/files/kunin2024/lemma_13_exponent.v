From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/lemma-13-exponent, telescoped_norm *)

Lemma telescoped_norm_1 : forall v_at W2 W2t a : R,
  v_at * W2 * W2t * W2 * W2t * a =
  v_at * (W2 * W2t) ^ 2 * a.
Proof.
  intros.
  field; nonzero.
Qed.
