From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/stronger-is-earlier, times_fall *)

Lemma times_fall_d1 : forall s epsilon : R,
  0 < s ->
  0 < epsilon ->
  0 < - 1 + s / epsilon ->
  - 1 + s / epsilon <> 0 ->
  is_derive (fun s => (1 / 2) * ln (- 1 + s / epsilon) / s) s (- (1 / 2) * ln (- 1 + s / epsilon) / s ^ 2 + (1 / 2) / epsilon / s / (- 1 + s / epsilon)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma times_fall_d2 : forall x : R,
  0 < x ->
  0 < - 1 + x ->
  - 1 + x <> 0 ->
  is_derive (fun x => - ln (- 1 + x) + x / (- 1 + x)) x ((-1) * x / (- 1 + x) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
