From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/stays-aligned, aligned_layers_stay *)

Lemma aligned_layers_stay_d1 : forall a0 b2 a2 b3 a1 b0 a3 b1 s1 s2 : R,
  is_derive (fun a0 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) a0 (b0 * (- s1 + a0 * b0 + a2 * b1) + b2 * (a0 * b2 + a2 * b3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d2 : forall a1 a0 b2 a2 b3 b0 a3 b1 s1 s2 : R,
  is_derive (fun a1 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) a1 (b0 * (a1 * b0 + a3 * b1) + b2 * (- s2 + a1 * b2 + a3 * b3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d3 : forall a2 a0 b2 b3 a1 b0 a3 b1 s1 s2 : R,
  is_derive (fun a2 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) a2 (b1 * (- s1 + a0 * b0 + a2 * b1) + b3 * (a0 * b2 + a2 * b3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d4 : forall a3 a0 b2 a2 b3 a1 b0 b1 s1 s2 : R,
  is_derive (fun a3 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) a3 (b1 * (a1 * b0 + a3 * b1) + b3 * (- s2 + a1 * b2 + a3 * b3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d5 : forall b0 a0 b2 a2 b3 a1 a3 b1 s1 s2 : R,
  is_derive (fun b0 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) b0 (a0 * (- s1 + a0 * b0 + a2 * b1) + a1 * (a1 * b0 + a3 * b1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d6 : forall b1 a0 b2 a2 b3 a1 b0 a3 s1 s2 : R,
  is_derive (fun b1 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) b1 (a2 * (- s1 + a0 * b0 + a2 * b1) + a3 * (a1 * b0 + a3 * b1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d7 : forall b2 a0 a2 b3 a1 b0 a3 b1 s1 s2 : R,
  is_derive (fun b2 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) b2 (a0 * (a0 * b2 + a2 * b3) + a1 * (- s2 + a1 * b2 + a3 * b3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma aligned_layers_stay_d8 : forall b3 a0 b2 a2 a1 b0 a3 b1 s1 s2 : R,
  is_derive (fun b3 => (1 / 2) * (a0 * b2 + a2 * b3) ^ 2 + (1 / 2) * (a1 * b0 + a3 * b1) ^ 2 + (1 / 2) * (- s1 + a0 * b0 + a2 * b1) ^ 2 + (1 / 2) * (- s2 + a1 * b2 + a3 * b3) ^ 2) b3 (a2 * (a0 * b2 + a2 * b3) + a3 * (- s2 + a1 * b2 + a3 * b3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
