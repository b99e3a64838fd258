From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/alpha-in-the-span, the_kernel_stays_empty *)

Lemma the_kernel_stays_empty_1 : forall x0 x1 y0 a0 a2 a3 y1 a1 : R,
  x0 * (x1 * y0 - a0 * (a2 * x0 * y0 + a3 * x0 * y1) - a2 * (a2 * x1 * y0 + a3 * x1 * y1)) - x1 * (x0 * y0 - a0 * (a0 * x0 * y0 + a1 * x0 * y1) - a2 * (a0 * x1 * y0 + a1 * x1 * y1)) =
  a0 * (x0 * y0 * (a0 * x1 - a2 * x0) + x0 * y1 * (a1 * x1 - a3 * x0)) + a2 * (x1 * y0 * (a0 * x1 - a2 * x0) + x1 * y1 * (a1 * x1 - a3 * x0)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma the_kernel_stays_empty_2 : forall x0 x1 y1 a1 a2 y0 a3 a0 : R,
  x0 * (x1 * y1 - a1 * (a2 * x0 * y0 + a3 * x0 * y1) - a3 * (a2 * x1 * y0 + a3 * x1 * y1)) - x1 * (x0 * y1 - a1 * (a0 * x0 * y0 + a1 * x0 * y1) - a3 * (a0 * x1 * y0 + a1 * x1 * y1)) =
  a1 * (x0 * y0 * (a0 * x1 - a2 * x0) + x0 * y1 * (a1 * x1 - a3 * x0)) + a3 * (x1 * y0 * (a0 * x1 - a2 * x0) + x1 * y1 * (a1 * x1 - a3 * x0)).
Proof.
  intros.
  field; nonzero.
Qed.
