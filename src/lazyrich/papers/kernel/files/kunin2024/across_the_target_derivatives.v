From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/across-the-target, only_shrinks *)

Lemma only_shrinks_d1 : forall a w0 w1 w2 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 + (1 / 2) * w2 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) a (a * w0 ^ 2 + a * w1 ^ 2 + a * w2 ^ 2 - b0 * w0 - b1 * w1 - b2 * w2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d2 : forall w0 a w1 w2 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 + (1 / 2) * w2 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w0 (w0 * a ^ 2 - b0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d3 : forall w1 w0 a w2 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 + (1 / 2) * w2 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w1 (w1 * a ^ 2 - b1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d4 : forall w2 w0 a w1 b0 b1 b2 : R,
  0 < a ->
  is_derive (fun w2 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 + (1 / 2) * w2 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a - b2 * w2 * a) w2 (w2 * a ^ 2 - b2 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d5 : forall w0 b0 b1 b2 w1 w2 : R,
  is_derive (fun w0 => w0 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b0 * (b0 * w0 + b1 * w1 + b2 * w2)) w0 (b1 ^ 2 + b2 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d6 : forall w1 w0 b0 b1 b2 w2 : R,
  is_derive (fun w1 => w0 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b0 * (b0 * w0 + b1 * w1 + b2 * w2)) w1 ((-1) * b0 * b1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d7 : forall w2 w0 b0 b1 b2 w1 : R,
  is_derive (fun w2 => w0 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b0 * (b0 * w0 + b1 * w1 + b2 * w2)) w2 ((-1) * b0 * b2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d8 : forall w0 w1 b0 b1 b2 w2 : R,
  is_derive (fun w0 => w1 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b1 * (b0 * w0 + b1 * w1 + b2 * w2)) w0 ((-1) * b0 * b1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d9 : forall w1 b0 b1 b2 w0 w2 : R,
  is_derive (fun w1 => w1 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b1 * (b0 * w0 + b1 * w1 + b2 * w2)) w1 (b0 ^ 2 + b2 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d10 : forall w2 w1 b0 b1 b2 w0 : R,
  is_derive (fun w2 => w1 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b1 * (b0 * w0 + b1 * w1 + b2 * w2)) w2 ((-1) * b1 * b2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d11 : forall w0 w2 b0 b1 b2 w1 : R,
  is_derive (fun w0 => w2 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b2 * (b0 * w0 + b1 * w1 + b2 * w2)) w0 ((-1) * b0 * b2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d12 : forall w1 w2 b0 b1 b2 w0 : R,
  is_derive (fun w1 => w2 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b2 * (b0 * w0 + b1 * w1 + b2 * w2)) w1 ((-1) * b1 * b2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma only_shrinks_d13 : forall w2 b0 b1 b2 w0 w1 : R,
  is_derive (fun w2 => w2 * (b0 ^ 2 + b1 ^ 2 + b2 ^ 2) - b2 * (b0 * w0 + b1 * w1 + b2 * w2)) w2 (b0 ^ 2 + b1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
