From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-kernel, kernel_by_gradients *)

Lemma kernel_by_gradients_1 : forall x0 y0 u_p0 v_p0 x1 y1 u_p1 v_p1 : R,
  2 * x0 * y0 * u_p0 ^ 2 + 2 * x0 * y0 * v_p0 ^ 2 + 2 * x1 * y1 * u_p1 ^ 2 + 2 * x1 * y1 * v_p1 ^ 2 =
  2 * x0 * y0 * (u_p0 ^ 2 + v_p0 ^ 2) + 2 * x1 * y1 * (u_p1 ^ 2 + v_p1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
