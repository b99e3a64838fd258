From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/vanishing-bias, what_the_data_do_not_see *)

Lemma what_the_data_do_not_see_1 : forall x0 w2 r w0 x1 w3 w1 a0 a1 : R,
  x0 * (w2 * (r * w0 * x0 + r * w2 * x1) + w3 * (r * w1 * x0 + r * w3 * x1) + r * x1 * a0 ^ 2 + r * x1 * a1 ^ 2) - x1 * (w0 * (r * w0 * x0 + r * w2 * x1) + w1 * (r * w1 * x0 + r * w3 * x1) + r * x0 * a0 ^ 2 + r * x0 * a1 ^ 2) =
  (w2 * x0 - w0 * x1) * (r * w0 * x0 + r * w2 * x1) + (w3 * x0 - w1 * x1) * (r * w1 * x0 + r * w3 * x1).
Proof.
  intros.
  field; nonzero.
Qed.
