From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/one-dimension, a_product_of_noise *)

Lemma a_product_of_noise_d1 : forall y : R,
  0 < y ->
  is_derive (fun y => ln y) y (/ (y)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma a_product_of_noise_d2 : forall y : R,
  0 < y ->
  is_derive (fun y => / (y)) y ((-1) / y ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
