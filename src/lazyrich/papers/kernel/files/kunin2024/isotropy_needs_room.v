From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/isotropy-needs-room, no_room_upstream *)

Lemma no_room_upstream_1 : forall a0 eta_w a1 eta_a w2 w3 w0 w1 : R,
  0 < eta_w ->
  0 < eta_a ->
  a0 * (a0 * (eta_w * a1 ^ 2 - eta_a * w2 ^ 2 - eta_a * w3 ^ 2) - a1 * (a0 * a1 * eta_w - w0 * w2 * eta_a - w1 * w3 * eta_a)) - a1 * (a0 * (a0 * a1 * eta_w - w0 * w2 * eta_a - w1 * w3 * eta_a) - a1 * (eta_w * a0 ^ 2 - eta_a * w0 ^ 2 - eta_a * w1 ^ 2)) =
  (-1) * eta_a * ((a0 * w2 - a1 * w0) ^ 2 + (a0 * w3 - a1 * w1) ^ 2).
Proof.
  intros.
  field; nonzero.
Qed.
