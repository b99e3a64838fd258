From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/increasing-potential, slope_is_positive *)

Lemma slope_is_positive_d1 : forall p r : R,
  0 < p ->
  0 < r ->
  is_derive (fun p => (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r) p (3 * p * r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma slope_is_positive_d2 : forall r p : R,
  0 < r ->
  0 < p ->
  is_derive (fun r => (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r) r ((- r ^ 3 - 2 * r * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2) + 2 * r * p ^ 2) / r - (p ^ 2 * r ^ 2 - r ^ 2 * ((1 / 2) * r ^ 2 - (1 / 2) * p ^ 2)) / r ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
