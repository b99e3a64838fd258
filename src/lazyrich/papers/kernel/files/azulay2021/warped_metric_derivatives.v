From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warped-metric, hessian_of_the_potential *)

Lemma hessian_of_the_potential_d1 : forall w0 r : R,
  0 < r ->
  is_derive (fun w0 => (3 / 2) * w0 / r) w0 ((3 / 2) / r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d2 : forall r w0 : R,
  0 < r ->
  is_derive (fun r => (3 / 2) * w0 / r) r ((-3 / 2) * w0 / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d3 : forall r w1 : R,
  0 < r ->
  is_derive (fun r => (3 / 2) * w1 / r) r ((-3 / 2) * w1 / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d4 : forall w1 r : R,
  0 < r ->
  is_derive (fun w1 => (3 / 2) * w1 / r) w1 ((3 / 2) / r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d5 : forall r w2 : R,
  0 < r ->
  is_derive (fun r => (3 / 2) * w2 / r) r ((-3 / 2) * w2 / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d6 : forall w2 r : R,
  0 < r ->
  is_derive (fun w2 => (3 / 2) * w2 / r) w2 ((3 / 2) / r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d7 : forall p r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r) p (3 * p * r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_the_potential_d8 : forall r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r) r ((- r ^ 3 - 2 * r * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2) + 2 * r * p ^ 2) / r - (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
