From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* smith2022/commuting, logarithm_in_the_span *)

Lemma logarithm_in_the_span_d1 : forall u0 : R,
  0 < u0 ->
  is_derive (fun u0 => ln (u0 ^ 2)) u0 (2 / u0).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma logarithm_in_the_span_d2 : forall u0 y0 x0 x1 u1 y1 x2 x3 : R,
  0 < u0 ->
  0 < u1 ->
  is_derive (fun u0 => (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) ^ 2 + (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2) ^ 2) u0 (4 * x0 * u0 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) + 4 * x2 * u0 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma logarithm_in_the_span_d3 : forall u1 : R,
  0 < u1 ->
  is_derive (fun u1 => ln (u1 ^ 2)) u1 (2 / u1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma logarithm_in_the_span_d4 : forall u1 y0 x0 u0 x1 y1 x2 x3 : R,
  0 < u1 ->
  0 < u0 ->
  is_derive (fun u1 => (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) ^ 2 + (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2) ^ 2) u1 (4 * x1 * u1 * (- y0 + x0 * u0 ^ 2 + x1 * u1 ^ 2) + 4 * x3 * u1 * (- y1 + x2 * u0 ^ 2 + x3 * u1 ^ 2)).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
