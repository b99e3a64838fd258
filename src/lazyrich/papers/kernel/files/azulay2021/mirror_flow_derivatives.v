From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/mirror-flow, bregman_stationarity *)

Lemma bregman_stationarity_d1 : forall w0 c0 c1 w1 c12 c14 c2 c3 c4 c5 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun w0 => c0 + c1 * w1 + c12 * w0 ^ 3 + c14 * w0 ^ 4 + c2 * w1 ^ 2 + c3 * w1 ^ 3 + c4 * w1 ^ 4 + c5 * w0 + c9 * w0 ^ 2 + c10 * w1 * w0 ^ 2 + c11 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * w0 ^ 3 + c6 * w0 * w1 + c7 * w0 * w1 ^ 2 + c8 * w0 * w1 ^ 3) w0 (c5 + c6 * w1 + c7 * w1 ^ 2 + c8 * w1 ^ 3 + 2 * c9 * w0 + 3 * c12 * w0 ^ 2 + 4 * c14 * w0 ^ 3 + 2 * c10 * w0 * w1 + 2 * c11 * w0 * w1 ^ 2 + 3 * c13 * w1 * w0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d2 : forall w1 c0 c1 c12 w0 c14 c2 c3 c4 c5 c9 c10 c11 c13 c6 c7 c8 : R,
  is_derive (fun w1 => c0 + c1 * w1 + c12 * w0 ^ 3 + c14 * w0 ^ 4 + c2 * w1 ^ 2 + c3 * w1 ^ 3 + c4 * w1 ^ 4 + c5 * w0 + c9 * w0 ^ 2 + c10 * w1 * w0 ^ 2 + c11 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * w0 ^ 3 + c6 * w0 * w1 + c7 * w0 * w1 ^ 2 + c8 * w0 * w1 ^ 3) w1 (c1 + c10 * w0 ^ 2 + c13 * w0 ^ 3 + c6 * w0 + 2 * c2 * w1 + 3 * c3 * w1 ^ 2 + 4 * c4 * w1 ^ 3 + 2 * c11 * w1 * w0 ^ 2 + 2 * c7 * w0 * w1 + 3 * c8 * w0 * w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d3 : forall w0 c5 c6 w1 c7 c8 c9 c12 c14 c10 c11 c13 : R,
  is_derive (fun w0 => c5 + c6 * w1 + c7 * w1 ^ 2 + c8 * w1 ^ 3 + 2 * c9 * w0 + 3 * c12 * w0 ^ 2 + 4 * c14 * w0 ^ 3 + 2 * c10 * w0 * w1 + 2 * c11 * w0 * w1 ^ 2 + 3 * c13 * w1 * w0 ^ 2) w0 (2 * c9 + 2 * c10 * w1 + 2 * c11 * w1 ^ 2 + 6 * c12 * w0 + 12 * c14 * w0 ^ 2 + 6 * c13 * w0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d4 : forall w1 c5 c6 c7 c8 c9 w0 c12 c14 c10 c11 c13 : R,
  is_derive (fun w1 => c5 + c6 * w1 + c7 * w1 ^ 2 + c8 * w1 ^ 3 + 2 * c9 * w0 + 3 * c12 * w0 ^ 2 + 4 * c14 * w0 ^ 3 + 2 * c10 * w0 * w1 + 2 * c11 * w0 * w1 ^ 2 + 3 * c13 * w1 * w0 ^ 2) w1 (c6 + 2 * c10 * w0 + 2 * c7 * w1 + 3 * c13 * w0 ^ 2 + 3 * c8 * w1 ^ 2 + 4 * c11 * w0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d5 : forall w1 c1 c10 w0 c13 c6 c2 c3 c4 c11 c7 c8 : R,
  is_derive (fun w1 => c1 + c10 * w0 ^ 2 + c13 * w0 ^ 3 + c6 * w0 + 2 * c2 * w1 + 3 * c3 * w1 ^ 2 + 4 * c4 * w1 ^ 3 + 2 * c11 * w1 * w0 ^ 2 + 2 * c7 * w0 * w1 + 3 * c8 * w0 * w1 ^ 2) w1 (2 * c2 + 2 * c11 * w0 ^ 2 + 2 * c7 * w0 + 6 * c3 * w1 + 12 * c4 * w1 ^ 2 + 6 * c8 * w0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d6 : forall w0 c1 c10 c13 c6 c2 w1 c3 c4 c11 c7 c8 : R,
  is_derive (fun w0 => c1 + c10 * w0 ^ 2 + c13 * w0 ^ 3 + c6 * w0 + 2 * c2 * w1 + 3 * c3 * w1 ^ 2 + 4 * c4 * w1 ^ 3 + 2 * c11 * w1 * w0 ^ 2 + 2 * c7 * w0 * w1 + 3 * c8 * w0 * w1 ^ 2) w0 (c6 + 2 * c10 * w0 + 2 * c7 * w1 + 3 * c13 * w0 ^ 2 + 3 * c8 * w1 ^ 2 + 4 * c11 * w0 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d7 : forall w0 c1 w1 c12 c14 c2 c3 c4 c5 c9 v1 v0 c6 c7 c8 c10 c11 c13 : R,
  is_derive (fun w0 => c1 * w1 + c12 * w0 ^ 3 + c14 * w0 ^ 4 + c2 * w1 ^ 2 + c3 * w1 ^ 3 + c4 * w1 ^ 4 + c5 * w0 + c9 * w0 ^ 2 - c1 * v1 - c12 * v0 ^ 3 - c14 * v0 ^ 4 - c2 * v1 ^ 2 - c3 * v1 ^ 3 - c4 * v1 ^ 4 - c5 * v0 - c9 * v0 ^ 2 - (w0 - v0) * (c5 + c6 * v1 + c7 * v1 ^ 2 + c8 * v1 ^ 3 + 2 * c9 * v0 + 3 * c12 * v0 ^ 2 + 4 * c14 * v0 ^ 3 + 2 * c10 * v0 * v1 + 2 * c11 * v0 * v1 ^ 2 + 3 * c13 * v1 * v0 ^ 2) - (w1 - v1) * (c1 + c10 * v0 ^ 2 + c13 * v0 ^ 3 + c6 * v0 + 2 * c2 * v1 + 3 * c3 * v1 ^ 2 + 4 * c4 * v1 ^ 3 + 2 * c11 * v1 * v0 ^ 2 + 2 * c7 * v0 * v1 + 3 * c8 * v0 * v1 ^ 2) + c10 * w1 * w0 ^ 2 + c11 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * w0 ^ 3 + c6 * w0 * w1 + c7 * w0 * w1 ^ 2 + c8 * w0 * w1 ^ 3 - c10 * v1 * v0 ^ 2 - c11 * v0 ^ 2 * v1 ^ 2 - c13 * v1 * v0 ^ 3 - c6 * v0 * v1 - c7 * v0 * v1 ^ 2 - c8 * v0 * v1 ^ 3) w0 (c6 * w1 + c7 * w1 ^ 2 + c8 * w1 ^ 3 - c6 * v1 - c7 * v1 ^ 2 - c8 * v1 ^ 3 - 4 * c14 * v0 ^ 3 - 3 * c12 * v0 ^ 2 - 2 * c9 * v0 + 2 * c9 * w0 + 3 * c12 * w0 ^ 2 + 4 * c14 * w0 ^ 3 - 3 * c13 * v1 * v0 ^ 2 - 2 * c10 * v0 * v1 - 2 * c11 * v0 * v1 ^ 2 + 2 * c10 * w0 * w1 + 2 * c11 * w0 * w1 ^ 2 + 3 * c13 * w1 * w0 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma bregman_stationarity_d8 : forall w1 c1 c12 w0 c14 c2 c3 c4 c5 c9 v1 v0 c6 c7 c8 c10 c11 c13 : R,
  is_derive (fun w1 => c1 * w1 + c12 * w0 ^ 3 + c14 * w0 ^ 4 + c2 * w1 ^ 2 + c3 * w1 ^ 3 + c4 * w1 ^ 4 + c5 * w0 + c9 * w0 ^ 2 - c1 * v1 - c12 * v0 ^ 3 - c14 * v0 ^ 4 - c2 * v1 ^ 2 - c3 * v1 ^ 3 - c4 * v1 ^ 4 - c5 * v0 - c9 * v0 ^ 2 - (w0 - v0) * (c5 + c6 * v1 + c7 * v1 ^ 2 + c8 * v1 ^ 3 + 2 * c9 * v0 + 3 * c12 * v0 ^ 2 + 4 * c14 * v0 ^ 3 + 2 * c10 * v0 * v1 + 2 * c11 * v0 * v1 ^ 2 + 3 * c13 * v1 * v0 ^ 2) - (w1 - v1) * (c1 + c10 * v0 ^ 2 + c13 * v0 ^ 3 + c6 * v0 + 2 * c2 * v1 + 3 * c3 * v1 ^ 2 + 4 * c4 * v1 ^ 3 + 2 * c11 * v1 * v0 ^ 2 + 2 * c7 * v0 * v1 + 3 * c8 * v0 * v1 ^ 2) + c10 * w1 * w0 ^ 2 + c11 * w0 ^ 2 * w1 ^ 2 + c13 * w1 * w0 ^ 3 + c6 * w0 * w1 + c7 * w0 * w1 ^ 2 + c8 * w0 * w1 ^ 3 - c10 * v1 * v0 ^ 2 - c11 * v0 ^ 2 * v1 ^ 2 - c13 * v1 * v0 ^ 3 - c6 * v0 * v1 - c7 * v0 * v1 ^ 2 - c8 * v0 * v1 ^ 3) w1 (c10 * w0 ^ 2 + c13 * w0 ^ 3 + c6 * w0 - c10 * v0 ^ 2 - c13 * v0 ^ 3 - c6 * v0 - 4 * c4 * v1 ^ 3 - 3 * c3 * v1 ^ 2 - 2 * c2 * v1 + 2 * c2 * w1 + 3 * c3 * w1 ^ 2 + 4 * c4 * w1 ^ 3 - 3 * c8 * v0 * v1 ^ 2 - 2 * c11 * v1 * v0 ^ 2 - 2 * c7 * v0 * v1 + 2 * c11 * w1 * w0 ^ 2 + 2 * c7 * w0 * w1 + 3 * c8 * w0 * w1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
