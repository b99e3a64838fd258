From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/leaky-chain-rule, slopes_of_a_product *)

Lemma slopes_of_a_product_1 : forall a c5 c6 w1 c7 c8 c9 w0 c12 c14 c10 c11 c13 : R,
  a * c5 + c6 * w1 * a ^ 2 + c7 * a ^ 3 * w1 ^ 2 + c8 * a ^ 4 * w1 ^ 3 + 2 * c9 * w0 * a ^ 2 + 3 * c12 * a ^ 3 * w0 ^ 2 + 4 * c14 * a ^ 4 * w0 ^ 3 + 2 * c10 * w0 * w1 * a ^ 3 + 2 * c11 * w0 * a ^ 4 * w1 ^ 2 + 3 * c13 * w1 * a ^ 4 * w0 ^ 2 =
  a * (c5 + a * c6 * w1 + c7 * a ^ 2 * w1 ^ 2 + c8 * a ^ 3 * w1 ^ 3 + 2 * a * c9 * w0 + 3 * c12 * a ^ 2 * w0 ^ 2 + 4 * c14 * a ^ 3 * w0 ^ 3 + 2 * c10 * w0 * w1 * a ^ 2 + 2 * c11 * w0 * a ^ 3 * w1 ^ 2 + 3 * c13 * w1 * a ^ 3 * w0 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma slopes_of_a_product_2 : forall a c1 c10 w0 c13 c6 c2 w1 c3 c4 c11 c7 c8 : R,
  a * c1 + c10 * a ^ 3 * w0 ^ 2 + c13 * a ^ 4 * w0 ^ 3 + c6 * w0 * a ^ 2 + 2 * c2 * w1 * a ^ 2 + 3 * c3 * a ^ 3 * w1 ^ 2 + 4 * c4 * a ^ 4 * w1 ^ 3 + 2 * c11 * w1 * a ^ 4 * w0 ^ 2 + 2 * c7 * w0 * w1 * a ^ 3 + 3 * c8 * w0 * a ^ 4 * w1 ^ 2 =
  a * (c1 + a * c6 * w0 + c10 * a ^ 2 * w0 ^ 2 + c13 * a ^ 3 * w0 ^ 3 + 2 * a * c2 * w1 + 3 * c3 * a ^ 2 * w1 ^ 2 + 4 * c4 * a ^ 3 * w1 ^ 3 + 2 * c11 * w1 * a ^ 3 * w0 ^ 2 + 2 * c7 * w0 * w1 * a ^ 2 + 3 * c8 * w0 * a ^ 3 * w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma slopes_of_a_product_3 : forall c1 w1 c5 w0 a c2 c9 c12 c3 c14 c4 c6 c10 c7 c11 c13 c8 : R,
  c1 * w1 + c5 * w0 + 2 * a * c2 * w1 ^ 2 + 2 * a * c9 * w0 ^ 2 + 3 * c12 * a ^ 2 * w0 ^ 3 + 3 * c3 * a ^ 2 * w1 ^ 3 + 4 * c14 * a ^ 3 * w0 ^ 4 + 4 * c4 * a ^ 3 * w1 ^ 4 + 2 * a * c6 * w0 * w1 + 3 * c10 * w1 * a ^ 2 * w0 ^ 2 + 3 * c7 * w0 * a ^ 2 * w1 ^ 2 + 4 * c11 * a ^ 3 * w0 ^ 2 * w1 ^ 2 + 4 * c13 * w1 * a ^ 3 * w0 ^ 3 + 4 * c8 * w0 * a ^ 3 * w1 ^ 3 =
  w0 * (c5 + a * c6 * w1 + c7 * a ^ 2 * w1 ^ 2 + c8 * a ^ 3 * w1 ^ 3 + 2 * a * c9 * w0 + 3 * c12 * a ^ 2 * w0 ^ 2 + 4 * c14 * a ^ 3 * w0 ^ 3 + 2 * c10 * w0 * w1 * a ^ 2 + 2 * c11 * w0 * a ^ 3 * w1 ^ 2 + 3 * c13 * w1 * a ^ 3 * w0 ^ 2) + w1 * (c1 + a * c6 * w0 + c10 * a ^ 2 * w0 ^ 2 + c13 * a ^ 3 * w0 ^ 3 + 2 * a * c2 * w1 + 3 * c3 * a ^ 2 * w1 ^ 2 + 4 * c4 * a ^ 3 * w1 ^ 3 + 2 * c11 * w1 * a ^ 3 * w0 ^ 2 + 2 * c7 * w0 * w1 * a ^ 2 + 3 * c8 * w0 * a ^ 3 * w1 ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
