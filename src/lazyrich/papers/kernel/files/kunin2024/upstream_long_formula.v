From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/upstream-long-formula, long_formula_solves *)

Lemma long_formula_solves_1 : forall v_E delta y c v_S : R,
  v_E <> 0 ->
  delta <> 0 ->
  - (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2 <> 0 ->
  1 - y ^ 2 <> 0 ->
  v_E * delta * (- (1 / 4) * (1 - y ^ 2) * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E ^ 2 / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) + (1 / 4) * (1 - y ^ 2) * (v_S ^ 2 - delta ^ 2 - delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)) + (1 / 2) * v_S * (1 - y ^ 2) * (- (1 / 4) * (1 - y ^ 2) * (- 2 * v_S / (1 - y ^ 2) - 4 * v_S * y ^ 2 / (1 - y ^ 2) ^ 2 + 2 * delta * y / (1 - y ^ 2) + 2 * delta * y * (1 + y ^ 2) / (1 - y ^ 2) ^ 2) / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - (1 / 2) * y * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)) =
  2 - (1 / 4) * (1 - y ^ 2) * (delta + v_S * y) * (- c + 4 * v_E * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) - v_E * delta * (delta * (1 + y ^ 2) / (1 - y ^ 2) - 2 * v_S * y / (1 - y ^ 2))) / v_E / delta / (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2).
Proof.
  intros.
  try (assert (v_S ^ 2 - delta ^ 2 <> 0) by (replace (v_S ^ 2 - delta ^ 2) with ((- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) * 4) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.

Lemma long_formula_solves_2 : forall delta b0 a0 v_S : R,
  delta <> 0 ->
  v_S ^ 2 - delta ^ 2 <> 0 ->
  v_S <> 0 ->
  a0 <> 0 ->
  1 - (delta + 2 * b0 / a0) ^ 2 / v_S ^ 2 <> 0 ->
  b0 ^ 2 - a0 ^ 2 * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) + a0 * b0 * delta <> 0 ->
  (1 - (delta + 2 * b0 / a0) ^ 2 / v_S ^ 2) * (v_S ^ 2 - delta ^ 2 - delta * (- 2 * (delta + 2 * b0 / a0) / (1 - (delta + 2 * b0 / a0) ^ 2 / v_S ^ 2) + delta * (1 + (delta + 2 * b0 / a0) ^ 2 / v_S ^ 2) / (1 - (delta + 2 * b0 / a0) ^ 2 / v_S ^ 2)) - v_S ^ 2 * (b0 ^ 2 + (delta - a0 ^ 2) * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2)) / (b0 ^ 2 - a0 ^ 2 * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) + a0 * b0 * delta)) / delta / (v_S ^ 2 - delta ^ 2) =
  / (a0 ^ 2).
Proof.
  intros.
  try (assert (- (2 * b0 + a0 * delta) ^ 2 + v_S ^ 2 * a0 ^ 2 <> 0) by (replace (- (2 * b0 + a0 * delta) ^ 2 + v_S ^ 2 * a0 ^ 2) with ((1 - (delta + 2 * b0 / a0) ^ 2 / v_S ^ 2) * (v_S ^ 2 * a0 ^ 2)) by (field; nonzero); nonzero)).
  try (assert (4 * b0 ^ 2 - a0 ^ 2 * (v_S ^ 2 - delta ^ 2) + 4 * a0 * b0 * delta <> 0) by (replace (4 * b0 ^ 2 - a0 ^ 2 * (v_S ^ 2 - delta ^ 2) + 4 * a0 * b0 * delta) with ((b0 ^ 2 - a0 ^ 2 * (- (1 / 4) * delta ^ 2 + (1 / 4) * v_S ^ 2) + a0 * b0 * delta) * 4) by (field; nonzero); nonzero)).
  field; nonzero.
Qed.
