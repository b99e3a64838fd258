From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/variance, drift_and_solution *)

Lemma drift_and_solution_d1 : forall t b d c : R,
  0 < t ->
  0 < b ->
  0 < d ->
  0 < c ->
  is_derive (fun t => (1 / 2) * b * exp ((-1) * t * sqrt d) + (1 / 2) * c * exp (t * sqrt d)) t ((1 / 2) * c * sqrt d * exp (t * sqrt d) - (1 / 2) * b * sqrt d * exp ((-1) * t * sqrt d)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma drift_and_solution_d2 : forall t c d b : R,
  0 < t ->
  0 < c ->
  0 < d ->
  0 < b ->
  is_derive (fun t => (1 / 2) * (c * exp (t * sqrt d) - b * exp ((-1) * t * sqrt d)) / sqrt d) t ((1 / 2) * (b * sqrt d * exp ((-1) * t * sqrt d) + c * sqrt d * exp (t * sqrt d)) / sqrt d).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
