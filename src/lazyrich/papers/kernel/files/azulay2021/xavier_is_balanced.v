From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/xavier-is-balanced, lengths_in_and_out *)

Lemma lengths_in_and_out_1 : forall i h o : R,
  0 < i ->
  0 < h ->
  0 < o ->
  - 2 * i / (h + i) + 2 * o / (h + o) =
  2 * h * (o - i) / (h + i) / (h + o).
Proof.
  intros.
  field; nonzero.
Qed.
