From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/residual-times-alpha, by_the_product_rule *)

Lemma by_the_product_rule_1 : forall r0 p r2 q r1 g : R,
  - 1 + p ^ 2 <> 0 ->
  1 - p ^ 2 <> 0 ->
  r0 * (r0 - r0 * p ^ 2) + r2 * (r2 - p * q * r1) - 2 * g * p * (- r0 / (- 1 + p ^ 2) - r0 * p ^ 2 / (- 1 + p ^ 2)) =
  r0 ^ 2 + r2 ^ 2 - p ^ 2 * r0 ^ 2 + 2 * g * p * r0 - p * q * r1 * r2 - 4 * g * p * r0 / (1 - p ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_the_product_rule_2 : forall r0 r1 p q r2 r3 g : R,
  - 1 + q ^ 2 <> 0 ->
  - 1 + p ^ 2 <> 0 ->
  1 - p ^ 2 <> 0 ->
  1 - q ^ 2 <> 0 ->
  r0 * (r1 - p * q * r2) + r2 * (r3 - r3 * q ^ 2) - 2 * g * q * (- r2 / (- 1 + q ^ 2) - r2 * p ^ 2 / (- 1 + p ^ 2)) =
  r0 * r1 + r2 * r3 - r2 * r3 * q ^ 2 + 2 * g * q * r2 - p * q * r0 * r2 - 2 * g * q * r2 / (1 - p ^ 2) - 2 * g * q * r2 / (1 - q ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_the_product_rule_3 : forall r1 r0 p r3 r2 q g : R,
  - 1 + p ^ 2 <> 0 ->
  - 1 + q ^ 2 <> 0 ->
  1 - p ^ 2 <> 0 ->
  1 - q ^ 2 <> 0 ->
  r1 * (r0 - r0 * p ^ 2) + r3 * (r2 - p * q * r1) - 2 * g * p * (- r1 / (- 1 + p ^ 2) - r1 * q ^ 2 / (- 1 + q ^ 2)) =
  r0 * r1 + r2 * r3 - r0 * r1 * p ^ 2 + 2 * g * p * r1 - p * q * r1 * r3 - 2 * g * p * r1 / (1 - p ^ 2) - 2 * g * p * r1 / (1 - q ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma by_the_product_rule_4 : forall r1 p q r2 r3 g : R,
  - 1 + q ^ 2 <> 0 ->
  1 - q ^ 2 <> 0 ->
  r1 * (r1 - p * q * r2) + r3 * (r3 - r3 * q ^ 2) - 2 * g * q * (- r3 / (- 1 + q ^ 2) - r3 * q ^ 2 / (- 1 + q ^ 2)) =
  r1 ^ 2 + r3 ^ 2 - q ^ 2 * r3 ^ 2 + 2 * g * q * r3 - p * q * r1 * r2 - 4 * g * q * r3 / (1 - q ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
