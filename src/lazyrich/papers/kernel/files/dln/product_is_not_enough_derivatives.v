From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/product-is-not-enough, two_velocities *)

Lemma two_velocities_d1 : forall w0 t0 v0 : R,
  is_derive (fun w0 => (1 / 2) * (- t0 + v0 * w0) ^ 2) w0 (v0 * (- t0 + v0 * w0)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_velocities_d2 : forall v0 t0 w0 : R,
  is_derive (fun v0 => (1 / 2) * (- t0 + v0 * w0) ^ 2) v0 (w0 * (- t0 + v0 * w0)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_velocities_d3 : forall w0 v0 : R,
  is_derive (fun w0 => v0 * w0) w0 (v0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma two_velocities_d4 : forall v0 w0 : R,
  is_derive (fun v0 => v0 * w0) v0 (w0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
