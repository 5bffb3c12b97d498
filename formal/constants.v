Require Import Reals Lra Lia List PeanoNat.
Local Open Scope R_scope.

(* The constant j = 0.535 in the proof of theorem 2 ("other joint laws"):
   (1 - 4 h^2) J(3 h) <= 0.535 for 0 < h <= 1/2, where J(x) = (e^x - 1 - x) / x^2. *)

Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import Hoeffding.
Local Open Scope R_scope.

Definition J (x : R) : R := (exp x - 1 - x) / (x * x).

Definition constant_j_statement := forall h, 0 < h <= 1 / 2 -> (1 - 4 * h * h) * J (3 * h) <= 0.535.

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

Lemma J_small x : 0 < x -> J x <= exp x / 2.
Proof.
  intros H. pose proof (remainder x ltac:(lra)). unfold J.
  apply Rmult_le_reg_r with (x * x); [nra|].
  replace ((exp x - 1 - x) / (x * x) * (x * x)) with (exp x - 1 - x) by (field; lra). lra.
Qed.

Theorem constant_j : constant_j_statement.
Proof.
  intros h H. destruct (Rle_dec h 0.01) as [S|S].
  - apply Rle_trans with (1 * (exp (3 * h) / 2)).
    + apply Rmult_le_compat; [nra | | nra | apply J_small; lra].
      unfold J. apply Rle_mult_inv_pos; [|nra]. pose proof (exp_ineq1_le (3 * h)). lra.
    + interval with (i_prec 60).
  - unfold J. assert (0.01 <= h <= 0.5) by lra.
    interval with (i_bisect h, i_taylor h, i_depth 20, i_prec 60).
Qed.
