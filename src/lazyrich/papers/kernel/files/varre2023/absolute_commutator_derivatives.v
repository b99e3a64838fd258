From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/absolute-commutator, not_zero *)

Lemma not_zero_d1 : forall t : R,
  0 < t ->
  is_derive (fun t => (2 / 3) * sqrt 3 * exp ((-1) * t) * sinh (t * sqrt 3)) t (2 * cosh (t * sqrt 3) * exp ((-1) * t) - (2 / 3) * sqrt 3 * exp ((-1) * t) * sinh (t * sqrt 3)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma not_zero_d2 : forall t : R,
  0 < t ->
  is_derive (fun t => ((1 / 3) * sqrt 3 * sinh (t * sqrt 3) + cosh (t * sqrt 3)) * exp ((-1) * t)) t ((sqrt 3 * sinh (t * sqrt 3) + cosh (t * sqrt 3)) * exp ((-1) * t) - ((1 / 3) * sqrt 3 * sinh (t * sqrt 3) + cosh (t * sqrt 3)) * exp ((-1) * t)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
