From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/basins-with-rates, sides_are_kept_with_rates *)

Lemma sides_are_kept_with_rates_d1 : forall a w0 w1 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) a (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sides_are_kept_with_rates_d2 : forall w0 a w1 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w0 (w0 * a ^ 2 - b0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sides_are_kept_with_rates_d3 : forall w1 w0 a b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w1 (w1 * a ^ 2 - b1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sides_are_kept_with_rates_d4 : forall a l eta_a b0 w0 b1 w1 : R,
  0 < a ->
  0 < l ->
  0 < eta_a ->
  is_derive (fun a => a * l + eta_a * (b0 * w0 + b1 * w1)) a (l).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sides_are_kept_with_rates_d5 : forall w0 a l eta_a b0 b1 w1 : R,
  0 < a ->
  0 < l ->
  0 < eta_a ->
  is_derive (fun w0 => a * l + eta_a * (b0 * w0 + b1 * w1)) w0 (b0 * eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma sides_are_kept_with_rates_d6 : forall w1 a l eta_a b0 w0 b1 : R,
  0 < a ->
  0 < l ->
  0 < eta_a ->
  is_derive (fun w1 => a * l + eta_a * (b0 * w0 + b1 * w1)) w1 (b1 * eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.
