From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/singular-value-speed, singular_values_move *)

Lemma singular_values_move_d1 : forall t s sigma_1 sigma_2 g0 g3 g1 g2 : R,
  0 < sigma_1 ->
  0 < sigma_2 ->
  is_derive (fun t => s ^ 4 + sigma_1 ^ 2 * sigma_2 ^ 2 - s ^ 2 * sigma_1 ^ 2 - s ^ 2 * sigma_2 ^ 2 + g0 ^ 2 * g3 ^ 2 * t ^ 4 + g0 ^ 2 * t ^ 2 * sigma_2 ^ 2 + g1 ^ 2 * g2 ^ 2 * t ^ 4 + g3 ^ 2 * t ^ 2 * sigma_1 ^ 2 - g0 ^ 2 * s ^ 2 * t ^ 2 - g1 ^ 2 * s ^ 2 * t ^ 2 - g2 ^ 2 * s ^ 2 * t ^ 2 - g3 ^ 2 * s ^ 2 * t ^ 2 - 2 * g0 * t * sigma_1 * s ^ 2 - 2 * g3 * t * sigma_2 * s ^ 2 + 2 * g0 * t * sigma_1 * sigma_2 ^ 2 + 2 * g0 * sigma_1 * g3 ^ 2 * t ^ 3 + 2 * g3 * t * sigma_2 * sigma_1 ^ 2 + 2 * g3 * sigma_2 * g0 ^ 2 * t ^ 3 - 2 * g0 * g1 * g2 * g3 * t ^ 4 - 2 * g0 * g1 * g2 * sigma_2 * t ^ 3 - 2 * g1 * g2 * g3 * sigma_1 * t ^ 3 - 2 * g1 * g2 * sigma_1 * sigma_2 * t ^ 2 + 4 * g0 * g3 * sigma_1 * sigma_2 * t ^ 2) t (- 2 * g0 * sigma_1 * s ^ 2 - 2 * g3 * sigma_2 * s ^ 2 - 2 * t * g0 ^ 2 * s ^ 2 - 2 * t * g1 ^ 2 * s ^ 2 - 2 * t * g2 ^ 2 * s ^ 2 - 2 * t * g3 ^ 2 * s ^ 2 + 2 * g0 * sigma_1 * sigma_2 ^ 2 + 2 * g3 * sigma_2 * sigma_1 ^ 2 + 2 * t * g0 ^ 2 * sigma_2 ^ 2 + 2 * t * g3 ^ 2 * sigma_1 ^ 2 + 4 * g0 ^ 2 * g3 ^ 2 * t ^ 3 + 4 * g1 ^ 2 * g2 ^ 2 * t ^ 3 + 6 * g0 * sigma_1 * g3 ^ 2 * t ^ 2 + 6 * g3 * sigma_2 * g0 ^ 2 * t ^ 2 - 8 * g0 * g1 * g2 * g3 * t ^ 3 - 6 * g0 * g1 * g2 * sigma_2 * t ^ 2 - 6 * g1 * g2 * g3 * sigma_1 * t ^ 2 - 4 * g1 * g2 * t * sigma_1 * sigma_2 + 8 * g0 * g3 * t * sigma_1 * sigma_2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma singular_values_move_d2 : forall s sigma_1 sigma_2 g0 g3 t g1 g2 : R,
  0 < sigma_1 ->
  0 < sigma_2 ->
  is_derive (fun s => s ^ 4 + sigma_1 ^ 2 * sigma_2 ^ 2 - s ^ 2 * sigma_1 ^ 2 - s ^ 2 * sigma_2 ^ 2 + g0 ^ 2 * g3 ^ 2 * t ^ 4 + g0 ^ 2 * t ^ 2 * sigma_2 ^ 2 + g1 ^ 2 * g2 ^ 2 * t ^ 4 + g3 ^ 2 * t ^ 2 * sigma_1 ^ 2 - g0 ^ 2 * s ^ 2 * t ^ 2 - g1 ^ 2 * s ^ 2 * t ^ 2 - g2 ^ 2 * s ^ 2 * t ^ 2 - g3 ^ 2 * s ^ 2 * t ^ 2 - 2 * g0 * t * sigma_1 * s ^ 2 - 2 * g3 * t * sigma_2 * s ^ 2 + 2 * g0 * t * sigma_1 * sigma_2 ^ 2 + 2 * g0 * sigma_1 * g3 ^ 2 * t ^ 3 + 2 * g3 * t * sigma_2 * sigma_1 ^ 2 + 2 * g3 * sigma_2 * g0 ^ 2 * t ^ 3 - 2 * g0 * g1 * g2 * g3 * t ^ 4 - 2 * g0 * g1 * g2 * sigma_2 * t ^ 3 - 2 * g1 * g2 * g3 * sigma_1 * t ^ 3 - 2 * g1 * g2 * sigma_1 * sigma_2 * t ^ 2 + 4 * g0 * g3 * sigma_1 * sigma_2 * t ^ 2) s (4 * s ^ 3 - 2 * s * sigma_1 ^ 2 - 2 * s * sigma_2 ^ 2 - 2 * s * g0 ^ 2 * t ^ 2 - 2 * s * g1 ^ 2 * t ^ 2 - 2 * s * g2 ^ 2 * t ^ 2 - 2 * s * g3 ^ 2 * t ^ 2 - 4 * g0 * s * t * sigma_1 - 4 * g3 * s * t * sigma_2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
