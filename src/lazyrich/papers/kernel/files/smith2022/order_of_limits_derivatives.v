From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/order-of-limits, waiting_at_zero *)

Lemma waiting_at_zero_d1 : forall t a rate : R,
  0 < t ->
  0 < a ->
  0 < rate ->
  is_derive (fun t => a * exp (rate * t)) t (a * rate * exp (rate * t)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma waiting_at_zero_d2 : forall t a rate : R,
  0 < t ->
  0 < a ->
  0 < rate ->
  is_derive (fun t => a * exp ((-1) * rate * t)) t ((-1) * a * rate * exp ((-1) * rate * t)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
