From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/radial-profile, derivatives_of_q *)

Lemma derivatives_of_q_d1 : forall x delta : R,
  0 < x ->
  0 <= delta + sqrt (delta ^ 2 + 4 * x ^ 2) ->
  0 < delta + sqrt (delta ^ 2 + 4 * x ^ 2) ->
  is_derive (fun x => sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) * (- (2 / 3) * delta + (1 / 3) * sqrt (delta ^ 2 + 4 * x ^ 2))) x ((4 / 3) * x * sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta ^ 2 + 4 * x ^ 2) + 2 * x * (- (2 / 3) * delta + (1 / 3) * sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta ^ 2 + 4 * x ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.

Lemma derivatives_of_q_d2 : forall x delta : R,
  0 < x ->
  0 <= delta + sqrt (delta ^ 2 + 4 * x ^ 2) ->
  0 < delta + sqrt (delta ^ 2 + 4 * x ^ 2) ->
  is_derive (fun x => (4 / 3) * x * sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta ^ 2 + 4 * x ^ 2) + 2 * x * (- (2 / 3) * delta + (1 / 3) * sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta ^ 2 + 4 * x ^ 2)) x ((4 / 3) * sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta ^ 2 + 4 * x ^ 2) + 2 * (- (2 / 3) * delta + (1 / 3) * sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta ^ 2 + 4 * x ^ 2) - (16 / 3) * x ^ 2 * sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / (sqrt (delta ^ 2 + 4 * x ^ 2)) ^ 3 + (16 / 3) * x ^ 2 / sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / (delta ^ 2 + 4 * x ^ 2) - 8 * x ^ 2 * (- (2 / 3) * delta + (1 / 3) * sqrt (delta ^ 2 + 4 * x ^ 2)) / sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2)) / (sqrt (delta ^ 2 + 4 * x ^ 2)) ^ 3 - 4 * x ^ 2 * (- (2 / 3) * delta + (1 / 3) * sqrt (delta ^ 2 + 4 * x ^ 2)) / (sqrt (delta + sqrt (delta ^ 2 + 4 * x ^ 2))) ^ 3 / (delta ^ 2 + 4 * x ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.
