From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/fitting-bernoulli, logistic_solves *)

Lemma logistic_solves_d1 : forall t B mu0 : R,
  0 < t ->
  0 < B ->
  0 < mu0 ->
  1 + (- 1 + B / mu0) * exp ((-2) * B * t) <> 0 ->
  is_derive (fun t => B / (1 + (- 1 + B / mu0) * exp ((-2) * B * t))) t (2 * B ^ 2 * (- 1 + B / mu0) * exp ((-2) * B * t) / (1 + (- 1 + B / mu0) * exp ((-2) * B * t)) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
