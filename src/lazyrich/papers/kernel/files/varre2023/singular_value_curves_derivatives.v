From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/singular-value-curves, riccati *)

Lemma riccati_d1 : forall v_E b a : R,
  0 < v_E ->
  0 < b ->
  0 < a ->
  is_derive (fun v_E => - ((1 / 2) * b ^ 2 - (1 / 2) * a ^ 2) / a / b + (b ^ 2 - v_E * a ^ 2) * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / a / b / (b ^ 2 + v_E * a ^ 2)) v_E (- a * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / b / (b ^ 2 + v_E * a ^ 2) - a * (b ^ 2 - v_E * a ^ 2) * ((1 / 2) * a ^ 2 + (1 / 2) * b ^ 2) / b / (b ^ 2 + v_E * a ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
