From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/not-a-hessian, mixed_derivatives *)

Lemma mixed_derivatives_d1 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  is_derive (fun x => x / sqrt (1 - x ^ 2 - y ^ 2)) x (/ (sqrt (1 - x ^ 2 - y ^ 2)) + x ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d2 : forall y x : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  is_derive (fun y => x / sqrt (1 - x ^ 2 - y ^ 2)) y (x * y / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d3 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  is_derive (fun x => y / sqrt (1 - x ^ 2 - y ^ 2)) x (x * y / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d4 : forall y x : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  is_derive (fun y => y / sqrt (1 - x ^ 2 - y ^ 2)) y (/ (sqrt (1 - x ^ 2 - y ^ 2)) + y ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d5 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  is_derive (fun x => x * y / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3) x (y / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 3 * y * x ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d6 : forall y x : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  is_derive (fun y => x * y / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3) y (x / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 3 * x * y ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d7 : forall y x : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  1 - x ^ 2 - y ^ 2 <> 0 ->
  is_derive (fun y => (1 + x ^ 2 / (1 - x ^ 2 - y ^ 2)) / sqrt (1 - x ^ 2 - y ^ 2)) y (y * (1 + x ^ 2 / (1 - x ^ 2 - y ^ 2)) / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 2 * y * x ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma mixed_derivatives_d8 : forall x y : R,
  0 < 1 - x ^ 2 - y ^ 2 ->
  1 - x ^ 2 - y ^ 2 <> 0 ->
  is_derive (fun x => (1 + y ^ 2 / (1 - x ^ 2 - y ^ 2)) / sqrt (1 - x ^ 2 - y ^ 2)) x (x * (1 + y ^ 2 / (1 - x ^ 2 - y ^ 2)) / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 3 + 2 * x * y ^ 2 / (sqrt (1 - x ^ 2 - y ^ 2)) ^ 5).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
