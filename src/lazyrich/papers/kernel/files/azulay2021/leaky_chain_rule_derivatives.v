From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/leaky-chain-rule, slopes_of_a_product *)

Lemma slopes_of_a_product_d1 : forall v0 c0 c1 v1 c12 c14 c2 c3 c4 c5 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun v0 => c0 + c1 * v1 + c12 * v0 ^ 3 + c14 * v0 ^ 4 + c2 * v1 ^ 2 + c3 * v1 ^ 3 + c4 * v1 ^ 4 + c5 * v0 + c9 * v0 ^ 2 + c10 * v1 * v0 ^ 2 + c11 * v0 ^ 2 * v1 ^ 2 + c13 * v1 * v0 ^ 3 + c6 * v0 * v1 + c7 * v0 * v1 ^ 2 + c8 * v0 * v1 ^ 3) v0 (c5 + c6 * v1 + c7 * v1 ^ 2 + c8 * v1 ^ 3 + 2 * c9 * v0 + 3 * c12 * v0 ^ 2 + 4 * c14 * v0 ^ 3 + 2 * c10 * v0 * v1 + 2 * c11 * v0 * v1 ^ 2 + 3 * c13 * v1 * v0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_of_a_product_d2 : forall v1 c0 c1 c12 v0 c14 c2 c3 c4 c5 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun v1 => c0 + c1 * v1 + c12 * v0 ^ 3 + c14 * v0 ^ 4 + c2 * v1 ^ 2 + c3 * v1 ^ 3 + c4 * v1 ^ 4 + c5 * v0 + c9 * v0 ^ 2 + c10 * v1 * v0 ^ 2 + c11 * v0 ^ 2 * v1 ^ 2 + c13 * v1 * v0 ^ 3 + c6 * v0 * v1 + c7 * v0 * v1 ^ 2 + c8 * v0 * v1 ^ 3) v1 (c1 + c10 * v0 ^ 2 + c13 * v0 ^ 3 + c6 * v0 + 2 * c2 * v1 + 3 * c3 * v1 ^ 2 + 4 * c4 * v1 ^ 3 + 2 * c11 * v1 * v0 ^ 2 + 2 * c7 * v0 * v1 + 3 * c8 * v0 * v1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_of_a_product_d3 : forall w0 c0 a c1 w1 c5 c12 c14 c2 c3 c4 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun w0 => c0 + a * c1 * w1 + a * c5 * w0 + c12 * a ^ 3 * w0 ^ 3 + c14 * a ^ 4 * w0 ^ 4 + c2 * a ^ 2 * w1 ^ 2 + c3 * a ^ 3 * w1 ^ 3 + c4 * a ^ 4 * w1 ^ 4 + c9 * a ^ 2 * w0 ^ 2 + c10 * w1 * a ^ 3 * w0 ^ 2 + c11 * a ^ 4 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * a ^ 4 * w0 ^ 3 + c6 * w0 * w1 * a ^ 2 + c7 * w0 * a ^ 3 * w1 ^ 2 + c8 * w0 * a ^ 4 * w1 ^ 3) w0 (a * c5 + c6 * w1 * a ^ 2 + c7 * a ^ 3 * w1 ^ 2 + c8 * a ^ 4 * w1 ^ 3 + 2 * c9 * w0 * a ^ 2 + 3 * c12 * a ^ 3 * w0 ^ 2 + 4 * c14 * a ^ 4 * w0 ^ 3 + 2 * c10 * w0 * w1 * a ^ 3 + 2 * c11 * w0 * a ^ 4 * w1 ^ 2 + 3 * c13 * w1 * a ^ 4 * w0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_of_a_product_d4 : forall w1 c0 a c1 c5 w0 c12 c14 c2 c3 c4 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun w1 => c0 + a * c1 * w1 + a * c5 * w0 + c12 * a ^ 3 * w0 ^ 3 + c14 * a ^ 4 * w0 ^ 4 + c2 * a ^ 2 * w1 ^ 2 + c3 * a ^ 3 * w1 ^ 3 + c4 * a ^ 4 * w1 ^ 4 + c9 * a ^ 2 * w0 ^ 2 + c10 * w1 * a ^ 3 * w0 ^ 2 + c11 * a ^ 4 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * a ^ 4 * w0 ^ 3 + c6 * w0 * w1 * a ^ 2 + c7 * w0 * a ^ 3 * w1 ^ 2 + c8 * w0 * a ^ 4 * w1 ^ 3) w1 (a * c1 + c10 * a ^ 3 * w0 ^ 2 + c13 * a ^ 4 * w0 ^ 3 + c6 * w0 * a ^ 2 + 2 * c2 * w1 * a ^ 2 + 3 * c3 * a ^ 3 * w1 ^ 2 + 4 * c4 * a ^ 4 * w1 ^ 3 + 2 * c11 * w1 * a ^ 4 * w0 ^ 2 + 2 * c7 * w0 * w1 * a ^ 3 + 3 * c8 * w0 * a ^ 4 * w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_of_a_product_d5 : forall a c0 c1 w1 c5 w0 c12 c14 c2 c3 c4 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun a => c0 + a * c1 * w1 + a * c5 * w0 + c12 * a ^ 3 * w0 ^ 3 + c14 * a ^ 4 * w0 ^ 4 + c2 * a ^ 2 * w1 ^ 2 + c3 * a ^ 3 * w1 ^ 3 + c4 * a ^ 4 * w1 ^ 4 + c9 * a ^ 2 * w0 ^ 2 + c10 * w1 * a ^ 3 * w0 ^ 2 + c11 * a ^ 4 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * a ^ 4 * w0 ^ 3 + c6 * w0 * w1 * a ^ 2 + c7 * w0 * a ^ 3 * w1 ^ 2 + c8 * w0 * a ^ 4 * w1 ^ 3) a (c1 * w1 + c5 * w0 + 2 * a * c2 * w1 ^ 2 + 2 * a * c9 * w0 ^ 2 + 3 * c12 * a ^ 2 * w0 ^ 3 + 3 * c3 * a ^ 2 * w1 ^ 3 + 4 * c14 * a ^ 3 * w0 ^ 4 + 4 * c4 * a ^ 3 * w1 ^ 4 + 2 * a * c6 * w0 * w1 + 3 * c10 * w1 * a ^ 2 * w0 ^ 2 + 3 * c7 * w0 * a ^ 2 * w1 ^ 2 + 4 * c11 * a ^ 3 * w0 ^ 2 * w1 ^ 2 + 4 * c13 * w1 * a ^ 3 * w0 ^ 3 + 4 * c8 * w0 * a ^ 3 * w1 ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
