From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* lazyrich2026/balanced-mode-with-decay, the_logistic_curve *)

Lemma the_logistic_curve_d1 : forall t s lambda beta_0 : R,
  0 < t ->
  0 < s ->
  0 < lambda ->
  0 < beta_0 ->
  1 + (- 1 + (s - lambda) / beta_0) * exp (t * (- 2 * s + 2 * lambda)) <> 0 ->
  is_derive (fun t => (s - lambda) / (1 + (- 1 + (s - lambda) / beta_0) * exp (t * (- 2 * s + 2 * lambda)))) t ((-1) * (- 1 + (s - lambda) / beta_0) * (s - lambda) * (- 2 * s + 2 * lambda) * exp (t * (- 2 * s + 2 * lambda)) / (1 + (- 1 + (s - lambda) / beta_0) * exp (t * (- 2 * s + 2 * lambda))) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
