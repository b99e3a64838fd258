From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/warped-metric, hessian_of_the_potential *)

Lemma hessian_of_the_potential_1 : forall r w0 p : R,
  0 < r ->
  0 < p ->
  (3 / 2) / r - (3 / 2) * w0 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) =
  (3 / 2) * (1 - w0 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_of_the_potential_2 : forall r w1 p : R,
  0 < r ->
  0 < p ->
  (3 / 2) / r - (3 / 2) * w1 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) =
  (3 / 2) * (1 - w1 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_of_the_potential_3 : forall r w2 p : R,
  0 < r ->
  0 < p ->
  (3 / 2) / r - (3 / 2) * w2 ^ 2 / r ^ 3 / (p ^ 2 + r ^ 2) =
  (3 / 2) * (1 - w2 ^ 2 / r ^ 2 / (p ^ 2 + r ^ 2)) / r.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_of_the_potential_4 : forall w0 r p : R,
  0 < r ->
  0 < p ->
  w0 * (3 * r + ((- r ^ 3 - 2 * r * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2) + 2 * r * p ^ 2) / r - (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r ^ 2) / r) / (p ^ 2 + r ^ 2) =
  (3 / 2) * w0 / r.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_of_the_potential_5 : forall w1 r p : R,
  0 < r ->
  0 < p ->
  w1 * (3 * r + ((- r ^ 3 - 2 * r * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2) + 2 * r * p ^ 2) / r - (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r ^ 2) / r) / (p ^ 2 + r ^ 2) =
  (3 / 2) * w1 / r.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma hessian_of_the_potential_6 : forall w2 r p : R,
  0 < r ->
  0 < p ->
  w2 * (3 * r + ((- r ^ 3 - 2 * r * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2) + 2 * r * p ^ 2) / r - (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r ^ 2) / r) / (p ^ 2 + r ^ 2) =
  (3 / 2) * w2 / r.
Proof.
  intros.
  field; nonzero.
Qed.
