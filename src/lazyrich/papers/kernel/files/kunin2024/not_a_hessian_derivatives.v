From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/not-a-hessian, curl_of_the_inverse *)

Lemma curl_of_the_inverse_d1 : forall beta1 delta beta0 : R,
  delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) <> 0 ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  0 < delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 ->
  delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 <> 0 ->
  is_derive (fun beta1 => 2 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) - beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) beta1 (- 8 * beta1 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 2 / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - 4 * beta1 * beta0 ^ 2 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 2 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) ^ 2 / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 3 + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 2 / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma curl_of_the_inverse_d2 : forall beta0 beta1 delta : R,
  delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) <> 0 ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  0 < delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 ->
  delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 <> 0 ->
  is_derive (fun beta0 => (-1) * beta0 * beta1 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) beta0 (- beta1 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - 4 * beta1 * beta0 ^ 2 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 2 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) ^ 2 / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 3 + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 2 / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
