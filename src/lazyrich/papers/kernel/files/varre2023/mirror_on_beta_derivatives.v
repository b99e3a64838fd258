From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/mirror-on-beta, in_alpha *)

Lemma in_alpha_d1 : forall a0 g a1 : R,
  0 < g ->
  0 < 1 - a0 ^ 2 - a1 ^ 2 ->
  is_derive (fun a0 => a0 * sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2)) a0 (sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2) + sqrt 2 * a0 ^ 2 * sqrt g / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0 rule1]; nonzero.
Qed.

Lemma in_alpha_d2 : forall a1 a0 g : R,
  0 < g ->
  0 < 1 - a0 ^ 2 - a1 ^ 2 ->
  is_derive (fun a1 => a0 * sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2)) a1 (a0 * a1 * sqrt 2 * sqrt g / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0 rule1]; nonzero.
Qed.

Lemma in_alpha_d3 : forall a0 a1 g : R,
  0 < g ->
  0 < 1 - a0 ^ 2 - a1 ^ 2 ->
  is_derive (fun a0 => a1 * sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2)) a0 (a0 * a1 * sqrt 2 * sqrt g / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0 rule1]; nonzero.
Qed.

Lemma in_alpha_d4 : forall a1 g a0 : R,
  0 < g ->
  0 < 1 - a0 ^ 2 - a1 ^ 2 ->
  is_derive (fun a1 => a1 * sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2)) a1 (sqrt 2 * sqrt g / sqrt (1 - a0 ^ 2 - a1 ^ 2) + sqrt 2 * a1 ^ 2 * sqrt g / (sqrt (1 - a0 ^ 2 - a1 ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0 rule1]; nonzero.
Qed.

Lemma in_alpha_d5 : forall x g : R,
  0 < x ->
  0 < g ->
  is_derive (fun x => (2 / 3) * (sqrt (g + sqrt (g ^ 2 + x ^ 2))) ^ 3 - 2 * g * sqrt (g + sqrt (g ^ 2 + x ^ 2))) x (x * sqrt (g + sqrt (g ^ 2 + x ^ 2)) / sqrt (g ^ 2 + x ^ 2) - g * x / sqrt (g + sqrt (g ^ 2 + x ^ 2)) / sqrt (g ^ 2 + x ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.
