From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/deep-mirror-flow, warped_hessian *)

Lemma warped_hessian_d1 : forall r L : R,
  0 < r ->
  0 < L ->
  is_derive (fun r => Rpower r ((2 + L) / (1 + L)) * (1 + L) / (2 + L)) r (Rpower r ((2 + L) / (1 + L)) / r).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma warped_hessian_d2 : forall r L : R,
  0 < r ->
  0 < L ->
  is_derive (fun r => Rpower r ((2 + L) / (1 + L)) / r) r (- Rpower r ((2 + L) / (1 + L)) / r ^ 2 + Rpower r ((2 + L) / (1 + L)) * (2 + L) / r ^ 2 / (1 + L)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
