From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warped-hessian-map, twist_of_the_warped_metric *)

Lemma twist_of_the_warped_metric_d1 : forall w0 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w0 => (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) w0 ((-2) * w0 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d2 : forall p w0 r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) p (2 * p * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d3 : forall r w0 p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) r ((2 * w0 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d4 : forall w0 w1 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w0 => (-1) * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2)) w0 ((-1) * w1 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d5 : forall p w0 w1 r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (-1) * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2)) p (2 * w0 * w1 * p / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d6 : forall r w0 w1 p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (-1) * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2)) r (2 * w0 * w1 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w1 / r ^ 4 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d7 : forall w1 w0 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w1 => (-1) * w0 * w1 / r ^ 3 / (p ^ 2 + r ^ 2)) w1 ((-1) * w0 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d8 : forall w0 w2 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w0 => (-1) * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) w0 ((-1) * w2 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d9 : forall p w0 w2 r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (-1) * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) p (2 * w0 * w2 * p / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d10 : forall r w0 w2 p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (-1) * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) r (2 * w0 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w0 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d11 : forall w2 w0 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w2 => (-1) * w0 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) w2 ((-1) * w0 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d12 : forall p w1 r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) p (2 * p * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d13 : forall r w1 p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) r ((2 * w1 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d14 : forall w1 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w1 => (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) w1 ((-2) * w1 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d15 : forall p w1 w2 r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (-1) * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) p (2 * w1 * w2 * p / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d16 : forall r w1 w2 p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (-1) * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) r (2 * w1 * w2 / r ^ 2 / (p ^ 2 + r ^ 2) ^ 2 + 3 * w1 * w2 / r ^ 4 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d17 : forall w1 w2 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w1 => (-1) * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) w1 ((-1) * w2 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d18 : forall w2 w1 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w2 => (-1) * w1 * w2 / r ^ 3 / (p ^ 2 + r ^ 2)) w2 ((-1) * w1 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d19 : forall p w2 r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) p (2 * p * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d20 : forall r w2 p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) r ((2 * w2 ^ 2 / r / (p ^ 2 + r ^ 2) ^ 2 + 2 * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2)) / r - (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma twist_of_the_warped_metric_d21 : forall w2 r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun w2 => (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r) w2 ((-2) * w2 / r ^ 3 / (p ^ 2 + r ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
