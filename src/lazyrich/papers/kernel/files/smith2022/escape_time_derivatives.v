From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/escape-time, growth_and_waiting *)

Lemma growth_and_waiting_d1 : forall p y0 x0 y1 x1 : R,
  is_derive (fun p => (1 / 2) * (- y0 + x0 * p ^ 2) ^ 2 + (1 / 2) * (- y1 + x1 * p ^ 2) ^ 2) p (2 * p * x0 * (- y0 + x0 * p ^ 2) + 2 * p * x1 * (- y1 + x1 * p ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
