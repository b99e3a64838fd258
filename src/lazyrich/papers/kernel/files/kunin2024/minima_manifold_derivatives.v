From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/minima-manifold, tangent_of_the_minima *)

Lemma tangent_of_the_minima_d1 : forall a w0 w1 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) a (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d2 : forall w0 a w1 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w0 (w0 * a ^ 2 - b0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d3 : forall w1 w0 a b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w1 (w1 * a ^ 2 - b1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d4 : forall a eta_a w0 w1 b0 b1 : R,
  0 < a ->
  0 < eta_a ->
  is_derive (fun a => (-1) * eta_a * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1)) a ((-1) * eta_a * (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d5 : forall w0 eta_a a w1 b0 b1 : R,
  0 < eta_a ->
  0 < a ->
  is_derive (fun w0 => (-1) * eta_a * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1)) w0 ((-1) * eta_a * (- b0 + 2 * w0 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d6 : forall w1 eta_a a w0 b0 b1 : R,
  0 < eta_a ->
  0 < a ->
  is_derive (fun w1 => (-1) * eta_a * (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1)) w1 ((-1) * eta_a * (- b1 + 2 * w1 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d7 : forall a eta_w w0 b0 : R,
  0 < a ->
  0 < eta_w ->
  is_derive (fun a => (-1) * eta_w * (w0 * a ^ 2 - b0 * a)) a ((-1) * eta_w * (- b0 + 2 * w0 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d8 : forall w0 eta_w a b0 : R,
  0 < eta_w ->
  0 < a ->
  is_derive (fun w0 => (-1) * eta_w * (w0 * a ^ 2 - b0 * a)) w0 ((-1) * eta_w * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d9 : forall a eta_w w1 b1 : R,
  0 < a ->
  0 < eta_w ->
  is_derive (fun a => (-1) * eta_w * (w1 * a ^ 2 - b1 * a)) a ((-1) * eta_w * (- b1 + 2 * w1 * a)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma tangent_of_the_minima_d10 : forall w1 eta_w a b1 : R,
  0 < eta_w ->
  0 < a ->
  is_derive (fun w1 => (-1) * eta_w * (w1 * a ^ 2 - b1 * a)) w1 ((-1) * eta_w * a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
