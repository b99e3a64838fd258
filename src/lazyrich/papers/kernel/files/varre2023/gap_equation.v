From lazyrich Require Import tactics.
Open Scope R_scope.

(* varre2023/gap-equation, less_its_transpose *)

Lemma less_its_transpose_1 : forall c1 c2 g y : R,
  0 =
  (c1 - c2) * (- (1 / 2) * c1 - (1 / 2) * c2 - 2 * g * y) + (c2 - c1) * (- (1 / 2) * c1 - (1 / 2) * c2 - 2 * g * y).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma less_its_transpose_2 : forall c0 c2 c3 c1 g y x z : R,
  c0 * c2 + c2 * c3 - c0 * c1 - c1 * c3 - 2 * c2 * g - 2 * g * (c0 * y + c1 * x + c1 * z + c3 * y) + 2 * c1 * g + 2 * g * (c0 * y + c2 * x + c2 * z + c3 * y) =
  (c1 - c2) * (g - c0 - 2 * g * x) + (c1 - c2) * (g - c3 - 2 * g * z).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma less_its_transpose_3 : forall c0 c1 c3 c2 g y x z : R,
  c0 * c1 + c1 * c3 - c0 * c2 - c2 * c3 - 2 * c1 * g - 2 * g * (c0 * y + c2 * x + c2 * z + c3 * y) + 2 * c2 * g + 2 * g * (c0 * y + c1 * x + c1 * z + c3 * y) =
  (c2 - c1) * (g - c0 - 2 * g * x) + (c2 - c1) * (g - c3 - 2 * g * z).
Proof.
  intros.
  field; nonzero.
Qed.
