From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/nuclear-norm-commuting, mirror_of_depth_two *)

Lemma mirror_of_depth_two_d1 : forall u epsilon : R,
  0 < u ->
  0 < epsilon ->
  is_derive (fun u => (1 / 2) * u ^ 2 * (- 1 + ln (u ^ 2 / epsilon))) u (u + u * (- 1 + ln (u ^ 2 / epsilon))).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma mirror_of_depth_two_d2 : forall u : R,
  0 < u ->
  is_derive (fun u => u ^ 2) u (2 * u).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma mirror_of_depth_two_d3 : forall u epsilon : R,
  0 < u ->
  0 < epsilon ->
  is_derive (fun u => (1 / 2) * (u + u * (- 1 + ln (u ^ 2 / epsilon))) / u) u ((1 / 2) * (2 + ln (u ^ 2 / epsilon)) / u - (1 / 2) * (u + u * (- 1 + ln (u ^ 2 / epsilon))) / u ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
