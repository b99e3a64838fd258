From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-kernel, kernel_of_a_neuron *)

Lemma kernel_of_a_neuron_1 : forall x0 p t x1 y0 y1 a : R,
  0 < p ->
  0 < t ->
  0 < a ->
  (x0 * p * (1 - t ^ 2) / (1 + t ^ 2) + 2 * x1 * p * t / (1 + t ^ 2)) * (y0 * p * (1 - t ^ 2) / (1 + t ^ 2) + 2 * y1 * p * t / (1 + t ^ 2)) + x0 * y0 * a ^ 2 + x1 * y1 * a ^ 2 =
  y0 * (x0 * a ^ 2 * (a ^ 2 + p ^ 2 + a ^ 2 * t ^ 4 + p ^ 2 * t ^ 4 - 2 * p ^ 2 * t ^ 2 + 2 * a ^ 2 * t ^ 2) / (a ^ 2 + a ^ 2 * t ^ 4 + 2 * a ^ 2 * t ^ 2) + x1 * a ^ 2 * (- 2 * p ^ 2 * t ^ 3 + 2 * t * p ^ 2) / (a ^ 2 + a ^ 2 * t ^ 4 + 2 * a ^ 2 * t ^ 2)) + y1 * (x0 * a ^ 2 * (- 2 * p ^ 2 * t ^ 3 + 2 * t * p ^ 2) / (a ^ 2 + a ^ 2 * t ^ 4 + 2 * a ^ 2 * t ^ 2) + x1 * a ^ 2 * (a ^ 2 + a ^ 2 * t ^ 4 + 2 * a ^ 2 * t ^ 2 + 4 * p ^ 2 * t ^ 2) / (a ^ 2 + a ^ 2 * t ^ 4 + 2 * a ^ 2 * t ^ 2)).
Proof.
  intros.
  field; nonzero.
Qed.
