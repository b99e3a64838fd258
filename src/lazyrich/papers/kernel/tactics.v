(* How the lemmas of this folder are proved: field, with its side conditions, and relations between roots, exponentials
   and logarithms that are lemmas of Coq's library of the reals. Nothing here is an axiom. *)
From Coq Require Export Reals Lra Psatz.
Open Scope R_scope.

Lemma even_power (x : R) (n : nat) : 0 <= x ^ (n + (n + 0)).
Proof. rewrite Nat.add_0_r, pow_add. apply Rle_0_sqr. Qed.

Lemma sqrt_is (x y : R) : 0 <= y -> y ^ 2 = x -> sqrt x = y.
Proof. intros P <-. apply sqrt_pow2. exact P. Qed.

Lemma exp_nat (x : R) (n : nat) : exp x ^ n = exp (INR n * x).
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity |].
  rewrite <- tech_pow_Rmult, IH, <- exp_plus, S_INR. f_equal. ring.
Qed.

Lemma ln_nat (x : R) (n : nat) : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof.
  intros P. induction n as [|n IH]; [simpl; rewrite ln_1; ring |].
  rewrite <- tech_pow_Rmult, ln_mult, IH, S_INR; [ring | exact P | apply pow_lt; exact P].
Qed.

Lemma ln_sqrt (x : R) : 0 < x -> ln (sqrt x) = ln x / 2.
Proof.
  intros P. pose proof (sqrt_lt_R0 x P) as Q.
  assert (E : ln x = 2 * ln (sqrt x)) by (rewrite <- (sqrt_sqrt x) at 1; [rewrite ln_mult; [ring | |] |]; lra).
  rewrite E. field.
Qed.

Lemma cosh_by_exp (x : R) : cosh x = (exp x + / exp x) / 2.
Proof. unfold cosh. rewrite exp_Ropp. reflexivity. Qed.

Lemma sinh_by_exp (x : R) : sinh x = (exp x - / exp x) / 2.
Proof. unfold sinh. rewrite exp_Ropp. reflexivity. Qed.

Lemma tanh_by_exp (x : R) : tanh x = (exp x - / exp x) / (exp x + / exp x).
Proof.
  unfold tanh. rewrite cosh_by_exp, sinh_by_exp. pose proof (exp_pos x) as P. field. split; [| nra]; lra.
Qed.

Ltac by_signs := first [assumption | lra | timeout 5 nra].

(* 0 < e, and 0 <= e, by the signs of the parts of e. *)
Ltac positive :=
  match goal with
  | |- _ => assumption
  | |- 0 < exp _ => apply exp_pos
  | |- 0 < sqrt _ => apply sqrt_lt_R0; positive
  | |- 0 < Rpower _ _ => apply exp_pos
  | |- 0 < / _ => apply Rinv_0_lt_compat; positive
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; positive
  | |- 0 < _ ^ _ => apply pow_lt; positive
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; positive
  | |- 0 < _ + _ => apply Rplus_lt_le_0_compat; [positive | nonnegative]
  | |- 0 < _ + _ => apply Rplus_le_lt_0_compat; [nonnegative | positive]
  | |- _ => by_signs
  end
with nonnegative :=
  match goal with
  | |- _ => assumption
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 <= ?x ^ ?n => let h := eval compute in (Nat.div2 n) in exact (even_power x h)
  | |- 0 <= ?x ^ ?n => apply pow_le; nonnegative
  | |- 0 <= ?x * ?x => apply Rle_0_sqr
  | |- 0 <= ?x * (?x * 1) => rewrite Rmult_1_r; apply Rle_0_sqr
  | |- 0 <= _ * _ => apply Rmult_le_pos; nonnegative
  | |- 0 <= _ / _ => apply Rmult_le_pos; [nonnegative | apply Rlt_le, Rinv_0_lt_compat; positive]
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; nonnegative
  | |- 0 <= _ => apply Rlt_le; positive
  | |- _ => by_signs
  end.

(* e <> 0: part by part, by sign, or since it is a multiple of what is assumed not to be zero. *)
Ltac nonzero :=
  match goal with
  | |- _ /\ _ => split; nonzero
  | |- _ <> 0 => assumption
  | |- _ * _ <> 0 => apply Rmult_integral_contrapositive_currified; nonzero
  | |- _ ^ _ <> 0 => apply pow_nonzero; nonzero
  | |- / _ <> 0 => apply Rinv_neq_0_compat; nonzero
  | |- - _ <> 0 => apply Ropp_neq_0_compat; nonzero
  | |- _ <> 0 => apply Rgt_not_eq, Rlt_gt; positive
  | |- _ <> 0 => apply Rlt_not_eq; apply Ropp_lt_cancel; rewrite Ropp_0; positive
  | H : _ <> 0 |- _ <> 0 => let E := fresh in intro E; apply H; solve [lra | timeout 5 nra]
  | H : _ <> 0 |- _ <> 0 =>
      let E := fresh in intro E; apply H; field_simplify_eq; solve [lra | timeout 5 nra | split; nonzero | nonzero]
  end.

(* After auto_derive: the same syntax on both sides, and a variable for each root. *)
Ltac unfold_to_exp := unfold Rpower, cosh, sinh, tanh, arcsinh in *.
Ltac plain := unfold Rdiv, Rminus; cbn [pow].
Ltac roots :=
  repeat match goal with
  | |- context [sqrt ?u] =>
      let r := fresh "root" in let rule := fresh "rule" in
      assert (rule : sqrt u ^ 2 = u) by (apply pow2_sqrt; nonnegative);
      assert (0 < sqrt u) by (apply sqrt_lt_R0; positive);
      set (r := sqrt u) in *; clearbody r
  end.
