From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/flat-mixing, curvature_of_the_mixture *)

Lemma curvature_of_the_mixture_d1 : forall w0 s2 v1 w1 p v0 : R,
  0 < s2 ->
  0 < p ->
  is_derive (fun w0 => (1 / 2) * (- s2 + v1 * w1) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0) ^ 2 + (1 / 2) * v0 ^ 2 * w1 ^ 2 + (1 / 2) * v1 ^ 2 * w0 ^ 2) w0 (v0 * (- p ^ 2 + v0 * w0) + w0 * v1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d2 : forall w0 v0 p v1 : R,
  0 < p ->
  is_derive (fun w0 => v0 * (- p ^ 2 + v0 * w0) + w0 * v1 ^ 2) w0 (v0 ^ 2 + v1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d3 : forall v0 p w0 v1 : R,
  0 < p ->
  is_derive (fun v0 => v0 * (- p ^ 2 + v0 * w0) + w0 * v1 ^ 2) v0 (- p ^ 2 + 2 * v0 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d4 : forall v1 v0 p w0 : R,
  0 < p ->
  is_derive (fun v1 => v0 * (- p ^ 2 + v0 * w0) + w0 * v1 ^ 2) v1 (2 * v1 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d5 : forall w1 s2 v1 p v0 w0 : R,
  0 < s2 ->
  0 < p ->
  is_derive (fun w1 => (1 / 2) * (- s2 + v1 * w1) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0) ^ 2 + (1 / 2) * v0 ^ 2 * w1 ^ 2 + (1 / 2) * v1 ^ 2 * w0 ^ 2) w1 (v1 * (- s2 + v1 * w1) + w1 * v0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d6 : forall w1 v1 s2 v0 : R,
  0 < s2 ->
  is_derive (fun w1 => v1 * (- s2 + v1 * w1) + w1 * v0 ^ 2) w1 (v0 ^ 2 + v1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d7 : forall v0 v1 s2 w1 : R,
  0 < s2 ->
  is_derive (fun v0 => v1 * (- s2 + v1 * w1) + w1 * v0 ^ 2) v0 (2 * v0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d8 : forall v1 s2 w1 v0 : R,
  0 < s2 ->
  is_derive (fun v1 => v1 * (- s2 + v1 * w1) + w1 * v0 ^ 2) v1 (- s2 + 2 * v1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d9 : forall v0 s2 v1 w1 p w0 : R,
  0 < s2 ->
  0 < p ->
  is_derive (fun v0 => (1 / 2) * (- s2 + v1 * w1) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0) ^ 2 + (1 / 2) * v0 ^ 2 * w1 ^ 2 + (1 / 2) * v1 ^ 2 * w0 ^ 2) v0 (v0 * w1 ^ 2 + w0 * (- p ^ 2 + v0 * w0)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d10 : forall v0 w1 w0 p : R,
  0 < p ->
  is_derive (fun v0 => v0 * w1 ^ 2 + w0 * (- p ^ 2 + v0 * w0)) v0 (w0 ^ 2 + w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d11 : forall v1 s2 w1 p v0 w0 : R,
  0 < s2 ->
  0 < p ->
  is_derive (fun v1 => (1 / 2) * (- s2 + v1 * w1) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0) ^ 2 + (1 / 2) * v0 ^ 2 * w1 ^ 2 + (1 / 2) * v1 ^ 2 * w0 ^ 2) v1 (v1 * w0 ^ 2 + w1 * (- s2 + v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma curvature_of_the_mixture_d12 : forall v1 w0 w1 s2 : R,
  0 < s2 ->
  is_derive (fun v1 => v1 * w0 ^ 2 + w1 * (- s2 + v1 * w1)) v1 (w0 ^ 2 + w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
