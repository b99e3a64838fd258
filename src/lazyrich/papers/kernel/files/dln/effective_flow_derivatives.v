From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/effective-flow, velocity_of_the_product *)

Lemma velocity_of_the_product_d1 : forall w0 t0 u0 v0 v1 w2 t1 w1 w3 t2 u1 t3 : R,
  is_derive (fun w0 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) w0 (u0 * v0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u1 * v0 * (- t2 + u1 * (v0 * w0 + v1 * w2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d2 : forall w1 t0 u0 v0 w0 v1 w2 t1 w3 t2 u1 t3 : R,
  is_derive (fun w1 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) w1 (u0 * v0 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * v0 * (- t3 + u1 * (v0 * w1 + v1 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d3 : forall w2 t0 u0 v0 w0 v1 t1 w1 w3 t2 u1 t3 : R,
  is_derive (fun w2 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) w2 (u0 * v1 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u1 * v1 * (- t2 + u1 * (v0 * w0 + v1 * w2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d4 : forall w3 t0 u0 v0 w0 v1 w2 t1 w1 t2 u1 t3 : R,
  is_derive (fun w3 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) w3 (u0 * v1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * v1 * (- t3 + u1 * (v0 * w1 + v1 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d5 : forall v0 t0 u0 w0 v1 w2 t1 w1 w3 t2 u1 t3 : R,
  is_derive (fun v0 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) v0 (u0 * w0 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w1 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w0 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w1 * (- t3 + u1 * (v0 * w1 + v1 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d6 : forall v1 t0 u0 v0 w0 w2 t1 w1 w3 t2 u1 t3 : R,
  is_derive (fun v1 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) v1 (u0 * w2 * (- t0 + u0 * (v0 * w0 + v1 * w2)) + u0 * w3 * (- t1 + u0 * (v0 * w1 + v1 * w3)) + u1 * w2 * (- t2 + u1 * (v0 * w0 + v1 * w2)) + u1 * w3 * (- t3 + u1 * (v0 * w1 + v1 * w3))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d7 : forall u0 t0 v0 w0 v1 w2 t1 w1 w3 t2 u1 t3 : R,
  is_derive (fun u0 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) u0 ((1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) * (2 * v0 * w1 + 2 * v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d8 : forall u1 t0 u0 v0 w0 v1 w2 t1 w1 w3 t2 t3 : R,
  is_derive (fun u1 => (1 / 2) * (- t0 + u0 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t1 + u0 * (v0 * w1 + v1 * w3)) ^ 2 + (1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) ^ 2 + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) ^ 2) u1 ((1 / 2) * (- t2 + u1 * (v0 * w0 + v1 * w2)) * (2 * v0 * w0 + 2 * v1 * w2) + (1 / 2) * (- t3 + u1 * (v0 * w1 + v1 * w3)) * (2 * v0 * w1 + 2 * v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d9 : forall w0 u0 v0 v1 w2 : R,
  is_derive (fun w0 => u0 * v0 * w0 + u0 * v1 * w2) w0 (u0 * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d10 : forall w2 u0 v0 w0 v1 : R,
  is_derive (fun w2 => u0 * v0 * w0 + u0 * v1 * w2) w2 (u0 * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d11 : forall v0 u0 w0 v1 w2 : R,
  is_derive (fun v0 => u0 * v0 * w0 + u0 * v1 * w2) v0 (u0 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d12 : forall v1 u0 v0 w0 w2 : R,
  is_derive (fun v1 => u0 * v0 * w0 + u0 * v1 * w2) v1 (u0 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d13 : forall u0 v0 w0 v1 w2 : R,
  is_derive (fun u0 => u0 * v0 * w0 + u0 * v1 * w2) u0 (v0 * w0 + v1 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d14 : forall w1 u0 v0 v1 w3 : R,
  is_derive (fun w1 => u0 * v0 * w1 + u0 * v1 * w3) w1 (u0 * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d15 : forall w3 u0 v0 w1 v1 : R,
  is_derive (fun w3 => u0 * v0 * w1 + u0 * v1 * w3) w3 (u0 * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d16 : forall v0 u0 w1 v1 w3 : R,
  is_derive (fun v0 => u0 * v0 * w1 + u0 * v1 * w3) v0 (u0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d17 : forall v1 u0 v0 w1 w3 : R,
  is_derive (fun v1 => u0 * v0 * w1 + u0 * v1 * w3) v1 (u0 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d18 : forall u0 v0 w1 v1 w3 : R,
  is_derive (fun u0 => u0 * v0 * w1 + u0 * v1 * w3) u0 (v0 * w1 + v1 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d19 : forall w0 u1 v0 v1 w2 : R,
  is_derive (fun w0 => u1 * v0 * w0 + u1 * v1 * w2) w0 (u1 * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d20 : forall w2 u1 v0 w0 v1 : R,
  is_derive (fun w2 => u1 * v0 * w0 + u1 * v1 * w2) w2 (u1 * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d21 : forall v0 u1 w0 v1 w2 : R,
  is_derive (fun v0 => u1 * v0 * w0 + u1 * v1 * w2) v0 (u1 * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d22 : forall v1 u1 v0 w0 w2 : R,
  is_derive (fun v1 => u1 * v0 * w0 + u1 * v1 * w2) v1 (u1 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d23 : forall u1 v0 w0 v1 w2 : R,
  is_derive (fun u1 => u1 * v0 * w0 + u1 * v1 * w2) u1 (v0 * w0 + v1 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d24 : forall w1 u1 v0 v1 w3 : R,
  is_derive (fun w1 => u1 * v0 * w1 + u1 * v1 * w3) w1 (u1 * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d25 : forall w3 u1 v0 w1 v1 : R,
  is_derive (fun w3 => u1 * v0 * w1 + u1 * v1 * w3) w3 (u1 * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d26 : forall v0 u1 w1 v1 w3 : R,
  is_derive (fun v0 => u1 * v0 * w1 + u1 * v1 * w3) v0 (u1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d27 : forall v1 u1 v0 w1 w3 : R,
  is_derive (fun v1 => u1 * v0 * w1 + u1 * v1 * w3) v1 (u1 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma velocity_of_the_product_d28 : forall u1 v0 w1 v1 w3 : R,
  is_derive (fun u1 => u1 * v0 * w1 + u1 * v1 * w3) u1 (v0 * w1 + v1 * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
