From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-speed, square_of_the_speed *)

Lemma square_of_the_speed_1 : forall u_m u_p v_m v_p : R,
  (u_m ^ 2 + u_p ^ 2 + v_m ^ 2 + v_p ^ 2) ^ 2 =
  (u_m ^ 2 + v_p ^ 2 - u_p ^ 2 - v_m ^ 2) ^ 2 + 4 * (u_m * u_p + v_m * v_p) ^ 2 + 4 * (u_p * v_p - u_m * v_m) ^ 2.
Proof.
  intros.
  field; nonzero.
Qed.
