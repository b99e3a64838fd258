From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/nuclear-norm, no_cross_terms *)

Lemma no_cross_terms_1 : forall n0 p0 x2 p2 x0 x1 y0 p1 : R,
  (n0 * (p0 * x2 - p2 * x0) + x1 * y0) ^ 2 + (n0 * (p1 * x0 - p0 * x1) + x2 * y0) ^ 2 + (n0 * (p2 * x1 - p1 * x2) + x0 * y0) ^ 2 =
  n0 ^ 2 * (p0 * x2 - p2 * x0) ^ 2 + n0 ^ 2 * (p1 * x0 - p0 * x1) ^ 2 + n0 ^ 2 * (p2 * x1 - p1 * x2) ^ 2 + x0 ^ 2 * y0 ^ 2 + x1 ^ 2 * y0 ^ 2 + x2 ^ 2 * y0 ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma no_cross_terms_2 : forall n0 p0 x2 p2 x0 x1 y0 n1 y1 p1 : R,
  (n0 * (p0 * x2 - p2 * x0) + x1 * y0) * (n1 * (p0 * x2 - p2 * x0) + x1 * y1) + (n0 * (p1 * x0 - p0 * x1) + x2 * y0) * (n1 * (p1 * x0 - p0 * x1) + x2 * y1) + (n0 * (p2 * x1 - p1 * x2) + x0 * y0) * (n1 * (p2 * x1 - p1 * x2) + x0 * y1) =
  n0 * n1 * (p0 * x2 - p2 * x0) ^ 2 + n0 * n1 * (p1 * x0 - p0 * x1) ^ 2 + n0 * n1 * (p2 * x1 - p1 * x2) ^ 2 + y0 * y1 * x0 ^ 2 + y0 * y1 * x1 ^ 2 + y0 * y1 * x2 ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma no_cross_terms_3 : forall n1 p0 x2 p2 x0 x1 y1 p1 : R,
  (n1 * (p0 * x2 - p2 * x0) + x1 * y1) ^ 2 + (n1 * (p1 * x0 - p0 * x1) + x2 * y1) ^ 2 + (n1 * (p2 * x1 - p1 * x2) + x0 * y1) ^ 2 =
  n1 ^ 2 * (p0 * x2 - p2 * x0) ^ 2 + n1 ^ 2 * (p1 * x0 - p0 * x1) ^ 2 + n1 ^ 2 * (p2 * x1 - p1 * x2) ^ 2 + x0 ^ 2 * y1 ^ 2 + x1 ^ 2 * y1 ^ 2 + x2 ^ 2 * y1 ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
