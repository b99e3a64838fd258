From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-mirror, slope_along_the_flow *)

Lemma slope_along_the_flow_1 : forall u_m v_p u_p v_m : R,
  0 < u_m ->
  0 < v_p ->
  0 < u_p ->
  0 < v_m ->
  (u_m ^ 2 + v_p ^ 2 - u_p ^ 2 - v_m ^ 2) ^ 2 + 4 * (u_m * u_p + v_m * v_p) ^ 2 + 4 * (u_p * v_p - u_m * v_m) ^ 2 =
  (u_m ^ 2 + u_p ^ 2 + v_m ^ 2 + v_p ^ 2) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
