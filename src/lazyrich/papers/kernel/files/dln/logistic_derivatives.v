From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/logistic, solves_its_equation *)

Lemma solves_its_equation_d1 : forall t s a : R,
  0 < t ->
  0 < s ->
  0 < a ->
  1 + (- 1 + s / a) * exp ((-2) * s * t) <> 0 ->
  is_derive (fun t => s / (1 + (- 1 + s / a) * exp ((-2) * s * t))) t (2 * s ^ 2 * (- 1 + s / a) * exp ((-2) * s * t) / (1 + (- 1 + s / a) * exp ((-2) * s * t)) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
