From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/inflection, steepest *)

Lemma steepest_d1 : forall a L s : R,
  0 < a ->
  0 < L ->
  0 < s ->
  is_derive (fun a => L * Rpower a (2 - 2 / L) * (s - a)) a (- L * Rpower a (2 - 2 / L) + L * Rpower a (2 - 2 / L) * (2 - 2 / L) * (s - a) / a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma steepest_d2 : forall neg : R,
  neg < 0 ->
  is_derive (fun neg => 1 + neg) neg (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma steepest_d3 : forall L : R,
  0 < L ->
  is_derive (fun L => - 2 + L) L (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma steepest_d4 : forall neg : R,
  neg < 0 ->
  is_derive (fun neg => 1 + neg) neg (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma steepest_d5 : forall neg : R,
  neg < 0 ->
  is_derive (fun neg => 1 + neg) neg (1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
