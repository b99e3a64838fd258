From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/balanced-potential, power_of_the_potential *)

Lemma power_of_the_potential_d1 : forall x C : R,
  0 < x ->
  0 < C ->
  is_derive (fun x => C * (sqrt x) ^ 3) x ((3 / 2) * C * sqrt x).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma power_of_the_potential_d2 : forall x C : R,
  0 < x ->
  0 < C ->
  is_derive (fun x => (3 / 2) * C * sqrt x) x ((3 / 4) * C / sqrt x).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
