From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/nuclear-norm, determinants_keep_their_sign *)

Lemma determinants_keep_their_sign_d1 : forall w0 t0 v0 v1 w2 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun w0 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w0 (v0 * (- t0 + v0 * w0 + v1 * w2) + v2 * (- t2 + v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d2 : forall w1 t0 v0 w0 v1 w2 t1 w3 t2 v2 v3 t3 : R,
  is_derive (fun w1 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w1 (v0 * (- t1 + v0 * w1 + v1 * w3) + v2 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d3 : forall w2 t0 v0 w0 v1 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun w2 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w2 (v1 * (- t0 + v0 * w0 + v1 * w2) + v3 * (- t2 + v2 * w0 + v3 * w2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d4 : forall w3 t0 v0 w0 v1 w2 t1 w1 t2 v2 v3 t3 : R,
  is_derive (fun w3 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) w3 (v1 * (- t1 + v0 * w1 + v1 * w3) + v3 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d5 : forall v0 t0 w0 v1 w2 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun v0 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v0 (w0 * (- t0 + v0 * w0 + v1 * w2) + w1 * (- t1 + v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d6 : forall v1 t0 v0 w0 w2 t1 w1 w3 t2 v2 v3 t3 : R,
  is_derive (fun v1 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v1 (w2 * (- t0 + v0 * w0 + v1 * w2) + w3 * (- t1 + v0 * w1 + v1 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d7 : forall v2 t0 v0 w0 v1 w2 t1 w1 w3 t2 v3 t3 : R,
  is_derive (fun v2 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v2 (w0 * (- t2 + v2 * w0 + v3 * w2) + w1 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d8 : forall v3 t0 v0 w0 v1 w2 t1 w1 w3 t2 v2 t3 : R,
  is_derive (fun v3 => (1 / 2) * (- t0 + v0 * w0 + v1 * w2) ^ 2 + (1 / 2) * (- t1 + v0 * w1 + v1 * w3) ^ 2 + (1 / 2) * (- t2 + v2 * w0 + v3 * w2) ^ 2 + (1 / 2) * (- t3 + v2 * w1 + v3 * w3) ^ 2) v3 (w2 * (- t2 + v2 * w0 + v3 * w2) + w3 * (- t3 + v2 * w1 + v3 * w3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d9 : forall w0 w3 w1 w2 : R,
  is_derive (fun w0 => w0 * w3 - w1 * w2) w0 (w3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d10 : forall w1 w0 w3 w2 : R,
  is_derive (fun w1 => w0 * w3 - w1 * w2) w1 ((-1) * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d11 : forall w2 w0 w3 w1 : R,
  is_derive (fun w2 => w0 * w3 - w1 * w2) w2 ((-1) * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma determinants_keep_their_sign_d12 : forall w3 w0 w1 w2 : R,
  is_derive (fun w3 => w0 * w3 - w1 * w2) w3 (w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
