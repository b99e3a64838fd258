From Coquelicot Require Import Coquelicot.
From lazyrich Require Import tactics.
Open Scope R_scope.

(* kunin2024/rates-absorbed-in-parameters, flow_of_rescaled_parameters *)

Lemma flow_of_rescaled_parameters_d1 : forall a w0 w1 b0 b1 : R,
  0 < a ->
  is_derive (fun a => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) a (a * w0 ^ 2 + a * w1 ^ 2 - b0 * w0 - b1 * w1).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_d2 : forall w0 a w1 b0 b1 : R,
  0 < a ->
  is_derive (fun w0 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w0 (w0 * a ^ 2 - b0 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_d3 : forall w1 w0 a b0 b1 : R,
  0 < a ->
  is_derive (fun w1 => (1 / 2) * w0 ^ 2 * a ^ 2 + (1 / 2) * w1 ^ 2 * a ^ 2 - b0 * w0 * a - b1 * w1 * a) w1 (w1 * a ^ 2 - b1 * a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_d4 : forall a eta_w : R,
  0 < a ->
  0 < eta_w ->
  is_derive (fun a => a * sqrt eta_w) a (sqrt eta_w).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_d5 : forall w0 eta_a : R,
  0 < eta_a ->
  is_derive (fun w0 => w0 * sqrt eta_a) w0 (sqrt eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.

Lemma flow_of_rescaled_parameters_d6 : forall w1 eta_a : R,
  0 < eta_a ->
  is_derive (fun w1 => w1 * sqrt eta_a) w1 (sqrt eta_a).
Proof.
  intros. unfold_to_exp. auto_derive;
    [repeat split; first [exact I | positive | nonzero] |].
  plain. roots. field [rule]; nonzero.
Qed.
