From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/saddle, by_two_derivatives *)

Lemma by_two_derivatives_d1 : forall p y0 x0 m y1 x1 : R,
  is_derive (fun p => (1 / 2) * (- y0 + x0 * (p ^ 2 - m ^ 2)) ^ 2 + (1 / 2) * (- y1 + x1 * (p ^ 2 - m ^ 2)) ^ 2) p (2 * p * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) + 2 * p * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_two_derivatives_d2 : forall m y0 x0 p y1 x1 : R,
  is_derive (fun m => (1 / 2) * (- y0 + x0 * (p ^ 2 - m ^ 2)) ^ 2 + (1 / 2) * (- y1 + x1 * (p ^ 2 - m ^ 2)) ^ 2) m (- 2 * m * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) - 2 * m * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_two_derivatives_d3 : forall p x0 y0 m x1 y1 : R,
  is_derive (fun p => 2 * p * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) + 2 * p * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2))) p (2 * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) + 2 * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2)) + 4 * p ^ 2 * x0 ^ 2 + 4 * p ^ 2 * x1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_two_derivatives_d4 : forall m p x0 y0 x1 y1 : R,
  is_derive (fun m => 2 * p * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) + 2 * p * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2))) m (- 4 * m * p * x0 ^ 2 - 4 * m * p * x1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma by_two_derivatives_d5 : forall m x0 y0 p x1 y1 : R,
  is_derive (fun m => - 2 * m * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) - 2 * m * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2))) m (- 2 * x0 * (- y0 + x0 * (p ^ 2 - m ^ 2)) - 2 * x1 * (- y1 + x1 * (p ^ 2 - m ^ 2)) + 4 * m ^ 2 * x0 ^ 2 + 4 * m ^ 2 * x1 ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
