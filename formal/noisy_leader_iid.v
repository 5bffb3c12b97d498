(* Theorem "noisy-leader", losses of any joint law, Gumbel noise, not resampled (B = 0).

   Printed: in every T >= 1 rounds the pseudo-regret is at most 1 + a (ln (K - 1) + 1) / Delta + c m_K / epsilon,
   the term in 1/Delta only if a positive gap is below epsilon, with a = 21.4, c = 16 and m_K = ln K.

   With Gumbel noise the noisy leader is softmax: `gumbel_is_softmax` in noisy_leader_private.v. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums hoeffding learners laws epochs.
Local Open Scope R_scope.

Theorem noisy_leader_any_joint_law : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  best_with_gap K (mean_loss outcomes chance loss) best Delta ->
  expected_regret outcomes chance loss K (whole_epoch_learner (epsilon / 2) K) best T
  <= 1 + 21.4 * (ln (K - 1) + 1) / Delta + 16 * ln K / epsilon.
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L G.
  eapply Rle_trans.
  - apply any_bound with (eta := epsilon / 2) (Delta := Delta) (kappa := 1 / 2); auto; try lra.
    intros. eapply Rle_trans; [now apply factor_bound|]. apply exp_le. unfold mean_loss. lra.
  - destruct G as (_ & HD & _). rewrite minus_INR by lia. simpl (INR 1).
    assert (0 <= ln (INR K - 1)).
    { rewrite <- ln_1. apply ln_le; [lra|]. apply (le_INR 2) in HK. simpl in HK. lra. }
    replace (4 / ((1 - 1 / 2) * (epsilon / 2)) * ln (INR K)) with (16 * ln (INR K) / epsilon) by (field; lra).
    replace (8 / (1 / 2 - 1 / 2 / 4)) with (64 / 3) by field.
    assert (64 / 3 * (ln (INR K - 1) + 1) / Delta <= 21.4 * (ln (INR K - 1) + 1) / Delta); [|lra].
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra].
Qed.

Theorem noisy_leader_any_joint_law_large_gaps : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  best_with_gap K (mean_loss outcomes chance loss) best Delta -> epsilon <= Delta ->
  expected_regret outcomes chance loss K (whole_epoch_learner (epsilon / 2) K) best T
  <= 1 + 16 * ln K / epsilon.
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L G Large.
  eapply Rle_trans.
  - apply any_bound_large with (eta := epsilon / 2) (Delta := Delta) (kappa := 1 / 2); auto; try lra.
    + intros. eapply Rle_trans; [now apply factor_bound|]. apply exp_le. unfold mean_loss. lra.
    + intros k Hk H. destruct G as (_ & _ & _ & Gap). specialize (Gap k Hk H). lra.
  - right. field. lra.
Qed.

(* An instance: the better of two actions has loss 0 with chance 3/4, and the other one has loss 1 then. *)
Definition coin_chance (i : nat) : R := match i with O => 3 / 4 | _ => 1 / 4 end.
Definition coin_loss (i k : nat) : R := if Nat.eqb i k then 0 else 1.

Example coin_is_a_law : loss_distribution 2 coin_chance coin_loss.
Proof.
  repeat split; simpl; try lra; intros.
  - destruct i; simpl; lra.
  - unfold coin_loss; destruct (Nat.eqb _ _); lra.
  - unfold coin_loss; destruct (Nat.eqb _ _); lra.
Qed.

Example coin_has_a_gap : best_with_gap 2 (mean_loss 2 coin_chance coin_loss) 0 (1 / 2).
Proof.
  assert (M : mean_loss 2 coin_chance coin_loss 0 = 1 / 4 /\ mean_loss 2 coin_chance coin_loss 1 = 3 / 4)
    by (unfold mean_loss, coin_chance, coin_loss; simpl; split; lra).
  destruct M as [M0 M1]. repeat split; try lia; try lra; intros k Hk; destruct k as [|[|k]]; try lia; lra.
Qed.

Example coin_regret_is_small epsilon T : 0 < epsilon ->
  expected_regret 2 coin_chance coin_loss 2 (whole_epoch_learner (epsilon / 2) 2) 0 T
  <= 1 + 21.4 * (ln (2 - 1) + 1) / (1 / 2) + 16 * ln 2 / epsilon.
Proof.
  intros He. exact (noisy_leader_any_joint_law epsilon (1 / 2) 2 2 coin_chance coin_loss 0 T He (le_n 2) coin_is_a_law
    coin_has_a_gap).
Qed.
