From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/squared-commutator, drift_of_the_square *)

Lemma drift_of_the_square_d1 : forall y0 z2 y2 z0 : R,
  is_derive (fun y0 => y0 * z2 - y2 * z0) y0 (z2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d2 : forall y2 y0 z2 z0 : R,
  is_derive (fun y2 => y0 * z2 - y2 * z0) y2 ((-1) * z0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d3 : forall z0 y0 z2 y2 : R,
  is_derive (fun z0 => y0 * z2 - y2 * z0) z0 ((-1) * y2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d4 : forall z2 y0 y2 z0 : R,
  is_derive (fun z2 => y0 * z2 - y2 * z0) z2 (y0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d5 : forall y1 z2 y2 z1 : R,
  is_derive (fun y1 => y1 * z2 - y2 * z1) y1 (z2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d6 : forall y2 y1 z2 z1 : R,
  is_derive (fun y2 => y1 * z2 - y2 * z1) y2 ((-1) * z1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d7 : forall z1 y1 z2 y2 : R,
  is_derive (fun z1 => y1 * z2 - y2 * z1) z1 ((-1) * y2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d8 : forall z2 y1 y2 z1 : R,
  is_derive (fun z2 => y1 * z2 - y2 * z1) z2 (y1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d9 : forall P Q : R,
  is_derive (fun P => - 2 * P + 2 * Q) P ((-2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d10 : forall Q P : R,
  is_derive (fun Q => - 2 * P + 2 * Q) Q (2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma drift_of_the_square_d11 : forall P d : R,
  0 < d ->
  is_derive (fun P => P * (- 1 + d)) P (- 1 + d).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
