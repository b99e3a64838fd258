From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/radial-hessian, hessian_of_a_radial_function *)

Lemma hessian_of_a_radial_function_d1 : forall x c1 c2 c3 c4 c5 c6 : R,
  0 < x ->
  is_derive (fun x => c1 * x + c2 * x ^ 2 + c3 * x ^ 3 + c4 * x ^ 4 + c5 * x ^ 5 + c6 * x ^ 6) x (c1 + 2 * c2 * x + 3 * c3 * x ^ 2 + 4 * c4 * x ^ 3 + 5 * c5 * x ^ 4 + 6 * c6 * x ^ 5).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_a_radial_function_d2 : forall x c1 c2 c3 c4 c5 c6 : R,
  0 < x ->
  is_derive (fun x => c1 + 2 * c2 * x + 3 * c3 * x ^ 2 + 4 * c4 * x ^ 3 + 5 * c5 * x ^ 4 + 6 * c6 * x ^ 5) x (2 * c2 + 6 * c3 * x + 12 * c4 * x ^ 2 + 20 * c5 * x ^ 3 + 30 * c6 * x ^ 4).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma hessian_of_a_radial_function_d3 : forall beta0 c1 beta1 c2 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  is_derive (fun beta0 => c1 * sqrt (beta0 ^ 2 + beta1 ^ 2) + c2 * (beta0 ^ 2 + beta1 ^ 2) + c3 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + c4 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5 + c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 3) beta0 (2 * c2 * beta0 + c1 * beta0 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * beta0 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * beta0 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * beta0 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * beta0 * (beta0 ^ 2 + beta1 ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma hessian_of_a_radial_function_d4 : forall beta0 c2 c1 beta1 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  is_derive (fun beta0 => 2 * c2 * beta0 + c1 * beta0 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * beta0 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * beta0 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * beta0 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * beta0 * (beta0 ^ 2 + beta1 ^ 2) ^ 2) beta0 (2 * c2 + c1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 8 * c4 * beta0 ^ 2 - c1 * beta0 ^ 2 / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 3 * c3 * beta0 ^ 2 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 15 * c5 * beta0 ^ 2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 24 * c6 * beta0 ^ 2 * (beta0 ^ 2 + beta1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma hessian_of_a_radial_function_d5 : forall beta1 c2 beta0 c1 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  is_derive (fun beta1 => 2 * c2 * beta0 + c1 * beta0 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * beta0 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * beta0 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * beta0 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * beta0 * (beta0 ^ 2 + beta1 ^ 2) ^ 2) beta1 (8 * c4 * beta0 * beta1 - c1 * beta0 * beta1 / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 3 * c3 * beta0 * beta1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 15 * c5 * beta0 * beta1 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 24 * c6 * beta0 * beta1 * (beta0 ^ 2 + beta1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma hessian_of_a_radial_function_d6 : forall beta1 c1 beta0 c2 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  is_derive (fun beta1 => c1 * sqrt (beta0 ^ 2 + beta1 ^ 2) + c2 * (beta0 ^ 2 + beta1 ^ 2) + c3 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + c4 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 5 + c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 3) beta1 (2 * c2 * beta1 + c1 * beta1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * beta1 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * beta1 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * beta1 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * beta1 * (beta0 ^ 2 + beta1 ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma hessian_of_a_radial_function_d7 : forall beta1 c2 c1 beta0 c3 c4 c5 c6 : R,
  0 < beta0 ^ 2 + beta1 ^ 2 ->
  is_derive (fun beta1 => 2 * c2 * beta1 + c1 * beta1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * beta1 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * beta1 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * beta1 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * beta1 * (beta0 ^ 2 + beta1 ^ 2) ^ 2) beta1 (2 * c2 + c1 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 3 * c3 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 4 * c4 * (beta0 ^ 2 + beta1 ^ 2) + 5 * c5 * (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 6 * c6 * (beta0 ^ 2 + beta1 ^ 2) ^ 2 + 8 * c4 * beta1 ^ 2 - c1 * beta1 ^ 2 / (sqrt (beta0 ^ 2 + beta1 ^ 2)) ^ 3 + 3 * c3 * beta1 ^ 2 / sqrt (beta0 ^ 2 + beta1 ^ 2) + 15 * c5 * beta1 ^ 2 * sqrt (beta0 ^ 2 + beta1 ^ 2) + 24 * c6 * beta1 ^ 2 * (beta0 ^ 2 + beta1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
