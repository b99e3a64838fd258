From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/commuting, logarithm_in_the_span *)

Lemma logarithm_in_the_span_1 : forall x0 u0 y0 x1 u1 x2 y1 x3 : R,
  0 < u0 ->
  0 < u1 ->
  2 * (- 4 * x0 * u0 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) - 4 * x2 * u0 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2)) / u0 =
  - 8 * x0 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) - 8 * x2 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma logarithm_in_the_span_2 : forall x1 u1 y0 x0 u0 x3 y1 x2 : R,
  0 < u1 ->
  0 < u0 ->
  2 * (- 4 * x1 * u1 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) - 4 * x3 * u1 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2)) / u1 =
  - 8 * x1 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) - 8 * x3 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
