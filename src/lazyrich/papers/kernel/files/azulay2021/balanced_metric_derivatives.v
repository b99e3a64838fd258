From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/balanced-metric, inverse_of_balanced_neurons *)

Lemma inverse_of_balanced_neurons_d1 : forall a_1 : R,
  0 < a_1 ->
  is_derive (fun a_1 => - 1 + a_1) a_1 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma inverse_of_balanced_neurons_d2 : forall a_2 : R,
  0 < a_2 ->
  is_derive (fun a_2 => - 1 + a_2) a_2 (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
