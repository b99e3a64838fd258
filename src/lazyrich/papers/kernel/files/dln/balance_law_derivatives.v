From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/balance-law, defects_do_not_move *)

Lemma defects_do_not_move_d1 : forall w0 t0 u0 v0 u1 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun w0 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) w0 ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d2 : forall w1 t0 u0 v0 w0 u1 v1 t1 t2 u2 u3 t3 : R,
  is_derive (fun w1 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) w1 ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d3 : forall v0 t0 u0 w0 u1 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun v0 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) v0 (u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d4 : forall v1 t0 u0 v0 w0 u1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun v1 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) v1 (u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d5 : forall u0 t0 v0 w0 u1 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun u0 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u0 (v0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d6 : forall u1 t0 u0 v0 w0 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun u1 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u1 (v1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d7 : forall u2 t0 u0 v0 w0 u1 v1 t1 w1 t2 u3 t3 : R,
  is_derive (fun u2 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u2 (v0 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v0 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d8 : forall u3 t0 u0 v0 w0 u1 v1 t1 w1 t2 u2 t3 : R,
  is_derive (fun u3 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u3 (v1 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v1 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d9 : forall w0 v0 v1 w1 : R,
  is_derive (fun w0 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w1 ^ 2) w0 ((-2) * w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d10 : forall w1 v0 v1 w0 : R,
  is_derive (fun w1 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w1 ^ 2) w1 ((-2) * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d11 : forall v0 v1 w0 w1 : R,
  is_derive (fun v0 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w1 ^ 2) v0 (2 * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d12 : forall v1 v0 w0 w1 : R,
  is_derive (fun v1 => v0 ^ 2 + v1 ^ 2 - w0 ^ 2 - w1 ^ 2) v1 (2 * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d13 : forall v0 u0 u2 : R,
  is_derive (fun v0 => u0 ^ 2 + u2 ^ 2 - v0 ^ 2) v0 ((-2) * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d14 : forall u0 u2 v0 : R,
  is_derive (fun u0 => u0 ^ 2 + u2 ^ 2 - v0 ^ 2) u0 (2 * u0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d15 : forall u2 u0 v0 : R,
  is_derive (fun u2 => u0 ^ 2 + u2 ^ 2 - v0 ^ 2) u2 (2 * u2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d16 : forall v0 u0 u1 u2 u3 v1 : R,
  is_derive (fun v0 => u0 * u1 + u2 * u3 - v0 * v1) v0 ((-1) * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d17 : forall v1 u0 u1 u2 u3 v0 : R,
  is_derive (fun v1 => u0 * u1 + u2 * u3 - v0 * v1) v1 ((-1) * v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d18 : forall u0 u1 u2 u3 v0 v1 : R,
  is_derive (fun u0 => u0 * u1 + u2 * u3 - v0 * v1) u0 (u1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d19 : forall u1 u0 u2 u3 v0 v1 : R,
  is_derive (fun u1 => u0 * u1 + u2 * u3 - v0 * v1) u1 (u0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d20 : forall u2 u0 u1 u3 v0 v1 : R,
  is_derive (fun u2 => u0 * u1 + u2 * u3 - v0 * v1) u2 (u3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d21 : forall u3 u0 u1 u2 v0 v1 : R,
  is_derive (fun u3 => u0 * u1 + u2 * u3 - v0 * v1) u3 (u2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d22 : forall v1 u1 u3 : R,
  is_derive (fun v1 => u1 ^ 2 + u3 ^ 2 - v1 ^ 2) v1 ((-2) * v1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d23 : forall u1 u3 v1 : R,
  is_derive (fun u1 => u1 ^ 2 + u3 ^ 2 - v1 ^ 2) u1 (2 * u1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma defects_do_not_move_d24 : forall u3 u1 v1 : R,
  is_derive (fun u3 => u1 ^ 2 + u3 ^ 2 - v1 ^ 2) u3 (2 * u3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
