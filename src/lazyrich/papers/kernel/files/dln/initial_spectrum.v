From lazyrich Require Import tactics.
Open Scope R_scope.

(* dln/initial-spectrum, homogeneous *)

Lemma homogeneous_1 : forall epsilon u0 v0 w0 v1 w2 u1 v2 v3 : R,
  epsilon * u0 * (v0 * w0 * epsilon ^ 2 + v1 * w2 * epsilon ^ 2) + epsilon * u1 * (v2 * w0 * epsilon ^ 2 + v3 * w2 * epsilon ^ 2) =
  epsilon ^ 3 * (u0 * (v0 * w0 + v1 * w2) + u1 * (v2 * w0 + v3 * w2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma homogeneous_2 : forall epsilon u0 v0 w1 v1 w3 u1 v2 v3 : R,
  epsilon * u0 * (v0 * w1 * epsilon ^ 2 + v1 * w3 * epsilon ^ 2) + epsilon * u1 * (v2 * w1 * epsilon ^ 2 + v3 * w3 * epsilon ^ 2) =
  epsilon ^ 3 * (u0 * (v0 * w1 + v1 * w3) + u1 * (v2 * w1 + v3 * w3)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma homogeneous_3 : forall epsilon u2 v0 w0 v1 w2 u3 v2 v3 : R,
  epsilon * u2 * (v0 * w0 * epsilon ^ 2 + v1 * w2 * epsilon ^ 2) + epsilon * u3 * (v2 * w0 * epsilon ^ 2 + v3 * w2 * epsilon ^ 2) =
  epsilon ^ 3 * (u2 * (v0 * w0 + v1 * w2) + u3 * (v2 * w0 + v3 * w2)).
Proof.
  intros.
  field; nonzero.
Qed.

Lemma homogeneous_4 : forall epsilon u2 v0 w1 v1 w3 u3 v2 v3 : R,
  epsilon * u2 * (v0 * w1 * epsilon ^ 2 + v1 * w3 * epsilon ^ 2) + epsilon * u3 * (v2 * w1 * epsilon ^ 2 + v3 * w3 * epsilon ^ 2) =
  epsilon ^ 3 * (u2 * (v0 * w1 + v1 * w3) + u3 * (v2 * w1 + v3 * w3)).
Proof.
  intros.
  field; nonzero.
Qed.
