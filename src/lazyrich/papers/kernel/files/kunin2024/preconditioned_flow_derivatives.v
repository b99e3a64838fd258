From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/preconditioned-flow, product_rule *)

Lemma product_rule_d1 : forall a w0 g00 g01 w1 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) a ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 - b1 * w1 - b2 * w2 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1 + g02 * w2) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1 + g12 * w2) + (1 / 2) * w2 * a * (g02 * w0 + g12 * w1 + g22 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d2 : forall w0 a g00 g01 w1 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w0 ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2 + (1 / 2) * g02 * w2 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d3 : forall w1 w0 a g00 g01 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w1 ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2 + (1 / 2) * g12 * w2 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d4 : forall w2 w0 a g00 g01 w1 g02 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w2 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w2 ((1 / 2) * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b2 * a + (1 / 2) * g02 * w0 * a ^ 2 + (1 / 2) * g12 * w1 * a ^ 2 + (1 / 2) * g22 * w2 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d5 : forall a w0 : R,
  0 < a ->
  is_derive (fun a => w0 * a) a (w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d6 : forall w0 a : R,
  0 < a ->
  is_derive (fun w0 => w0 * a) w0 (a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d7 : forall a w1 : R,
  0 < a ->
  is_derive (fun a => w1 * a) a (w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d8 : forall w1 a : R,
  0 < a ->
  is_derive (fun w1 => w1 * a) w1 (a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d9 : forall a w2 : R,
  0 < a ->
  is_derive (fun a => w2 * a) a (w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma product_rule_d10 : forall w2 a : R,
  0 < a ->
  is_derive (fun w2 => w2 * a) w2 (a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
