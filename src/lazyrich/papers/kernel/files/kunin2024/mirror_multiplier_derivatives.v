From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/mirror-multiplier, rate_of_the_slope *)

Lemma rate_of_the_slope_d1 : forall a w0 g00 g01 w1 g11 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 * a - b1 * w1 * a) a ((1 / 2) * w0 * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 - b1 * w1 + (1 / 2) * w0 * a * (g00 * w0 + g01 * w1) + (1 / 2) * w1 * a * (g01 * w0 + g11 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_the_slope_d2 : forall w0 a g00 g01 w1 g11 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 * a - b1 * w1 * a) w0 ((1 / 2) * a * (g00 * w0 * a + g01 * w1 * a) - b0 * a + (1 / 2) * g00 * w0 * a ^ 2 + (1 / 2) * g01 * w1 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_the_slope_d3 : forall w1 w0 a g00 g01 g11 b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 * a * (g00 * w0 * a + g01 * w1 * a) + (1 / 2) * w1 * a * (g01 * w0 * a + g11 * w1 * a) - b0 * w0 * a - b1 * w1 * a) w1 ((1 / 2) * a * (g01 * w0 * a + g11 * w1 * a) - b1 * a + (1 / 2) * g01 * w0 * a ^ 2 + (1 / 2) * g11 * w1 * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_the_slope_d4 : forall w0 : R,
  is_derive (fun w0 => w0 * sqrt 2) w0 (sqrt 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma rate_of_the_slope_d5 : forall w1 : R,
  is_derive (fun w1 => w1 * sqrt 2) w1 (sqrt 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
