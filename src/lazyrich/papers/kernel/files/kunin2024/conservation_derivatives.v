From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/conservation, delta_stands_still *)

Lemma delta_stands_still_d1 : forall a w0 g00 g01 w1 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) a ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 - b1 * w1 - b2 * w2 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1 + g02 * w2) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1 + g12 * w2) + (1 / 2) * w2 * a * (g02 * w0 + g12 * w1 + g22 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d2 : forall w0 a g00 g01 w1 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w0 ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2 + (1 / 2) * g02 * w2 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d3 : forall w1 w0 a g00 g01 g02 w2 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w1 ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2 + (1 / 2) * g12 * w2 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d4 : forall w2 w0 a g00 g01 w1 g02 g11 g12 g22 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w2 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a + g02 * w2 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a + g12 * w2 * a) + (1 / 2) * w2 * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w2 ((1 / 2) * a * (g02 * w0 * a + g12 * w1 * a + g22 * w2 * a) - b2 * a + (1 / 2) * g02 * w0 * a ^ 2 + (1 / 2) * g12 * w1 * a ^ 2 + (1 / 2) * g22 * w2 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d5 : forall a eta_w eta_a w0 w1 w2 : R,
  0 < a ->
  0 < eta_w ->
  0 < eta_a ->
  is_derive (fun a => eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) a (2 * a * eta_w).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d6 : forall w0 eta_w a eta_a w1 w2 : R,
  0 < eta_w ->
  0 < a ->
  0 < eta_a ->
  is_derive (fun w0 => eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) w0 ((-2) * w0 * eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d7 : forall w1 eta_w a eta_a w0 w2 : R,
  0 < eta_w ->
  0 < a ->
  0 < eta_a ->
  is_derive (fun w1 => eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) w1 ((-2) * w1 * eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma delta_stands_still_d8 : forall w2 eta_w a eta_a w0 w1 : R,
  0 < eta_w ->
  0 < a ->
  0 < eta_a ->
  is_derive (fun w2 => eta_w * a ^ 2 - eta_a * (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) w2 ((-2) * w2 * eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
