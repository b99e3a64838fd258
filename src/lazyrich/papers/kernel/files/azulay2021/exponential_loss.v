From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/exponential-loss, exponential_pull *)

Lemma exponential_pull_1 : forall x y u_m u_p v_p v_m : R,
  u_m ^ 2 + u_p ^ 2 + v_m ^ 2 + v_p ^ 2 <> 0 ->
  (x * y * u_m ^ 2 * exp ((-1) * x * y * (u_p * v_p - u_m * v_m)) + x * y * u_p ^ 2 * exp ((-1) * x * y * (u_p * v_p - u_m * v_m)) + x * y * v_m ^ 2 * exp ((-1) * x * y * (u_p * v_p - u_m * v_m)) + x * y * v_p ^ 2 * exp ((-1) * x * y * (u_p * v_p - u_m * v_m))) / (u_m ^ 2 + u_p ^ 2 + v_m ^ 2 + v_p ^ 2) =
  x * y * exp ((-1) * x * y * (u_p * v_p - u_m * v_m)).
Proof.
  intros.
  assert (E : exp ((-1) * x * y * (u_p * v_p - u_m * v_m)) = exp (u_m * v_m * x * y) ^ 1 * / exp (u_p * v_p * x * y) ^ 1) by (rewrite !exp_nat, <- ?exp_Ropp, <- ?exp_plus; f_equal; simpl INR; field; nonzero).
  rewrite ?E in *; clear E.
  pose proof (exp_pos (u_m * v_m * x * y)).
  set (power1 := exp (u_m * v_m * x * y)) in *; clearbody power1.
  pose proof (exp_pos (u_p * v_p * x * y)).
  set (power2 := exp (u_p * v_p * x * y)) in *; clearbody power2.
  field; nonzero.
Qed.
