(* Constants of the proof of theorem "noisy-leader", part "any joint law, others", by interval arithmetic.

   Printed: J(x) = (e^x - 1 - x) / x^2; for pairs (1, k) the bound is eta^2 (1 - y^2) J(eta (1 + y)) with y >= 2 eta
   and eta <= 1/2, largest at y = 2 eta, so at most eta^2 j with j = 0.50422. *)

Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Formal.base Require Import hoeffding.
Local Open Scope R_scope.

Definition J (x : R) : R := (exp x - 1 - x) / (x * x).

(* e^x - 1 - x <= x^2 e^x / 2 for x >= 0 *)
Lemma remainder x : 0 <= x -> 0 <= x * x / 2 * exp x - (exp x - 1 - x).
Proof.
  apply (grows (fun x => x * x / 2 * exp x - (exp x - 1 - x)) (fun x => x * exp x + x * x / 2 * exp x - exp x + 1)).
  - intros y _. auto_derive; auto. field.
  - apply (grows _ (fun x => (2 * x + x * x / 2) * exp x)).
    + intros y _. auto_derive; auto. field.
    + intros y Hy. apply Rmult_le_pos; [nra | left; apply exp_pos].
    + rewrite exp_0. field.
  - rewrite exp_0. field.
Qed.

Lemma J_nonneg x : 0 < x -> 0 <= J x.
Proof. intros. unfold J. apply Rle_mult_inv_pos; [|nra]. pose proof (exp_ineq1_le x). lra. Qed.

Lemma J_small x : 0 < x -> J x <= exp x / 2.
Proof.
  intros H. pose proof (remainder x ltac:(lra)). unfold J.
  apply Rmult_le_reg_r with (x * x); [nra|].
  replace ((exp x - 1 - x) / (x * x) * (x * x)) with (exp x - 1 - x) by (field; lra). lra.
Qed.

Theorem constant_j : forall eta, 0 < eta <= 1 / 2 ->
  (1 - (2 * eta) ^ 2) * J (eta + 2 * eta ^ 2) <= 0.50422.
Proof.
  intros h H. replace (1 - (2 * h) ^ 2) with (1 - 4 * h * h) by ring. replace (h + 2 * h ^ 2) with (h + 2 * h * h) by ring.
  destruct (Rle_dec h 0.008) as [S|S].
  - apply Rle_trans with (1 * (exp (h + 2 * h * h) / 2)).
    + apply Rmult_le_compat; [nra | apply J_nonneg; nra | nra | apply J_small; nra].
    + interval with (i_prec 60).
  - unfold J. assert (0.008 <= h <= 0.5) by lra.
    interval with (i_bisect h, i_taylor h, i_depth 24, i_prec 60).
Qed.
