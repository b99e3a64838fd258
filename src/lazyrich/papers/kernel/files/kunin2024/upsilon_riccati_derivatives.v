From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/upsilon-riccati, upsilon_solved *)

Lemma upsilon_solved_d1 : forall a w0 w1 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) a (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma upsilon_solved_d2 : forall w0 a w1 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w0 (w0 * a ^ 2 - b0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma upsilon_solved_d3 : forall w1 w0 a b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w1 (w1 * a ^ 2 - b1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma upsilon_solved_d4 : forall a b0 w0 b1 w1 : R,
  0 < a ->
  b0 * w0 + b1 * w1 <> 0 ->
  is_derive (fun a => a / (b0 * w0 + b1 * w1)) a (/ ((b0 * w0 + b1 * w1))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma upsilon_solved_d5 : forall w0 a b0 b1 w1 : R,
  0 < a ->
  b0 * w0 + b1 * w1 <> 0 ->
  is_derive (fun w0 => a / (b0 * w0 + b1 * w1)) w0 ((-1) * b0 * a / (b0 * w0 + b1 * w1) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma upsilon_solved_d6 : forall w1 a b0 w0 b1 : R,
  0 < a ->
  b0 * w0 + b1 * w1 <> 0 ->
  is_derive (fun w1 => a / (b0 * w0 + b1 * w1)) w1 ((-1) * b1 * a / (b0 * w0 + b1 * w1) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma upsilon_solved_d7 : forall t delta upsilon0 v_R : R,
  0 < t ->
  0 < delta ->
  0 < upsilon0 ->
  0 < v_R ->
  ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t)) <> 0 ->
  is_derive (fun t => ((2 + delta * upsilon0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t)))) t (((2 + delta * upsilon0) * ((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) + ((2 + delta * upsilon0) * ((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) + 2 * v_R * upsilon0 * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) * (- (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) * ((1 / 2) * v_R * exp (v_R * t) + (1 / 2) * v_R * exp ((-1) * v_R * t)) - 2 * v_R * ((1 / 2) * v_R * exp (v_R * t) - (1 / 2) * v_R * exp ((-1) * v_R * t))) / (((1 / 2) * exp (v_R * t) - (1 / 2) * exp ((-1) * v_R * t)) * (- delta + upsilon0 * (2 * v_R ^ 2 - (1 / 2) * delta ^ 2)) + 2 * v_R * ((1 / 2) * exp (v_R * t) + (1 / 2) * exp ((-1) * v_R * t))) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
