(* Theorem "noisy-leader", losses that do not fluctuate, Gumbel noise, not resampled (B = 0).

   Printed: on losses that do not fluctuate, B = 0 and any noise with a mean, the pseudo-regret is in every T >= 1
   rounds at most 1 + 8 m_K / epsilon, and m_K = ln K for Gumbel noise. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums learners.
Local Open Scope R_scope.

(* The potential ln sum_k e^(- eta s_k) falls where the leader is wrong: each epoch costs four times its fall. *)
Section Regret.
Variables (eta : R) (K best : nat) (mu : nat -> R) (l : table).
Hypotheses (eta_pos : 0 < eta) (best_K : (best < K)%nat).
Hypothesis mu_bounds : forall k, (k < K)%nat -> 0 <= mu best <= mu k /\ mu k <= 1.
Hypothesis steady : forall t k, l t k = mu k.

Let gap k := mu k - mu best.
Let mean_gap r := sum K (fun k => softmax_choice eta K l r k * gap k).
Let potential x := ln (sum K (weight eta (fun k => x * gap k))).

Lemma gap_bounds k : (k < K)%nat -> 0 <= gap k <= 1.
Proof. intros H. unfold gap. specialize (mu_bounds k H). lra. Qed.

Lemma mean_gap_nonneg r : 0 <= mean_gap r.
Proof.
  apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [apply softmax_choice_nonneg; lia | now apply gap_bounds].
Qed.

Lemma first_epoch : mean_gap 0 <= 1.
Proof.
  assert (0 < INR K) by (apply lt_0_INR; lia).
  apply Rle_trans with (sum K (fun _ => / INR K)).
  - apply sum_le. intros k Hk. simpl. pose proof (gap_bounds k Hk).
    assert (0 < / INR K) by (now apply Rinv_0_lt_compat). nra.
  - rewrite sum_const. right. field; lra.
Qed.

(* Epoch q + 1 costs four times what the potential falls between n / 2 and n = 2^q. *)
Lemma later_epoch q :
  INR (2 ^ S q) * mean_gap (S q) <=
  4 / eta * (potential (INR (2 ^ q) / 2) - potential (INR (2 ^ q))).
Proof.
  pose proof (potential_convex eta K (fun k => INR (2 ^ q) * gap k) (fun k => INR (2 ^ q) / 2 * gap k)
    ltac:(lia)) as C.
  fold (potential (INR (2 ^ q))) (potential (INR (2 ^ q) / 2)) in C.
  rewrite (sum_ext _ _ (fun k => eta * (INR (2 ^ q) / 2) * (softmax_choice eta K l (S q) k * gap k))) in C.
  - rewrite sum_scal in C. fold (mean_gap (S q)) in C.
    rewrite Nat.pow_succ_r', mult_INR. change (INR 2) with 2.
    apply Rle_trans with (4 / eta * (eta * (INR (2 ^ q) / 2) * mean_gap (S q))).
    + right. field; lra.
    + apply Rmult_le_compat_l; auto. left; apply Rdiv_lt_0_compat; lra.
  - intros k Hk. simpl softmax_choice.
    rewrite (softmax_shift eta K (sums l q) (fun k => INR (2 ^ q) * gap k) (INR (2 ^ q) * mu best)); auto.
    + field.
    + intros i _. unfold sums, gap. rewrite (sum_ext _ _ (fun _ => mu i)) by auto. rewrite sum_const. ring.
Qed.

Lemma potential_top : potential (1 / 2) <= ln (INR K).
Proof.
  apply ln_le; [apply total_pos; lia|].
  apply Rle_trans with (sum K (fun _ => 1)); [|rewrite sum_const; lra].
  apply sum_le. intros k Hk. pose proof (gap_bounds k Hk).
  assert (0 <= eta * gap k) by (apply Rmult_le_pos; lra).
  apply Rle_trans with (exp 0); [apply exp_le; lra | rewrite exp_0; lra].
Qed.

Lemma potential_nonneg x : 0 <= potential x.
Proof.
  rewrite <- ln_1. apply ln_le; [lra|].
  apply Rle_trans with (weight eta (fun k => x * gap k) best).
  - right. unfold weight, gap. rewrite <- exp_0. f_equal. ring.
  - apply sum_one with (f := weight eta (fun k => x * gap k)); auto. intros; left; apply weight_pos.
Qed.

Lemma regret_bound T : pseudo_regret (whole_epoch_learner eta K l) K mu best T <= 1 + 4 / eta * ln (INR K).
Proof.
  assert (H4 : 0 < 4 / eta) by (apply Rdiv_lt_0_compat; lra). unfold whole_epoch_learner, learner_of.
  apply Rle_trans with (sum (2 ^ S T - 1) (fun i => mean_gap (Nat.log2 (S i)))).
  - apply sum_longer; [|intros; apply mean_gap_nonneg].
    pose proof (Nat.pow_gt_lin_r 2 (S T) ltac:(lia)). lia.
  - rewrite sum_epochs.
    replace (S T) with (1 + T)%nat by lia. rewrite sum_app. simpl sum at 1.
    apply Rplus_le_compat; [pose proof first_epoch; change (INR (2 ^ 0)) with 1; lra|].
    apply Rle_trans with (sum T (fun q => 4 / eta *
      (potential (INR (2 ^ q) / 2) - potential (INR (2 ^ S q) / 2)))).
    + apply sum_le. intros q _. simpl Nat.add. eapply Rle_trans; [apply later_epoch|].
      right. do 3 f_equal. rewrite Nat.pow_succ_r', mult_INR. change (INR 2) with 2. field.
    + rewrite sum_scal. apply Rmult_le_compat_l; [lra|].
      rewrite (sum_telescope T (fun q => potential (INR (2 ^ q) / 2))). simpl INR.
      pose proof potential_top. pose proof (potential_nonneg (INR (2 ^ T) / 2)). lra.
Qed.
End Regret.

Theorem noisy_leader_steady : forall epsilon K mu best T,
  0 < epsilon -> (best < K)%nat -> (forall k, (k < K)%nat -> 0 <= mu best <= mu k /\ mu k <= 1) ->
  pseudo_regret (whole_epoch_learner (epsilon / 2) K (in_every_round mu)) K mu best T <= 1 + 8 * ln K / epsilon.
Proof.
  intros epsilon K mu best T He Hb Hm.
  eapply Rle_trans; [apply regret_bound; auto; lra|]. right. field; lra.
Qed.
