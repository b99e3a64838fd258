From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/scaled-rotation, rotation_is_balanced *)

Lemma rotation_is_balanced_d1 : forall w0 t0 v0 v1 w2 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun w0 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w0 (v0 * (- t0 + v0 * w0 + v1 * w2) + v2 * (- t2 + v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d2 : forall w1 t0 v0 w0 v1 w2 t1 w3 t2 v2 v3 t3 : R,
  is_derive (fun w1 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w1 (v0 * (- t1 + v0 * w1 + v1 * w3) + v2 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d3 : forall w2 t0 v0 w0 v1 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun w2 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w2 (v1 * (- t0 + v0 * w0 + v1 * w2) + v3 * (- t2 + v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d4 : forall w3 t0 v0 w0 v1 w2 t1 w1 t2 v2 v3 t3 : R,
  is_derive (fun w3 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w3 (v1 * (- t1 + v0 * w1 + v1 * w3) + v3 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d5 : forall v0 t0 w0 v1 w2 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun v0 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v0 (w0 * (- t0 + v0 * w0 + v1 * w2) + w1 * (- t1 + v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d6 : forall v1 t0 v0 w0 w2 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun v1 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v1 (w2 * (- t0 + v0 * w0 + v1 * w2) + w3 * (- t1 + v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d7 : forall v2 t0 v0 w0 v1 w2 t1 w1 w3 t2 v3 t3 : R,
  is_derive (fun v2 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v2 (w0 * (- t2 + v2 * w0 + v3 * w2) + w1 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d8 : forall v3 t0 v0 w0 v1 w2 t1 w1 w3 t2 v2 t3 : R,
  is_derive (fun v3 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v3 (w2 * (- t2 + v2 * w0 + v3 * w2) + w3 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d9 : forall w0 v0 v1 w2 : R,
  is_derive (fun w0 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w2 ^ 2) w0 ((-2) * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d10 : forall w2 v0 v1 w0 : R,
  is_derive (fun w2 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w2 ^ 2) w2 ((-2) * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d11 : forall v0 v1 w0 w2 : R,
  is_derive (fun v0 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w2 ^ 2) v0 (2 * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d12 : forall v1 v0 w0 w2 : R,
  is_derive (fun v1 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w2 ^ 2) v1 (2 * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d13 : forall w0 v0 v2 v1 v3 w1 w2 w3 : R,
  is_derive (fun w0 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) w0 ((-1) * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d14 : forall w1 v0 v2 v1 v3 w0 w2 w3 : R,
  is_derive (fun w1 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) w1 ((-1) * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d15 : forall w2 v0 v2 v1 v3 w0 w1 w3 : R,
  is_derive (fun w2 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) w2 ((-1) * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d16 : forall w3 v0 v2 v1 v3 w0 w1 w2 : R,
  is_derive (fun w3 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) w3 ((-1) * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d17 : forall v0 v2 v1 v3 w0 w1 w2 w3 : R,
  is_derive (fun v0 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) v0 (v2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d18 : forall v1 v0 v2 v3 w0 w1 w2 w3 : R,
  is_derive (fun v1 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) v1 (v3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d19 : forall v2 v0 v1 v3 w0 w1 w2 w3 : R,
  is_derive (fun v2 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) v2 (v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d20 : forall v3 v0 v2 v1 w0 w1 w2 w3 : R,
  is_derive (fun v3 => v0 * v2 + v1 * v3 - w0 * w1 - w2 * w3) v3 (v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d21 : forall w1 v2 v3 w3 : R,
  is_derive (fun w1 => v2 ^ 2 + v3 ^ 2 - w1 ^ 2 - w3 ^ 2) w1 ((-2) * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d22 : forall w3 v2 v3 w1 : R,
  is_derive (fun w3 => v2 ^ 2 + v3 ^ 2 - w1 ^ 2 - w3 ^ 2) w3 ((-2) * w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d23 : forall v2 v3 w1 w3 : R,
  is_derive (fun v2 => v2 ^ 2 + v3 ^ 2 - w1 ^ 2 - w3 ^ 2) v2 (2 * v2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rotation_is_balanced_d24 : forall v3 v2 w1 w3 : R,
  is_derive (fun v3 => v2 ^ 2 + v3 ^ 2 - w1 ^ 2 - w3 ^ 2) v3 (2 * v3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
