From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/no-potential, mixed_derivatives_of_the_map *)

Lemma mixed_derivatives_of_the_map_d1 : forall z0 z1 q z2 z3 : R,
  z0 * z3 - z1 * z2 <> 0 ->
  is_derive (fun z0 => z1 + q * z2 / (z0 * z3 - z1 * z2)) z0 ((-1) * q * z2 * z3 / (z0 * z3 - z1 * z2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma mixed_derivatives_of_the_map_d2 : forall z1 z0 p z3 z2 : R,
  z0 * z3 - z1 * z2 <> 0 ->
  is_derive (fun z1 => z0 - p * z3 / (z0 * z3 - z1 * z2)) z1 ((-1) * p * z2 * z3 / (z0 * z3 - z1 * z2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
