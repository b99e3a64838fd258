From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/index-of-a-saddle, eigenvalues_at_the_saddles *)

Lemma eigenvalues_at_the_saddles_d1 : forall w0 v0 w1 v1 w3 v2 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w0 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w0 (v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d2 : forall w0 v0 p v1 w2 v2 v3 : R,
  0 < p ->
  is_derive (fun w0 => v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)) w0 (v0 ^ 2 + v2 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d3 : forall w2 v0 p w0 v1 v2 v3 : R,
  0 < p ->
  is_derive (fun w2 => v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)) w2 (v0 * v1 + v2 * v3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d4 : forall v0 p w0 v1 w2 v2 v3 : R,
  0 < p ->
  is_derive (fun v0 => v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)) v0 (- p ^ 2 + v1 * w2 + 2 * v0 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d5 : forall v1 v0 p w0 w2 v2 v3 : R,
  0 < p ->
  is_derive (fun v1 => v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)) v1 (v0 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d6 : forall v2 v0 p w0 v1 w2 v3 : R,
  0 < p ->
  is_derive (fun v2 => v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)) v2 (v3 * w2 + 2 * v2 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d7 : forall v3 v0 p w0 v1 w2 v2 : R,
  0 < p ->
  is_derive (fun v3 => v0 * (- p ^ 2 + v0 * w0 + v1 * w2) + v2 * (v2 * w0 + v3 * w2)) v3 (v2 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d8 : forall w1 v0 v1 w3 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w1 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w1 (v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d9 : forall w1 v0 v1 w3 v2 q v3 : R,
  0 < q ->
  is_derive (fun w1 => v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)) w1 (v0 ^ 2 + v2 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d10 : forall w3 v0 w1 v1 v2 q v3 : R,
  0 < q ->
  is_derive (fun w3 => v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)) w3 (v0 * v1 + v2 * v3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d11 : forall v0 w1 v1 w3 v2 q v3 : R,
  0 < q ->
  is_derive (fun v0 => v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)) v0 (v1 * w3 + 2 * v0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d12 : forall v1 v0 w1 w3 v2 q v3 : R,
  0 < q ->
  is_derive (fun v1 => v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)) v1 (v0 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d13 : forall v2 v0 w1 v1 w3 q v3 : R,
  0 < q ->
  is_derive (fun v2 => v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)) v2 (- q ^ 2 + v3 * w3 + 2 * v2 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d14 : forall v3 v0 w1 v1 w3 v2 q : R,
  0 < q ->
  is_derive (fun v3 => v0 * (v0 * w1 + v1 * w3) + v2 * (- q ^ 2 + v2 * w1 + v3 * w3)) v3 (v2 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d15 : forall w2 v0 w1 v1 w3 v2 w0 v3 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w2 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w2 (v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d16 : forall w2 v1 p v0 w0 v3 v2 : R,
  0 < p ->
  is_derive (fun w2 => v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)) w2 (v1 ^ 2 + v3 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d17 : forall v0 v1 p w0 w2 v3 v2 : R,
  0 < p ->
  is_derive (fun v0 => v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)) v0 (v1 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d18 : forall v1 p v0 w0 w2 v3 v2 : R,
  0 < p ->
  is_derive (fun v1 => v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)) v1 (- p ^ 2 + v0 * w0 + 2 * v1 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d19 : forall v2 v1 p v0 w0 w2 v3 : R,
  0 < p ->
  is_derive (fun v2 => v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)) v2 (v3 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d20 : forall v3 v1 p v0 w0 w2 v2 : R,
  0 < p ->
  is_derive (fun v3 => v1 * (- p ^ 2 + v0 * w0 + v1 * w2) + v3 * (v2 * w0 + v3 * w2)) v3 (v2 * w0 + 2 * v3 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d21 : forall w3 v0 w1 v1 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun w3 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) w3 (v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d22 : forall w3 v1 v0 w1 v3 q v2 : R,
  0 < q ->
  is_derive (fun w3 => v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)) w3 (v1 ^ 2 + v3 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d23 : forall v0 v1 w1 w3 v3 q v2 : R,
  0 < q ->
  is_derive (fun v0 => v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)) v0 (v1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d24 : forall v1 v0 w1 w3 v3 q v2 : R,
  0 < q ->
  is_derive (fun v1 => v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)) v1 (v0 * w1 + 2 * v1 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d25 : forall v2 v1 v0 w1 w3 v3 q : R,
  0 < q ->
  is_derive (fun v2 => v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)) v2 (v3 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d26 : forall v3 v1 v0 w1 w3 q v2 : R,
  0 < q ->
  is_derive (fun v3 => v1 * (v0 * w1 + v1 * w3) + v3 * (- q ^ 2 + v2 * w1 + v3 * w3)) v3 (- q ^ 2 + v2 * w1 + 2 * v3 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d27 : forall v0 w1 v1 w3 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v0 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v0 (w0 * (- p ^ 2 + v0 * w0 + v1 * w2) + w1 * (v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d28 : forall v0 w0 p v1 w2 w1 w3 : R,
  0 < p ->
  is_derive (fun v0 => w0 * (- p ^ 2 + v0 * w0 + v1 * w2) + w1 * (v0 * w1 + v1 * w3)) v0 (w0 ^ 2 + w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d29 : forall v1 w0 p v0 w2 w1 w3 : R,
  0 < p ->
  is_derive (fun v1 => w0 * (- p ^ 2 + v0 * w0 + v1 * w2) + w1 * (v0 * w1 + v1 * w3)) v1 (w0 * w2 + w1 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d30 : forall v1 v0 w1 w3 v2 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v1 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v1 (w2 * (- p ^ 2 + v0 * w0 + v1 * w2) + w3 * (v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d31 : forall v1 w2 p v0 w0 w3 w1 : R,
  0 < p ->
  is_derive (fun v1 => w2 * (- p ^ 2 + v0 * w0 + v1 * w2) + w3 * (v0 * w1 + v1 * w3)) v1 (w2 ^ 2 + w3 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d32 : forall v2 v0 w1 v1 w3 w0 v3 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v2 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v2 (w0 * (v2 * w0 + v3 * w2) + w1 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d33 : forall v2 w0 v3 w2 w1 q w3 : R,
  0 < q ->
  is_derive (fun v2 => w0 * (v2 * w0 + v3 * w2) + w1 * (- q ^ 2 + v2 * w1 + v3 * w3)) v2 (w0 ^ 2 + w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d34 : forall v3 w0 v2 w2 w1 q w3 : R,
  0 < q ->
  is_derive (fun v3 => w0 * (v2 * w0 + v3 * w2) + w1 * (- q ^ 2 + v2 * w1 + v3 * w3)) v3 (w0 * w2 + w1 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d35 : forall v3 v0 w1 v1 w3 v2 w0 w2 p q : R,
  0 < p ->
  0 < q ->
  is_derive (fun v3 => (1 / 2) * (v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- p ^ 2 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- q ^ 2 + v2 * w1 + v3 * w3) ^ 2) v3 (w2 * (v2 * w0 + v3 * w2) + w3 * (- q ^ 2 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma eigenvalues_at_the_saddles_d36 : forall v3 w2 v2 w0 w3 q w1 : R,
  0 < q ->
  is_derive (fun v3 => w2 * (v2 * w0 + v3 * w2) + w3 * (- q ^ 2 + v2 * w1 + v3 * w3)) v3 (w2 ^ 2 + w3 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
