From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/gradient, chain_rule *)

Lemma chain_rule_d1 : forall w0 t0 u0 v0 u1 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun w0 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) w0 ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d2 : forall w1 t0 u0 v0 w0 u1 v1 t1 t2 u2 u3 t3 : R,
  is_derive (fun w1 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) w1 ((1 / 2) * (2 * u0 * v0 + 2 * u1 * v1) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + (1 / 2) * (2 * u2 * v0 + 2 * u3 * v1) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d3 : forall v0 t0 u0 w0 u1 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun v0 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) v0 (u0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u2 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u2 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d4 : forall v1 t0 u0 v0 w0 u1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun v1 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) v1 (u1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + u1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) + u3 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + u3 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d5 : forall u0 t0 v0 w0 u1 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun u0 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u0 (v0 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v0 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d6 : forall u1 t0 u0 v0 w0 v1 t1 w1 t2 u2 u3 t3 : R,
  is_derive (fun u1 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u1 (v1 * w0 * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) + v1 * w1 * (- t1 + u0 * v0 * w1 + u1 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d7 : forall u2 t0 u0 v0 w0 u1 v1 t1 w1 t2 u3 t3 : R,
  is_derive (fun u2 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u2 (v0 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v0 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma chain_rule_d8 : forall u3 t0 u0 v0 w0 u1 v1 t1 w1 t2 u2 t3 : R,
  is_derive (fun u3 => (1 / 2) * (- t0 + u0 * v0 * w0 + u1 * v1 * w0) ^ 2 + (1 / 2) * (- t1 + u0 * v0 * w1 + u1 * v1 * w1) ^ 2 + (1 / 2) * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) ^ 2 + (1 / 2) * (- t3 + u2 * v0 * w1 + u3 * v1 * w1) ^ 2) u3 (v1 * w0 * (- t2 + u2 * v0 * w0 + u3 * v1 * w0) + v1 * w1 * (- t3 + u2 * v0 * w1 + u3 * v1 * w1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
