From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/limits-do-not-commute, a_saddle *)

Lemma a_saddle_d1 : forall a y b x : R,
  y <> 0 ->
  x <> 0 ->
  is_derive (fun a => (1 / 2) * (- y + a * b * x) ^ 2) a (b * x * (- y + a * b * x)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma a_saddle_d2 : forall b y a x : R,
  y <> 0 ->
  x <> 0 ->
  is_derive (fun b => (1 / 2) * (- y + a * b * x) ^ 2) b (a * x * (- y + a * b * x)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma a_saddle_d3 : forall a b x y : R,
  x <> 0 ->
  y <> 0 ->
  is_derive (fun a => b * x * (- y + a * b * x)) a (b ^ 2 * x ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma a_saddle_d4 : forall b x y a : R,
  x <> 0 ->
  y <> 0 ->
  is_derive (fun b => b * x * (- y + a * b * x)) b (x * (- y + a * b * x) + a * b * x ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma a_saddle_d5 : forall b a x y : R,
  x <> 0 ->
  y <> 0 ->
  is_derive (fun b => a * x * (- y + a * b * x)) b (a ^ 2 * x ^ 2).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
