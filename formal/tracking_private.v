(* Algorithm 1 of Asi, Raman and Saha (2025), "Tracking the best expert privately", is epsilon-differentially
   private (Theorem 3.1, privacy; claim TR-P1).

   Printed: j_0 is any expert; at t = 2^i, i >= 1, j_t is the arg max over the experts of the losses of rounds
   t/2, ..., t - 1 plus independent Laplace noise of scale 2 / epsilon (arg min is meant); otherwise j_t = j_(t-1). *)

Require Import Reals Lra Lia List PeanoNat.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums learners noise.
From Formal Require Import noisy_leader_private.
Local Open Scope R_scope.

(* The expert of rounds 2^r, ..., 2^(r+1) - 1 is chosen from the sums of rounds 2^(r-1), ..., 2^r - 1: that is epoch r.
   Expert k has the least S_k + Z_k if it has the largest - Z_k - S_k, and - Z_k has the law of Z_k. *)
Definition arg_min_choice (epsilon : R) (N j0 : nat) : choice :=
  noisy_choice (laplace_density (epsilon / 2)) (laplace_cdf (epsilon / 2)) N (fun k => if Nat.eqb k j0 then 1 else 0).

(* The largest S_k + Z_k = Z_k - (- S_k). *)
Definition arg_max_choice (epsilon : R) (N j0 : nat) : choice := fun l r k =>
  match r with
  | O => if Nat.eqb k j0 then 1 else 0
  | S q => leading (laplace_density (epsilon / 2)) (laplace_cdf (epsilon / 2)) N (fun k => - sums l q k) k
  end.

Theorem tracking_algorithm_1_private : forall epsilon N j0, 0 < epsilon ->
  private_sequence epsilon N (arg_max_choice epsilon N j0) /\
  private_sequence epsilon N (arg_min_choice epsilon N j0).
Proof.
  intros epsilon N j0 He. assert (H : 0 < epsilon / 2) by lra.
  assert (Point : forall k, 0 <= (if Nat.eqb k j0 then 1 else 0)) by (intros k; destruct (Nat.eqb k j0); lra).
  pose proof (laplace_law _ H) as Law. pose proof (proj1 (proj2 (laplace_pieces _ H))) as Star.
  pose proof (laplace_exists _ N H) as Ex.
  assert (One : 1 <= exp epsilon) by (rewrite <- exp_0; apply exp_le; lra).
  split.
  - apply choices_private; [lra|..].
    + intros l r k Hk. destruct r as [|q]; simpl; [apply Point|].
      eapply leads_nonneg; [exact Law|]. apply leading_is_chance. now apply Ex.
    + intros l l' t0 r k Nb Hk. destruct r as [|q]; simpl; [specialize (Point k); nra|].
      replace (exp epsilon) with (exp (2 * (epsilon / 2))) by (f_equal; lra).
      eapply leading_private; [lra | exact Law | exact Star | | exact Hk | |]; try (apply leading_is_chance; now apply Ex).
      intros i _. replace (_ - _) with (- (sums l q i - sums l' q i)) by ring. rewrite Rabs_Ropp.
      now apply same_epoch with t0.
    + intros l l' t0 r k Nb Hk Hr. destruct r as [|q]; simpl; [easy|].
      apply (leads_unique (laplace_density (epsilon / 2)) (laplace_cdf (epsilon / 2)) N (fun i => - sums l q i) (fun i => - sums l' q i) k);
        try (apply leading_is_chance; now apply Ex).
      intros i. f_equal. apply other_epoch with t0; auto.
  - replace (private_sequence epsilon) with (private_sequence (2 * (epsilon / 2))) by (f_equal; lra).
    apply noisy_leader_private_every_noise; auto. lra.
Qed.
