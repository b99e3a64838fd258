From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/critical-subsets, slopes_vanish *)

Lemma slopes_vanish_d1 : forall w0 v0 w1 v1 w3 v2 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w0 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w0 (v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d2 : forall w1 v0 v1 w3 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w1 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w1 (v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d3 : forall w2 v0 w1 v1 w3 v2 w0 v3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w2 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w2 (v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d4 : forall w3 v0 w1 v1 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w3 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w3 (v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d5 : forall v0 w1 v1 w3 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v0 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v0 (w0 * (- p ^ 2 + v0 * w0 + v1 * w2) + w1 * (v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d6 : forall v1 v0 w1 w3 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v1 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v1 (w2 * (- p ^ 2 + v0 * w0 + v1 * w2) + w3 * (v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d7 : forall v2 v0 w1 v1 w3 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v2 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v2 (w0 * (v2 * w0 + v3 * w2) + w1 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d8 : forall v3 v0 w1 v1 w3 v2 w0 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v3 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v3 (w2 * (v2 * w0 + v3 * w2) + w3 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d9 : forall w0 u0 v0 w1 v1 w3 u1 v2 v3 u2 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w0 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) w0 ((1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) * (2 * u2 * v0 + 2 * u3 * v2) + (1 / 2) * (2 * u0 * v0 + 2 * u1 * v2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d10 : forall w1 u0 v0 v1 w3 u1 v2 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w1 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) w1 ((1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) * (2 * u0 * v0 + 2 * u1 * v2) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d11 : forall w2 u0 v0 w1 v1 w3 u1 v2 v3 u2 w0 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w2 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) w2 ((1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) * (2 * u2 * v1 + 2 * u3 * v3) + (1 / 2) * (2 * u0 * v1 + 2 * u1 * v3) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d12 : forall w3 u0 v0 w1 v1 u1 v2 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w3 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) w3 ((1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) * (2 * u0 * v1 + 2 * u1 * v3) + (1 / 2) * (2 * u2 * v1 + 2 * u3 * v3) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d13 : forall v0 u0 w1 v1 w3 u1 v2 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v0 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) v0 (u0 * w0 * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) + u0 * w1 * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) + u2 * w0 * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) + u2 * w1 * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d14 : forall v1 u0 v0 w1 w3 u1 v2 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v1 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) v1 (u0 * w2 * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) + u0 * w3 * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) + u2 * w2 * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) + u2 * w3 * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d15 : forall v2 u0 v0 w1 v1 w3 u1 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v2 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) v2 (u1 * w0 * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) + u1 * w1 * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) + u3 * w0 * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) + u3 * w1 * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d16 : forall v3 u0 v0 w1 v1 w3 u1 v2 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v3 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) v3 (u1 * w2 * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) + u1 * w3 * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) + u3 * w2 * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) + u3 * w3 * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d17 : forall u0 v0 w1 v1 w3 u1 v2 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun u0 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) u0 ((1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) * (2 * v0 * w1 + 2 * v1 * w3) + (1 / 2) * (2 * v0 * w0 + 2 * v1 * w2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d18 : forall u1 u0 v0 w1 v1 w3 v2 v3 u2 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun u1 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) u1 ((1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) * (2 * v2 * w1 + 2 * v3 * w3) + (1 / 2) * (2 * v2 * w0 + 2 * v3 * w2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d19 : forall u2 u0 v0 w1 v1 w3 u1 v2 v3 w0 w2 u3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun u2 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) u2 ((1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (2 * v0 * w1 + 2 * v1 * w3) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slopes_vanish_d20 : forall u3 u0 v0 w1 v1 w3 u1 v2 v3 u2 w0 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun u3 => (1 / 2) * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)) ^ 2 + (1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- p ^ 3 + u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)) ^ 2 + (1 / 2) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)) ^ 2) u3 ((1 / 2) * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)) * (2 * v2 * w0 + 2 * v3 * w2) + (1 / 2) * (2 * v2 * w1 + 2 * v3 * w3) * (- q ^ 3 + u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
