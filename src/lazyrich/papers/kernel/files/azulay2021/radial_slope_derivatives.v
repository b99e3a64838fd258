From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* azulay2021/radial-slope, three_slopes *)

Lemma three_slopes_d1 : forall x delta : R,
  0 < x ->
  0 < delta ->
  0 <= sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta ->
  0 < sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta ->
  is_derive (fun x => (3 / 2) * sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta) / x) x (- (3 / 2) * sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta) / x ^ 2 + (3 / 4) / sqrt (x ^ 2 + (1 / 4) * delta ^ 2) / sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.

Lemma three_slopes_d2 : forall x delta : R,
  0 < x ->
  0 < delta ->
  0 <= sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta ->
  0 < sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta ->
  is_derive (fun x => sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta) * (x ^ 2 - (1 / 2) * delta * (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) + (1 / 2) * delta)) / x) x (sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta) * (2 * x - (1 / 2) * delta * x / sqrt (x ^ 2 + (1 / 4) * delta ^ 2)) / x + (1 / 2) * (x ^ 2 - (1 / 2) * delta * (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) + (1 / 2) * delta)) / sqrt (x ^ 2 + (1 / 4) * delta ^ 2) / sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta) - sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta) * (x ^ 2 - (1 / 2) * delta * (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) + (1 / 2) * delta)) / x ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.

Lemma three_slopes_d3 : forall x delta : R,
  0 < x ->
  0 < delta ->
  0 <= sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta ->
  0 < sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta ->
  is_derive (fun x => (3 / 2) * sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta)) x ((3 / 4) * x / sqrt (x ^ 2 + (1 / 4) * delta ^ 2) / sqrt (sqrt (x ^ 2 + (1 / 4) * delta ^ 2) - (1 / 2) * delta)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule rule0]; nonzero.
Qed.
