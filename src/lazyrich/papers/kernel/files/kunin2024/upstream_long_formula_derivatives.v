From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/upstream-long-formula, long_formula_solves *)

Lemma long_formula_solves_d1 : forall v_E y c delta v_S : R,
  v_E <> 0 ->
  delta <> 0 ->
  - (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2 <> 0 ->
  1 - y ^ 2 <> 0 ->
  is_derive (fun v_E => (1 / 4) * (1 - y ^ 2) * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)) v_E (- (1 / 4) * (1 - y ^ 2) * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E ^ 2 / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) + (1 / 4) * (1 - y ^ 2) * (v_S ^ 2 - delta ^ 2 - delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma long_formula_solves_d2 : forall y c v_E delta v_S : R,
  v_E <> 0 ->
  delta <> 0 ->
  - (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2 <> 0 ->
  1 - y ^ 2 <> 0 ->
  is_derive (fun y => (1 / 4) * (1 - y ^ 2) * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)) y (- (1 / 4) * (1 - y ^ 2) * (- 2 * v_S / (1 - y ^ 2) - 4 * v_S * y ^ 2 / (1 - y ^ 2) ^ 2 + 2 * delta * y / (1 - y ^ 2) + 2 * delta * y * (1 + y ^ 2) / (1 - y ^ 2) ^ 2) / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - (1 / 2) * y * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
