From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/balance, rate_of_the_balance *)

Lemma rate_of_the_balance_1 : forall a0 p0 w0 p1 w2 p2 w4 : R,
  a0 * (2 * p0 * w0 + 2 * p1 * w2 + 2 * p2 * w4) - 2 * a0 * p0 * w0 - 2 * a0 * p1 * w2 - 2 * a0 * p2 * w4 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rate_of_the_balance_2 : forall a0 p0 w1 p1 w3 p2 w5 a1 w0 w2 w4 : R,
  a0 * (p0 * w1 + p1 * w3 + p2 * w5) + a1 * (p0 * w0 + p1 * w2 + p2 * w4) - a0 * p0 * w1 - a0 * p1 * w3 - a0 * p2 * w5 - a1 * p0 * w0 - a1 * p1 * w2 - a1 * p2 * w4 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma rate_of_the_balance_3 : forall a1 p0 w1 p1 w3 p2 w5 : R,
  a1 * (2 * p0 * w1 + 2 * p1 * w3 + 2 * p2 * w5) - 2 * a1 * p0 * w1 - 2 * a1 * p1 * w3 - 2 * a1 * p2 * w5 =
  0.
Proof.
  intros.
  field; nonzero.
Qed.
