From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/no-potential, of_the_log_determinant *)

Lemma of_the_log_determinant_1 : forall z0 gamma z3 z1 z2 : R,
  z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3 <> 0 ->
  z0 * z3 - z1 * z2 <> 0 ->
  z0 - gamma * (2 * z0 * z3 ^ 2 - 2 * z1 * z2 * z3) / (z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3) =
  z0 - 2 * gamma * z3 / (z0 * z3 - z1 * z2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma of_the_log_determinant_2 : forall z1 gamma z2 z0 z3 : R,
  z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3 <> 0 ->
  z0 * z3 - z1 * z2 <> 0 ->
  z1 - gamma * (2 * z1 * z2 ^ 2 - 2 * z0 * z2 * z3) / (z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3) =
  z1 + 2 * gamma * z2 / (z0 * z3 - z1 * z2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma of_the_log_determinant_3 : forall z2 gamma z1 z0 z3 : R,
  z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3 <> 0 ->
  z0 * z3 - z1 * z2 <> 0 ->
  z2 - gamma * (2 * z2 * z1 ^ 2 - 2 * z0 * z1 * z3) / (z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3) =
  z2 + 2 * gamma * z1 / (z0 * z3 - z1 * z2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma of_the_log_determinant_4 : forall z3 gamma z0 z1 z2 : R,
  z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3 <> 0 ->
  z0 * z3 - z1 * z2 <> 0 ->
  z3 - gamma * (2 * z3 * z0 ^ 2 - 2 * z0 * z1 * z2) / (z0 ^ 2 * z3 ^ 2 + z1 ^ 2 * z2 ^ 2 - 2 * z0 * z1 * z2 * z3) =
  z3 - 2 * gamma * z0 / (z0 * z3 - z1 * z2).
Proof.
  intros.
  field; nonzero.
Qed.

(* varre2023/no-potential, mixed_derivatives_of_the_map *)

Lemma mixed_derivatives_of_the_map_1 : forall p z2 z3 z0 z1 q : R,
  z0 * z3 - z1 * z2 <> 0 ->
  p * z2 * z3 / (z0 * z3 - z1 * z2) ^ 2 - q * z2 * z3 / (z0 * z3 - z1 * z2) ^ 2 =
  z2 * z3 * (p - q) / (z0 * z3 - z1 * z2) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
