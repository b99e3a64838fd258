From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/label-noise-gradient, linear_in_the_labels *)

Lemma linear_in_the_labels_1 : forall a0 x0 v_e y w0 w2 x1 a1 w1 w3 : R,
  a0 * x0 * (- v_e - y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) =
  a0 * x0 * (- y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) - a0 * v_e * x0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma linear_in_the_labels_2 : forall a1 x0 v_e y a0 w0 w2 x1 w1 w3 : R,
  a1 * x0 * (- v_e - y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) =
  a1 * x0 * (- y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) - a1 * v_e * x0.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma linear_in_the_labels_3 : forall a0 x1 v_e y w0 x0 w2 a1 w1 w3 : R,
  a0 * x1 * (- v_e - y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) =
  a0 * x1 * (- y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) - a0 * v_e * x1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma linear_in_the_labels_4 : forall a1 x1 v_e y a0 w0 x0 w2 w1 w3 : R,
  a1 * x1 * (- v_e - y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) =
  a1 * x1 * (- y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) - a1 * v_e * x1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma linear_in_the_labels_5 : forall w0 x0 w2 x1 v_e y a0 a1 w1 w3 : R,
  (1 / 2) * (2 * w0 * x0 + 2 * w2 * x1) * (- v_e - y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) =
  (1 / 2) * (2 * w0 * x0 + 2 * w2 * x1) * (- y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) - v_e * w0 * x0 - v_e * w2 * x1.
Proof.
  intros.
  field; nonzero.
Qed.

Lemma linear_in_the_labels_6 : forall w1 x0 w3 x1 v_e y a0 w0 w2 a1 : R,
  (1 / 2) * (2 * w1 * x0 + 2 * w3 * x1) * (- v_e - y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) =
  (1 / 2) * (2 * w1 * x0 + 2 * w3 * x1) * (- y + a0 * (w0 * x0 + w2 * x1) + a1 * (w1 * x0 + w3 * x1)) - v_e * w1 * x0 - v_e * w3 * x1.
Proof.
  intros.
  field; nonzero.
Qed.
