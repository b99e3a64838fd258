From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/diagonal-conservation, rates_of_the_conserved *)

Lemma rates_of_the_conserved_d1 : forall u_p u_m v_m v_p : R,
  is_derive (fun u_p => u_m * u_p + v_m * v_p) u_p (u_m).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d2 : forall v_p u_m u_p v_m : R,
  is_derive (fun v_p => u_m * u_p + v_m * v_p) v_p (v_m).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d3 : forall u_m u_p v_m v_p : R,
  is_derive (fun u_m => u_m * u_p + v_m * v_p) u_m (u_p).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d4 : forall v_m u_m u_p v_p : R,
  is_derive (fun v_m => u_m * u_p + v_m * v_p) v_m (v_p).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d5 : forall u_p v_p : R,
  is_derive (fun u_p => v_p ^ 2 - u_p ^ 2) u_p ((-2) * u_p).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d6 : forall v_p u_p : R,
  is_derive (fun v_p => v_p ^ 2 - u_p ^ 2) v_p (2 * v_p).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d7 : forall u_m v_m : R,
  is_derive (fun u_m => v_m ^ 2 - u_m ^ 2) u_m ((-2) * u_m).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma rates_of_the_conserved_d8 : forall v_m u_m : R,
  is_derive (fun v_m => v_m ^ 2 - u_m ^ 2) v_m (2 * v_m).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
