From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/regression-kernel, by_the_gradient *)

Lemma by_the_gradient_d1 : forall w0 x0 w2 x1 w1 w3 : R,
  is_derive (fun w0 => x0 * (w0 ^ 2 - w2 ^ 2) + x1 * (w1 ^ 2 - w3 ^ 2)) w0 (2 * w0 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d2 : forall w1 x0 w0 w2 x1 w3 : R,
  is_derive (fun w1 => x0 * (w0 ^ 2 - w2 ^ 2) + x1 * (w1 ^ 2 - w3 ^ 2)) w1 (2 * w1 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d3 : forall w2 x0 w0 x1 w1 w3 : R,
  is_derive (fun w2 => x0 * (w0 ^ 2 - w2 ^ 2) + x1 * (w1 ^ 2 - w3 ^ 2)) w2 ((-2) * w2 * x0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d4 : forall w3 x0 w0 w2 x1 w1 : R,
  is_derive (fun w3 => x0 * (w0 ^ 2 - w2 ^ 2) + x1 * (w1 ^ 2 - w3 ^ 2)) w3 ((-2) * w3 * x1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d5 : forall w0 z0 w2 z1 w1 w3 : R,
  is_derive (fun w0 => z0 * (w0 ^ 2 - w2 ^ 2) + z1 * (w1 ^ 2 - w3 ^ 2)) w0 (2 * w0 * z0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d6 : forall w1 z0 w0 w2 z1 w3 : R,
  is_derive (fun w1 => z0 * (w0 ^ 2 - w2 ^ 2) + z1 * (w1 ^ 2 - w3 ^ 2)) w1 (2 * w1 * z1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d7 : forall w2 z0 w0 z1 w1 w3 : R,
  is_derive (fun w2 => z0 * (w0 ^ 2 - w2 ^ 2) + z1 * (w1 ^ 2 - w3 ^ 2)) w2 ((-2) * w2 * z0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_the_gradient_d8 : forall w3 z0 w0 w2 z1 w1 : R,
  is_derive (fun w3 => z0 * (w0 ^ 2 - w2 ^ 2) + z1 * (w1 ^ 2 - w3 ^ 2)) w3 ((-2) * w3 * z1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
