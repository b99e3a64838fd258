From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/noether, only_the_trace *)

Lemma only_the_trace_d1 : forall w1 y v0 w0 v1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  is_derive (fun w1 => (1 / 2) * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) ^ 2) w1 ((1 / 2) * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) * (- 4 * w1 * (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2) ^ 2 + 6 * v1 * w1 ^ 2 / (w0 ^ 2 + w1 ^ 2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_the_trace_d2 : forall w0 y v0 v1 w1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  is_derive (fun w0 => (1 / 2) * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) ^ 2) w0 ((1 / 2) * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) * (- 4 * w0 * (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2) ^ 2 + 6 * v0 * w0 ^ 2 / (w0 ^ 2 + w1 ^ 2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_the_trace_d3 : forall v1 y v0 w0 w1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  is_derive (fun v1 => (1 / 2) * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) ^ 2) v1 (w1 ^ 3 * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) / (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_the_trace_d4 : forall v0 y w0 v1 w1 : R,
  w0 ^ 2 + w1 ^ 2 <> 0 ->
  is_derive (fun v0 => (1 / 2) * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) ^ 2) v0 (w0 ^ 3 * (- y + (v0 * w0 ^ 3 + v1 * w1 ^ 3) / (w0 ^ 2 + w1 ^ 2)) / (w0 ^ 2 + w1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
