From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/balanced-mu, bernoulli_solved *)

Lemma bernoulli_solved_d1 : forall t B c mu0 : R,
  0 < t ->
  0 < B ->
  0 < c ->
  0 < mu0 ->
  - sinh (2 * c) + 2 * B * t + 2 * B * (cosh c) ^ 2 / mu0 + sinh (2 * c + 2 * B * t) <> 0 ->
  is_derive (fun t => 2 * B * (cosh (c + B * t)) ^ 2 / (- sinh (2 * c) + 2 * B * t + 2 * B * (cosh c) ^ 2 / mu0 + sinh (2 * c + 2 * B * t))) t (2 * B * (cosh (c + B * t)) ^ 2 * (- 2 * B - 2 * B * cosh (2 * c + 2 * B * t)) / (- sinh (2 * c) + 2 * B * t + 2 * B * (cosh c) ^ 2 / mu0 + sinh (2 * c + 2 * B * t)) ^ 2 + 4 * B ^ 2 * cosh (c + B * t) * sinh (c + B * t) / (- sinh (2 * c) + 2 * B * t + 2 * B * (cosh c) ^ 2 / mu0 + sinh (2 * c + 2 * B * t))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
