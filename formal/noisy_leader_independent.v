(* Theorem "noisy-leader", losses that are independent over the actions, Gumbel noise, not resampled (B = 0).

   Printed: in every T >= 1 rounds the pseudo-regret is at most 1 + a (ln (K - 1) + 1) / Delta + c m_K / epsilon,
   the term in 1/Delta only if a positive gap is below epsilon, with a = 18.3, c = 32/3 and m_K = ln K. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums hoeffding learners laws epochs.
Local Open Scope R_scope.

(* Hoeffding's lemma for one loss. *)
Lemma one_loss m w v y k : loss_distribution m w v ->
  0 <= sum m (fun i => w i * exp (y * v i k)) <= exp (y * mean_loss m w v k + y * y / 8).
Proof.
  intros L. pose proof L as (W & One & B). split.
  - apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [auto | left; apply exp_pos].
  - set (mu := mean_loss m w v k).
    assert (Hmu : 0 <= mu <= 1).
    { unfold mu, mean_loss. split.
      - apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [auto | apply B].
      - rewrite <- One. apply sum_le. intros i Hi. specialize (W i Hi). specialize (B i k). nra. }
    replace (y * mu + y * y / 8) with (mu * y + y * y / 8) by ring.
    eapply Rle_trans; [|now apply two_points].
    apply Rle_trans with (sum m (fun i => w i * 1 + (exp y - 1) * (w i * v i k))).
    + apply sum_le. intros i Hi.
      replace (w i * 1 + (exp y - 1) * (w i * v i k)) with (w i * ((1 - v i k) * 1 + v i k * exp y)) by ring.
      apply Rmult_le_compat_l; auto.
      pose proof (tangent 0 (y * v i k)) as T0. pose proof (tangent y (y * v i k)) as T1. rewrite exp_0 in T0.
      specialize (B i k). set (e := exp (y * v i k)) in *.
      apply Rle_trans with ((1 - v i k) * (e * (1 + (0 - y * v i k))) + v i k * (e * (1 + (y - y * v i k)))).
      * right. ring.
      * apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
    + rewrite sum_plus, sum_scal. fold (mean_loss m w v k). fold mu. rewrite weights_const with (v := v) by auto.
      right. ring.
Qed.

(* Step (b) of the proof: of a difference of independent losses both factors are bounded alone. *)
Lemma independent_factor m w v K x j k : loss_distribution m w v -> independent K m w v ->
  (j < K)%nat -> (k < K)%nat -> j <> k ->
  factor m w v x k j <= exp (- x * (mean_loss m w v k - mean_loss m w v j) + 1 / 4 * (x * x)).
Proof.
  intros L I Hj Hk N.
  pose proof (independent_pair K m w v k j (fun y => exp (- x * y)) (fun y => exp (x * y)) L I Hk Hj
    ltac:(congruence)) as P. cbv beta in P.
  unfold factor. rewrite (sum_ext m _ (fun i => w i * (exp (- x * v i k) * exp (x * v i j)))).
  2:{ intros i _. rewrite <- exp_plus. do 2 f_equal. ring. }
  rewrite P.
  replace (- x * (mean_loss m w v k - mean_loss m w v j) + 1 / 4 * (x * x))
    with ((- x * mean_loss m w v k + - x * - x / 8) + (x * mean_loss m w v j + x * x / 8)) by field.
  rewrite exp_plus. apply Rmult_le_compat; now apply one_loss.
Qed.

Theorem noisy_leader_independent_losses : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  independent K outcomes chance loss -> best_with_gap K (mean_loss outcomes chance loss) best Delta ->
  expected_regret outcomes chance loss K (whole_epoch_learner (epsilon / 2) K) best T
  <= 1 + 18.3 * (ln (K - 1) + 1) / Delta + 32 / 3 * ln K / epsilon.
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L I G.
  eapply Rle_trans.
  - apply any_bound with (eta := epsilon / 2) (Delta := Delta) (kappa := 1 / 4); auto; try lra.
    intros. now apply independent_factor with K.
  - destruct G as (_ & HD & _). rewrite minus_INR by lia. simpl (INR 1).
    assert (0 <= ln (INR K - 1)).
    { rewrite <- ln_1. apply ln_le; [lra|]. apply (le_INR 2) in HK. simpl in HK. lra. }
    replace (4 / ((1 - 1 / 4) * (epsilon / 2)) * ln (INR K)) with (32 / 3 * ln (INR K) / epsilon) by (field; lra).
    replace (8 / (1 / 2 - 1 / 4 / 4)) with (128 / 7) by field.
    assert (128 / 7 * (ln (INR K - 1) + 1) / Delta <= 18.3 * (ln (INR K - 1) + 1) / Delta); [|lra].
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra].
Qed.

Theorem noisy_leader_independent_losses_large_gaps : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  independent K outcomes chance loss -> best_with_gap K (mean_loss outcomes chance loss) best Delta ->
  epsilon <= Delta ->
  expected_regret outcomes chance loss K (whole_epoch_learner (epsilon / 2) K) best T
  <= 1 + 32 / 3 * ln K / epsilon.
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L I G Large.
  eapply Rle_trans.
  - apply any_bound_large with (eta := epsilon / 2) (Delta := Delta) (kappa := 1 / 4); auto; try lra.
    + intros. now apply independent_factor with K.
    + intros k Hk H. destruct G as (_ & _ & _ & Gap). specialize (Gap k Hk H). lra.
  - right. field. lra.
Qed.

(* An instance: two actions, whose losses are independent coins with means 1/4 and 3/4. Outcome i is that the coins
   show the two binary digits of i. *)
Definition two_coins_loss (i k : nat) : R := if Nat.testbit i k then 1 else 0.
Definition two_coins_chance (i : nat) : R :=
  (if Nat.testbit i 0 then 1 / 4 else 3 / 4) * (if Nat.testbit i 1 then 3 / 4 else 1 / 4).

Example two_coins_are_a_law : loss_distribution 4 two_coins_chance two_coins_loss.
Proof.
  unfold two_coins_chance, two_coins_loss. split; [|split].
  - intros i _. destruct (Nat.testbit i 0), (Nat.testbit i 1); lra.
  - simpl. lra.
  - intros i k. destruct (Nat.testbit i k); lra.
Qed.

Example two_coins_are_independent : independent 2 4 two_coins_chance two_coins_loss.
Proof. intros g. unfold mean_of, two_coins_chance, two_coins_loss. simpl. field. Qed.
