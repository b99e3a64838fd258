From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/no-hessian-map, twist_of_the_metric *)

Lemma twist_of_the_metric_d1 : forall w1 w0 w2 : R,
  0 < w1 ->
  0 < w0 ->
  0 < w2 ->
  is_derive (fun w1 => (1 - w0 ^ 2 / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2)) / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) w1 (- w1 * (1 - w0 ^ 2 / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2)) / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 3 + 4 * w1 * w0 ^ 2 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma twist_of_the_metric_d2 : forall w0 w1 w2 : R,
  0 < w0 ->
  0 < w1 ->
  0 < w2 ->
  is_derive (fun w0 => (-1) * w0 * w1 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2)) w0 (- w1 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) + w1 * w0 ^ 2 / (sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2)) ^ 3 / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) + 4 * w1 * w0 ^ 2 / sqrt (w0 ^ 2 + w1 ^ 2 + w2 ^ 2) / (2 * w0 ^ 2 + 2 * w1 ^ 2 + 2 * w2 ^ 2) ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
