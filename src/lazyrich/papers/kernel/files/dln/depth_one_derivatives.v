From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/depth-one, relaxation *)

Lemma relaxation_d1 : forall w0 t0 w1 t1 w2 t2 w3 t3 : R,
  is_derive (fun w0 => (1 / 2) * (w0 - t0) ^ 2 + (1 / 2) * (w1 - t1) ^ 2 + (1 / 2) * (w2 - t2) ^ 2 + (1 / 2) * (w3 - t3) ^ 2) w0 (w0 - t0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma relaxation_d2 : forall w1 w0 t0 t1 w2 t2 w3 t3 : R,
  is_derive (fun w1 => (1 / 2) * (w0 - t0) ^ 2 + (1 / 2) * (w1 - t1) ^ 2 + (1 / 2) * (w2 - t2) ^ 2 + (1 / 2) * (w3 - t3) ^ 2) w1 (w1 - t1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma relaxation_d3 : forall w2 w0 t0 w1 t1 t2 w3 t3 : R,
  is_derive (fun w2 => (1 / 2) * (w0 - t0) ^ 2 + (1 / 2) * (w1 - t1) ^ 2 + (1 / 2) * (w2 - t2) ^ 2 + (1 / 2) * (w3 - t3) ^ 2) w2 (w2 - t2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma relaxation_d4 : forall w3 w0 t0 w1 t1 w2 t2 t3 : R,
  is_derive (fun w3 => (1 / 2) * (w0 - t0) ^ 2 + (1 / 2) * (w1 - t1) ^ 2 + (1 / 2) * (w2 - t2) ^ 2 + (1 / 2) * (w3 - t3) ^ 2) w3 (w3 - t3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
