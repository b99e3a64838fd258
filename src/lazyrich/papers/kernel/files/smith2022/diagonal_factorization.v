From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/diagonal-factorization, diagonal_stays *)

Lemma diagonal_stays_1 : forall u0 x0 y0 x1 u1 x2 y1 x3 : R,
  - 4 * u0 * x0 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) - 4 * u0 * x2 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2) =
  (-4) * u0 * (x0 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) + x2 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma diagonal_stays_2 : forall u1 x1 y0 x0 u0 x3 y1 x2 : R,
  - 4 * u1 * x1 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) - 4 * u1 * x3 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2) =
  (-4) * u1 * (x1 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) + x3 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
