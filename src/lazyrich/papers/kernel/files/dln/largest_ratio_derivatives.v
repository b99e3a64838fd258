From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/largest-ratio, growth_of_the_ratio *)

Lemma growth_of_the_ratio_d1 : forall a1 a2 : R,
  0 < a1 ->
  0 < a2 ->
  is_derive (fun a1 => ln (a1 / a2)) a1 (/ (a1)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma growth_of_the_ratio_d2 : forall a2 a1 : R,
  0 < a2 ->
  0 < a1 ->
  is_derive (fun a2 => ln (a1 / a2)) a2 ((-1) / a2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
