From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/saddles, rate_of_escape *)

Lemma rate_of_escape_d1 : forall a w0 g00 g01 w1 g11 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 * a - b1 * w1 * a) a ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d2 : forall w0 a g00 g01 w1 g11 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 * a - b1 * w1 * a) w0 ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d3 : forall w1 w0 a g00 g01 g11 b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 * a - b1 * w1 * a) w1 ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d4 : forall a eta_a w0 g00 g01 w1 g11 b0 b1 : R,
  0 < a ->
  0 < eta_a ->
  is_derive (fun a => (-1) * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1))) a ((-1) * eta_a * (w0 * (g00 * w0 + g01 * w1) + w1 * (g01 * w0 + g11 * w1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d5 : forall w0 eta_a g00 a g01 w1 g11 b0 b1 : R,
  0 < eta_a ->
  0 < a ->
  is_derive (fun w0 => (-1) * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1))) w0 ((-1) * eta_a * (- b0 + (1 / 2) * a * (g00 * w0 + g01 * w1) + (3 / 2) * g00 * w0 * a + (3 / 2) * g01 * w1 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d6 : forall w1 eta_a w0 g00 a g01 g11 b0 b1 : R,
  0 < eta_a ->
  0 < a ->
  is_derive (fun w1 => (-1) * eta_a * ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1))) w1 ((-1) * eta_a * (- b1 + (1 / 2) * a * (g01 * w0 + g11 * w1) + (3 / 2) * g01 * w0 * a + (3 / 2) * g11 * w1 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d7 : forall a eta_w g00 w0 g01 w1 b0 : R,
  0 < a ->
  0 < eta_w ->
  is_derive (fun a => (-1) * eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2)) a ((-1) * eta_w * (- b0 + (1 / 2) * a * (g00 * w0 + g01 * w1) + (3 / 2) * g00 * w0 * a + (3 / 2) * g01 * w1 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d8 : forall w0 eta_w a g00 g01 w1 b0 : R,
  0 < eta_w ->
  0 < a ->
  is_derive (fun w0 => (-1) * eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2)) w0 ((-1) * g00 * eta_w * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d9 : forall w1 eta_w a g00 w0 g01 b0 : R,
  0 < eta_w ->
  0 < a ->
  is_derive (fun w1 => (-1) * eta_w * ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2)) w1 ((-1) * g01 * eta_w * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d10 : forall a eta_w g01 w0 g11 w1 b1 : R,
  0 < a ->
  0 < eta_w ->
  is_derive (fun a => (-1) * eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2)) a ((-1) * eta_w * (- b1 + (1 / 2) * a * (g01 * w0 + g11 * w1) + (3 / 2) * g01 * w0 * a + (3 / 2) * g11 * w1 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d11 : forall w0 eta_w a g01 g11 w1 b1 : R,
  0 < eta_w ->
  0 < a ->
  is_derive (fun w0 => (-1) * eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2)) w0 ((-1) * g01 * eta_w * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_escape_d12 : forall w1 eta_w a g01 w0 g11 b1 : R,
  0 < eta_w ->
  0 < a ->
  is_derive (fun w1 => (-1) * eta_w * ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2)) w1 ((-1) * g11 * eta_w * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
