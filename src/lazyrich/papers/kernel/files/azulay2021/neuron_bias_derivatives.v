From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/neuron-bias, stationarity_of_a_neuron *)

Lemma stationarity_of_a_neuron_d1 : forall a : R,
  0 < a ->
  is_derive (fun a => - 1 + a) a (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
