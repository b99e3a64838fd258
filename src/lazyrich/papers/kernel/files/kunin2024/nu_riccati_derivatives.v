From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/nu-riccati, rate_of_nu *)

Lemma rate_of_nu_d1 : forall a w0 w1 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) a (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_nu_d2 : forall w0 a w1 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w0 (w0 * a ^ 2 - b0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_nu_d3 : forall w1 w0 a b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w1 (w1 * a ^ 2 - b1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_nu_d4 : forall a b0 w0 b1 w1 : R,
  0 < a ->
  is_derive (fun a => (b0 * w0 + b1 * w1) / a) a ((-1) * (b0 * w0 + b1 * w1) / a ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_nu_d5 : forall w0 b0 b1 w1 a : R,
  0 < a ->
  is_derive (fun w0 => (b0 * w0 + b1 * w1) / a) w0 (b0 / a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rate_of_nu_d6 : forall w1 b0 w0 b1 a : R,
  0 < a ->
  is_derive (fun w1 => (b0 * w0 + b1 * w1) / a) w1 (b1 / a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
