(* Theorem 1 of Cesari and Colomboni (2026), "Optimal gap-dependent regret for private stochastic decision-theoretic
   online learning", as printed, constants included.

   Printed: for every K >= 2, epsilon > 0, T >= 1 and every iid loss process on [0, 1]^K with a unique best action,
   randomized-prefix softmax with eta = min(epsilon/2, 1/8) is epsilon-differentially private and has
   (1) Reg_T <= 1 + 800 log K / Delta_min + 16 log K / eta, (2) Reg_T <= 1000 (log K / Delta_min + log K / epsilon). *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums learners laws.
From Formal Require Import prefix noisy_leader_iid.
Local Open Scope R_scope.

Theorem paper_1_theorem_1 : forall epsilon Delta K outcomes chance loss best T,
  let eta := Rmin (epsilon / 2) (1 / 8) in
  let regret := expected_regret outcomes chance loss K (prefix_learner eta K) best T in
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  best_with_gap K (mean_loss outcomes chance loss) best Delta -> Delta <= 1 ->
  private_sequence epsilon K (prefix_choice eta K) /\
  regret <= 1 + 800 * ln K / Delta + 16 * ln K / eta /\
  regret <= 1000 * (ln K / Delta + ln K / epsilon).
Proof.
  intros epsilon Delta K outcomes chance loss best T eta regret He HK L G D1'.
  assert (eta_pos : 0 < eta) by (apply Rmin_glb_lt; lra).
  split.
  { (* privacy: 2 eta is at most epsilon *)
    intros l l' t0 n event N A. eapply Rle_trans; [apply (prefix_private eta K ltac:(lra) l l' t0 n event N A)|].
    assert (2 * eta <= epsilon) by (unfold eta; pose proof (Rmin_l (epsilon / 2) (1 / 8)); lra).
    apply Rmult_le_compat_r; [|now apply exp_le].
    clear - A HK. induction event as [|a event IH]; simpl; [lra|].
    apply Rplus_le_le_0_compat; [|apply IH; intros; apply A; simpl; auto].
    unfold sequence_chance. assert (H : forall r, (r < n)%nat -> 0 <= prefix_choice eta K (l' a) r (a r)).
    { intros. apply prefix_choice_nonneg. lia. }
    clear A IH. induction n; simpl; [lra|]. apply Rmult_le_pos; auto. }
  pose proof (prefix_regret eta Delta K outcomes chance loss best T eta_pos HK L G) as B.
  fold regret in B. destruct G as (_ & HD & _).
  assert (K2 : 2 <= INR K) by (apply (le_INR 2); lia).
  assert (L2 : / 2 < ln (INR K)).
  { apply Rlt_le_trans with (ln 2); [apply ln_lt_2 | apply ln_le; lra]. }
  assert (L1 : ln (INR K - 1) <= ln (INR K)) by (apply ln_le; lra).
  simpl (INR 1) in *. set (x := ln (INR K)) in *. set (y := ln (INR K - 1)) in *.
  assert (D1 : 1 <= / Delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (E : / eta <= 2 / epsilon + 8).
  { assert (0 < 2 / epsilon) by (apply Rdiv_lt_0_compat; lra).
    unfold eta, Rmin. destruct (Rle_dec (epsilon / 2) (1 / 8)).
    - replace (/ (epsilon / 2)) with (2 / epsilon) by (field; lra). lra.
    - replace (/ (1 / 8)) with 8 by field. lra. }
  assert (0 < / eta) by (now apply Rinv_0_lt_compat).
  assert (B1 : 16 * (y + 1) / Delta <= 48 * x / Delta) by (apply Rmult_le_compat_r; lra).
  assert (X : 0 <= x * / eta) by (apply Rmult_le_pos; lra).
  assert (X' : 0 <= x * / Delta) by (apply Rmult_le_pos; lra).
  unfold Rdiv in *. split; [lra|].
  assert (x <= x * / Delta) by (rewrite <- (Rmult_1_r x) at 1; apply Rmult_le_compat_l; lra).
  assert (x * / eta <= x * (2 * / epsilon + 8)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= x * / epsilon) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]). lra.
Qed.

(* An instance: the biased coin of noisy_leader_iid.v, with a gap of 1/2, at epsilon = 1. *)
Example paper_1_on_a_coin T :
  expected_regret 2 coin_chance coin_loss 2 (prefix_learner (Rmin (1 / 2) (1 / 8)) 2) 0 T <= 1000 * (ln 2 / (1 / 2) + ln 2 / 1).
Proof.
  exact (proj2 (proj2 (paper_1_theorem_1 1 (1 / 2) 2 2 coin_chance coin_loss 0 T ltac:(lra) (le_n 2) coin_is_a_law
    coin_has_a_gap ltac:(lra)))).
Qed.
