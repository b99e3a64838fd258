From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/no-finite-minimum, falls_in_the_scale *)

Lemma falls_in_the_scale_d1 : forall a q : R,
  0 < a ->
  0 < q ->
  is_derive (fun a => ln (1 + exp ((-1) * q * a ^ 2))) a ((-2) * a * q * exp ((-1) * q * a ^ 2) / (1 + exp ((-1) * q * a ^ 2))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
