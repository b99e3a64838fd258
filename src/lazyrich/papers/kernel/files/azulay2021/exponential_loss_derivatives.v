From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/exponential-loss, exponential_pull *)

Lemma exponential_pull_d1 : forall u_p v_p u_m v_m : R,
  is_derive (fun u_p => u_p * v_p - u_m * v_m) u_p (v_p).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d2 : forall u_p x y v_p u_m v_m : R,
  is_derive (fun u_p => exp ((-1) * x * y * (u_p * v_p - u_m * v_m))) u_p ((-1) * v_p * x * y * exp ((-1) * x * y * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d3 : forall v_p u_p u_m v_m : R,
  is_derive (fun v_p => u_p * v_p - u_m * v_m) v_p (u_p).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d4 : forall v_p x y u_p u_m v_m : R,
  is_derive (fun v_p => exp ((-1) * x * y * (u_p * v_p - u_m * v_m))) v_p ((-1) * u_p * x * y * exp ((-1) * x * y * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d5 : forall u_m u_p v_p v_m : R,
  is_derive (fun u_m => u_p * v_p - u_m * v_m) u_m ((-1) * v_m).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d6 : forall u_m x y u_p v_p v_m : R,
  is_derive (fun u_m => exp ((-1) * x * y * (u_p * v_p - u_m * v_m))) u_m (v_m * x * y * exp ((-1) * x * y * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d7 : forall v_m u_p v_p u_m : R,
  is_derive (fun v_m => u_p * v_p - u_m * v_m) v_m ((-1) * u_m).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma exponential_pull_d8 : forall v_m x y u_p v_p u_m : R,
  is_derive (fun v_m => exp ((-1) * x * y * (u_p * v_p - u_m * v_m))) v_m (u_m * x * y * exp ((-1) * x * y * (u_p * v_p - u_m * v_m))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
