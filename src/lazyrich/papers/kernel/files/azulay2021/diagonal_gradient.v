From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-gradient, gradient_of_the_average *)

Lemma gradient_of_the_average_1 : forall v_p x0 y0 u_p u_m v_m x1 y1 : R,
  (1 / 2) * v_p * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * v_p * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m)) =
  v_p * ((1 / 2) * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma gradient_of_the_average_2 : forall u_p x0 y0 v_p u_m v_m x1 y1 : R,
  (1 / 2) * u_p * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * u_p * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m)) =
  u_p * ((1 / 2) * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma gradient_of_the_average_3 : forall v_m x0 y0 u_p v_p u_m x1 y1 : R,
  - (1 / 2) * v_m * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) - (1 / 2) * v_m * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m)) =
  (-1) * v_m * ((1 / 2) * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma gradient_of_the_average_4 : forall u_m x0 y0 u_p v_p v_m x1 y1 : R,
  - (1 / 2) * u_m * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) - (1 / 2) * u_m * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m)) =
  (-1) * u_m * ((1 / 2) * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros.
  field; nonzero.
Qed.
