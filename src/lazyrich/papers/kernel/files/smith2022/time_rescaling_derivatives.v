From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/time-rescaling, slower_by_two_thirds *)

Lemma slower_by_two_thirds_d1 : forall w0 y x a w1 : R,
  a <> 0 ->
  is_derive (fun w0 => (- y + x * a ^ 3 * (w0 ^ 3 - w1 ^ 3)) ^ 2 / a ^ 6) w0 (6 * x * w0 ^ 2 * (- y + x * a ^ 3 * (w0 ^ 3 - w1 ^ 3)) / a ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slower_by_two_thirds_d2 : forall w1 y x a w0 : R,
  a <> 0 ->
  is_derive (fun w1 => (- y + x * a ^ 3 * (w0 ^ 3 - w1 ^ 3)) ^ 2 / a ^ 6) w1 ((-6) * x * w1 ^ 2 * (- y + x * a ^ 3 * (w0 ^ 3 - w1 ^ 3)) / a ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slower_by_two_thirds_d3 : forall v0 y x v1 a : R,
  a <> 0 ->
  is_derive (fun v0 => (- y + x * (v0 ^ 3 - v1 ^ 3)) ^ 2 / a ^ 6) v0 (6 * x * v0 ^ 2 * (- y + x * (v0 ^ 3 - v1 ^ 3)) / a ^ 6).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slower_by_two_thirds_d4 : forall v1 y x v0 a : R,
  a <> 0 ->
  is_derive (fun v1 => (- y + x * (v0 ^ 3 - v1 ^ 3)) ^ 2 / a ^ 6) v1 ((-6) * x * v1 ^ 2 * (- y + x * (v0 ^ 3 - v1 ^ 3)) / a ^ 6).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
