From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-gradient, gradient_of_the_average *)

Lemma gradient_of_the_average_d1 : forall u_p y0 x0 v_p u_m v_m y1 x1 : R,
  is_derive (fun u_p => (1 / 4) * (y0 - x0 * (u_p * v_p - u_m * v_m)) ^ 2 + (1 / 4) * (y1 - x1 * (u_p * v_p - u_m * v_m)) ^ 2) u_p (- (1 / 2) * v_p * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) - (1 / 2) * v_p * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma gradient_of_the_average_d2 : forall v_p y0 x0 u_p u_m v_m y1 x1 : R,
  is_derive (fun v_p => (1 / 4) * (y0 - x0 * (u_p * v_p - u_m * v_m)) ^ 2 + (1 / 4) * (y1 - x1 * (u_p * v_p - u_m * v_m)) ^ 2) v_p (- (1 / 2) * u_p * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) - (1 / 2) * u_p * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma gradient_of_the_average_d3 : forall u_m y0 x0 u_p v_p v_m y1 x1 : R,
  is_derive (fun u_m => (1 / 4) * (y0 - x0 * (u_p * v_p - u_m * v_m)) ^ 2 + (1 / 4) * (y1 - x1 * (u_p * v_p - u_m * v_m)) ^ 2) u_m ((1 / 2) * v_m * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * v_m * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma gradient_of_the_average_d4 : forall v_m y0 x0 u_p v_p u_m y1 x1 : R,
  is_derive (fun v_m => (1 / 4) * (y0 - x0 * (u_p * v_p - u_m * v_m)) ^ 2 + (1 / 4) * (y1 - x1 * (u_p * v_p - u_m * v_m)) ^ 2) v_m ((1 / 2) * u_m * x0 * (y0 - x0 * (u_p * v_p - u_m * v_m)) + (1 / 2) * u_m * x1 * (y1 - x1 * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
