From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/time-warp, no_curl *)

Lemma no_curl_d1 : forall beta1 delta beta0 : R,
  0 <= delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) ->
  delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) <> 0 ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  0 < delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 ->
  delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 <> 0 ->
  0 < delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) ->
  is_derive (fun beta1 => sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) * (2 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) - beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2))) beta1 (sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) * (- 8 * beta1 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 2 / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - 4 * beta1 * beta0 ^ 2 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 2 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) ^ 2 / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 3 + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 2 / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) + 2 * beta1 * (2 / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) - beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.

Lemma no_curl_d2 : forall beta0 beta1 delta : R,
  0 < delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) ->
  beta0 ^ 2 + beta1 ^ 2 <> 0 ->
  0 < delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 ->
  delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2 <> 0 ->
  is_derive (fun beta0 => (-1) * beta0 * beta1 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) beta0 (- beta1 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - 4 * beta1 * beta0 ^ 2 / sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 2 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / (sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2))) ^ 3 / (beta0 ^ 2 + beta1 ^ 2) / (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 2 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) ^ 2 / sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) + 4 * beta1 * beta0 ^ 2 * (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2) - delta) / sqrt (delta + sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) / (beta0 ^ 2 + beta1 ^ 2) / (sqrt (delta ^ 2 + 4 * beta0 ^ 2 + 4 * beta1 ^ 2)) ^ 3).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.

Lemma no_curl_d3 : forall x delta : R,
  0 < x ->
  0 <= delta + sqrt (delta ^ 2 + 4 * x) ->
  0 < delta + sqrt (delta ^ 2 + 4 * x) ->
  is_derive (fun x => sqrt (delta + sqrt (delta ^ 2 + 4 * x))) x (1 / sqrt (delta + sqrt (delta ^ 2 + 4 * x)) / sqrt (delta ^ 2 + 4 * x)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.
