From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/expansion, hessian_at_the_start *)

Lemma hessian_at_the_start_d1 : forall w0 r : R,
  0 < r ->
  is_derive (fun w0 => (3 / 2) * w0 / r) w0 ((3 / 2) / r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_at_the_start_d2 : forall r w0 : R,
  0 < r ->
  is_derive (fun r => (3 / 2) * w0 / r) r ((-3 / 2) * w0 / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_at_the_start_d3 : forall r w1 : R,
  0 < r ->
  is_derive (fun r => (3 / 2) * w1 / r) r ((-3 / 2) * w1 / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_at_the_start_d4 : forall w1 r : R,
  0 < r ->
  is_derive (fun w1 => (3 / 2) * w1 / r) w1 ((3 / 2) / r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
