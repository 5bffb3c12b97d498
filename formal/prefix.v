(* Theorem "prefix": the learner of Cesari and Colomboni (2026), without dyadic groups and without a cap.

   Printed: the regret of prefix softmax is at most 1 + 16 (ln (K - 1) + 1) / Delta + 8 ln K / eta for every T,
   K >= 2 and eta > 0, losses in [0, 1], iid over rounds, of any joint law within a round, Delta the least positive
   gap; its actions are 2 eta private; at eta = epsilon/2, so epsilon private, at most
   26 (ln K / Delta + ln K / epsilon). *)

Require Import Reals Lra Lia List PeanoNat FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Formal.base Require Import sums hoeffding learners laws epochs.
Local Open Scope R_scope.

(* Of the n = 2^q rounds of epoch q the first M are read, M uniform from n/2 + 1, ..., n (from 1 if n = 1):
   one of prefix_count q = 1, 1, 2, 4, ... values. *)
Definition prefix_count (q : nat) : nat := 2 ^ (q - 1).
Definition prefix_length (q i : nat) : nat := 2 ^ q - prefix_count q + 1 + i.
Definition prefix_sums (l : table) (q M k : nat) : R := sum M (fun i => l (2 ^ q + i)%nat k).

(* Uniform in epoch 0, then softmax of the sums of a random prefix of the last epoch. *)
Definition prefix_choice (eta : R) (K : nat) : choice := fun l r =>
  match r with
  | O => fun _ => / K
  | S q => fun k => / prefix_count q * sum (prefix_count q) (fun i => softmax eta K (prefix_sums l q (prefix_length q i)) k)
  end.
Definition prefix_learner (eta : R) (K : nat) : learner := learner_of (prefix_choice eta K).

(* So M is uniform on 2^(q-1) + 1, ..., 2^q, as printed. *)
Example prefix_length_is_printed q i : (1 <= q)%nat -> (i < prefix_count q)%nat ->
  prefix_length q i = (2 ^ (q - 1) + 1 + i)%nat /\ (2 ^ (q - 1) + 1 <= prefix_length q i <= 2 ^ q)%nat.
Proof.
  intros H Hi. unfold prefix_length, prefix_count in *.
  assert ((2 ^ q = 2 * 2 ^ (q - 1))%nat) by (rewrite <- Nat.pow_succ_r'; f_equal; lia). lia.
Qed.

(* ---------------------------------------------------------------- privacy *)

Lemma prefix_count_pos q : 0 < INR (prefix_count q).
Proof. apply lt_0_INR. apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia. Qed.

Lemma prefix_length_bound q i : (i < prefix_count q)%nat -> (prefix_length q i <= 2 ^ q)%nat.
Proof.
  unfold prefix_length, prefix_count. intros H.
  assert (2 ^ (q - 1) <= 2 ^ q)%nat by (apply Nat.pow_le_mono_r; lia). lia.
Qed.

Lemma prefix_choice_nonneg eta K l r k : (0 < K)%nat -> 0 <= prefix_choice eta K l r k.
Proof.
  intros H. destruct r; simpl.
  - left. apply Rinv_0_lt_compat, lt_0_INR; auto.
  - apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, prefix_count_pos|].
    apply sum_nonneg. intros. now apply softmax_nonneg.
Qed.

Lemma prefix_epoch_private eta K l l' t0 r k :
  0 <= eta -> neighbours l l' t0 -> (k < K)%nat ->
  prefix_choice eta K l r k <= exp (2 * eta) * prefix_choice eta K l' r k /\
  (r <> S (Nat.log2 t0) -> prefix_choice eta K l r k = prefix_choice eta K l' r k).
Proof.
  intros He (H & B & B') Hk. pose proof (prefix_count_pos (r - 1)). destruct r as [|q]; simpl.
  - assert (0 < / INR K) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    assert (1 <= exp (2 * eta)) by (rewrite <- exp_0; apply exp_le; lra).
    split; [nra | auto].
  - split.
    + replace (exp (2 * eta) * _) with
        (/ INR (prefix_count q) * (exp (2 * eta) * sum (prefix_count q) (fun i => softmax eta K (prefix_sums l' q (prefix_length q i)) k))) by ring.
      apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, prefix_count_pos|].
      rewrite <- sum_scal. apply sum_le. intros i Hi. apply softmax_private; auto. intros j _.
      apply sum_differ with (i := (t0 - 2 ^ q)%nat).
      * intros i0 _ Hi0. apply H. lia.
      * pose proof (B (2 ^ q + (t0 - 2 ^ q))%nat j). pose proof (B' (2 ^ q + (t0 - 2 ^ q))%nat j).
        unfold Rabs; destruct (Rcase_abs _); lra.
    + intros Hr. f_equal. apply sum_ext. intros i Hi. apply softmax_ext. intros j. apply sum_ext.
      intros i0 Hi0. apply H. intros E. apply Hr. f_equal. symmetry.
      pose proof (prefix_length_bound q i Hi). apply Nat.log2_unique; [lia|]. rewrite Nat.pow_succ_r'. lia.
Qed.

Theorem prefix_private : forall eta K, 0 <= eta -> private_sequence (2 * eta) K (prefix_choice eta K).
Proof.
  intros eta K He. apply choices_private; [lra|..].
  - intros. apply prefix_choice_nonneg. lia.
  - intros l l' t0 r k N Hk. now apply (prefix_epoch_private eta K l l' t0).
  - intros l l' t0 r k N Hk Hr. now apply (prefix_epoch_private eta K l l' t0).
Qed.

(* ---------------------------------------------------------------- the drift of the potential *)

Lemma cosh_sinh x : 0 <= x -> 0 <= 1 - (exp x + exp (- x)) / 2 + x * ((exp x - exp (- x)) / 2) - x * x / 2.
Proof.
  apply (grows (fun x => 1 - (exp x + exp (- x)) / 2 + x * ((exp x - exp (- x)) / 2) - x * x / 2)
               (fun x => x * ((exp x + exp (- x)) / 2 - 1))).
  - intros y _. auto_derive; auto. field.
  - intros y Hy. apply Rmult_le_pos; auto.
    pose proof (exp_ineq1_le y). pose proof (exp_ineq1_le (- y)). lra.
  - rewrite Ropp_0, exp_0. field.
Qed.

Lemma mean_last m w v n f s :
  mean m w v (S n) f s = mean m w v n (fun s => sum m (fun i => w i * f (fun k => s k + v i k))) s.
Proof.
  revert s. induction n as [|n IH]; intros s; [reflexivity|].
  change (mean m w v (S (S n)) f s) with (sum m (fun i => w i * mean m w v (S n) f (fun k => s k + v i k))).
  cbn [mean]. apply sum_ext. intros i _. f_equal. apply IH.
Qed.

Section Drift.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta : R) (K : nat) (c : nat -> R).
Hypotheses (L : loss_distribution m w v) (eta_pos : 0 < eta) (HK : (0 < K)%nat).
Notation gap k := (sum m (fun i => w i * v i k) - sum m (fun i => w i * v i 0%nat)).
Hypotheses (c_01 : forall k, c k = 0 \/ c k = 1) (c_0 : c 0%nat = 1).
Hypothesis gap_le : forall k, (k < K)%nat -> 0 <= gap k <= 1.
Hypothesis c_large : forall k, (k < K)%nat -> k <> 0%nat -> c k = 1 -> eta <= gap k.
Notation M := (mean m w v).
Notation zero := (fun _ : nat => 0).
Notation mix s := (mixture eta K c s).
Notation lead s := (fun k : nat => s k - s 0%nat).
Definition large s := sum K (fun k => c k * exp (- eta * (s k - s 0%nat)) / mix (lead s) * gap k).
Definition pot n := M n (fun s => ln (mix (lead s))) zero.

Lemma mix_pos s : 0 < mix s.
Proof. now apply mixture_pos. Qed.

Lemma factor_drift k : (k < K)%nat -> c k = 1 -> factor m w v eta k 0 <= 1 - eta / 2 * gap k.
Proof.
  intros Hk Hc. destruct (Nat.eq_dec k 0) as [->|H0].
  { rewrite factor_same by auto. lra. }
  destruct (factor_chord m w v L eta k 0) as [_ C]. pose proof (c_large k Hk H0 Hc). pose proof (gap_le k Hk).
  set (g := gap k) in *. eapply Rle_trans; [exact C|].
  replace (exp (- eta) * _) with ((exp eta + exp (- eta)) / 2 - g * ((exp eta - exp (- eta)) / 2)).
  - pose proof (cosh_sinh eta ltac:(lra)) as CS.
    pose proof (tangent eta 0). pose proof (tangent (- eta) eta). pose proof (tangent (- eta) 0).
    rewrite exp_0 in *.
    assert (eta <= (exp eta - exp (- eta)) / 2).
    { apply Rle_trans with ((exp eta - exp (- eta)) / 2 - eta + eta); [|lra].
      assert (0 <= (exp eta - exp (- eta)) / 2 - eta); [|lra].
      apply (grows (fun x => (exp x - exp (- x)) / 2 - x) (fun x => (exp x + exp (- x)) / 2 - 1)); [| | | lra].
      - intros y _. auto_derive; auto. field.
      - intros y Hy. pose proof (exp_ineq1_le y). pose proof (exp_ineq1_le (- y)). lra.
      - rewrite Ropp_0, exp_0. field. }
    set (S := (exp eta - exp (- eta)) / 2) in *. set (Ch := (exp eta + exp (- eta)) / 2) in *. nra.
  - replace (exp (2 * eta)) with (exp eta * exp eta) by (rewrite <- exp_plus; f_equal; ring).
    assert (E : exp (- eta) * exp eta = 1) by (rewrite <- exp_plus; replace (- eta + eta) with 0 by ring; apply exp_0).
    replace (exp (- eta) * (1 - (1 - g) / 2 + (1 - g) / 2 * (exp eta * exp eta)))
      with (exp (- eta) * ((1 + g) / 2) + (1 - g) / 2 * exp eta * (exp (- eta) * exp eta)) by field.
    rewrite E. field.
Qed.

Lemma drift s :
  sum m (fun i => w i * ln (mix (fun k => s k + v i k - (s 0%nat + v i 0%nat)))) <=
  ln (mix (lead s)) + - (eta / 2) * large s.
Proof.
  pose proof (mix_pos (lead s)) as P. set (Z := mix (lead s)) in *.
  apply Rle_trans with (sum m (fun i => w i * (ln Z - 1) +
                        / Z * (w i * mix (fun k => s k + v i k - (s 0%nat + v i 0%nat))))).
  { apply sum_le. intros i Hi.
    pose proof (ln_below _ Z (mix_pos (fun k => s k + v i k - (s 0%nat + v i 0%nat))) P) as B.
    set (Zi := mix (fun k => s k + v i k - (s 0%nat + v i 0%nat))) in *.
    replace (w i * (ln Z - 1) + / Z * (w i * Zi)) with (w i * (ln Z + (Zi - Z) / Z)) by (field; lra).
    apply Rmult_le_compat_l; auto. now apply L. }
  rewrite sum_plus, sum_scal, weights_const with (v := v) by auto.
  assert (X : sum m (fun i => w i * mix (fun k => s k + v i k - (s 0%nat + v i 0%nat))) <= Z - eta / 2 * (Z * large s)).
  { rewrite (sum_ext m _ (fun i => sum K (fun k => c k * exp (- eta * (s k - s 0%nat)) * (w i * exp (- eta * (v i k - v i 0%nat)))))).
    2:{ intros i _. unfold mixture. rewrite <- sum_scal. apply sum_ext. intros k _.
        replace (- eta * (s k + v i k - (s 0%nat + v i 0%nat))) with (- eta * (s k - s 0%nat) + - eta * (v i k - v i 0%nat)) by ring.
        rewrite exp_plus. ring. }
    rewrite sum_swap. unfold large. rewrite <- sum_scal.
    apply Rle_trans with (sum K (fun k => c k * exp (- eta * (s k - s 0%nat)) +
        - (eta / 2) * (Z * (c k * exp (- eta * (s k - s 0%nat)) / Z * gap k)))).
    - apply sum_le. intros k Hk. rewrite sum_scal. fold (factor m w v eta k 0).
      destruct (c_01 k) as [C|C]; rewrite ?C.
      + right. unfold Rdiv. ring.
      + pose proof (factor_drift k Hk C). pose proof (exp_pos (- eta * (s k - s 0%nat))).
        set (e := exp (- eta * (s k - s 0%nat))) in *. set (g := gap k) in *.
        replace (1 * e + - (eta / 2) * (Z * (1 * e / Z * g))) with (1 * e * (1 - eta / 2 * g)) by (field; lra).
        apply Rmult_le_compat_l; lra.
    - rewrite sum_plus, !sum_scal. right. unfold Z, mixture. ring. }
  apply Rmult_le_compat_l with (r := / Z) in X; [|left; now apply Rinv_0_lt_compat].
  replace (/ Z * (Z - eta / 2 * (Z * large s))) with (1 - eta / 2 * large s) in X by (field; lra). lra.
Qed.

Lemma pot_step n : eta / 2 * M n large zero <= pot n - pot (S n).
Proof.
  unfold pot. rewrite mean_last.
  assert (M n (fun s => sum m (fun i => w i * ln (mix (fun k => s k + v i k - (s 0%nat + v i 0%nat))))) zero <=
          M n (fun s => ln (mix (lead s)) + - (eta / 2) * large s) zero) by (apply mean_le; auto using drift).
  rewrite mean_plus, mean_scal in *. lra.
Qed.

Lemma large_sum n : sum n (fun i => M i large zero) <= 2 / eta * ln (INR K).
Proof.
  assert (H : sum n (fun i => eta / 2 * M i large zero) <= pot 0 - pot n).
  { rewrite <- (sum_telescope n pot). apply sum_le. intros i _. apply pot_step. }
  rewrite sum_scal in H.
  assert (pot 0 <= ln (INR K)).
  { unfold pot. simpl. apply ln_le; [apply mix_pos|].
    apply Rle_trans with (sum K (fun _ => 1)); [|rewrite sum_const; lra].
    apply sum_le. intros k _. replace (- eta * (0 - 0)) with 0 by ring. rewrite exp_0. destruct (c_01 k); lra. }
  assert (0 <= pot n).
  { unfold pot. apply Rle_trans with (M n (fun _ => 0) zero); [rewrite mean_const by auto; lra|].
    apply mean_le; auto. intros s. rewrite <- ln_1. apply ln_le; [lra|].
    apply Rle_trans with (c 0%nat * exp (- eta * (s 0%nat - s 0%nat))).
    - rewrite c_0. replace (- eta * (s 0%nat - s 0%nat)) with 0 by ring. rewrite exp_0. lra.
    - apply sum_one with (f := fun k => c k * exp (- eta * (s k - s 0%nat))); auto.
      intros j _. apply Rmult_le_pos; [destruct (c_01 j); lra | left; apply exp_pos]. }
  apply Rmult_le_reg_l with (eta / 2); [lra|].
  replace (eta / 2 * (2 / eta * ln (INR K))) with (ln (INR K)) by (field; lra). lra.
Qed.
End Drift.

(* Blocks 0, ..., R read 1, ..., 2^R rounds, each number in one block. *)
Lemma blocks R0 (F : nat -> R) :
  sum (S R0) (fun q => sum (prefix_count q) (fun i => F (prefix_length q i))) = sum (2 ^ R0) (fun i => F (S i)).
Proof.
  induction R0 as [|R0 IH]; [unfold prefix_length, prefix_count; simpl; ring|].
  change (sum (S (S R0)) ?f) with (sum (S R0) f + f (S R0)). cbv beta. rewrite IH.
  assert (W : prefix_count (S R0) = (2 ^ R0)%nat) by (unfold prefix_count; f_equal; lia).
  replace (2 ^ S R0)%nat with (2 ^ R0 + 2 ^ R0)%nat by (rewrite Nat.pow_succ_r'; lia).
  rewrite sum_app, W. f_equal. apply sum_ext. intros i _. f_equal. unfold prefix_length. rewrite W, Nat.pow_succ_r'. lia.
Qed.

(* The mean of g of the action that softmax selects from n rounds, and of the action of epoch r. *)
Section Blocks.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta : R) (K : nat).
Hypothesis L : loss_distribution m w v.

Definition selected_mean (g : nat -> R) n := mean m w v n (fun s => sum K (fun k => softmax eta K s k * g k)) (fun _ => 0).
Definition block_mean (g : nat -> R) r :=
  match r with
  | O => sum K (fun k => / INR K * g k)
  | S q => / INR (prefix_count q) * sum (prefix_count q) (fun i => selected_mean g (prefix_length q i))
  end.

Lemma regret_by_blocks g T l :
  mean_over_tables m w v T 1 (fun l => sum T (fun i => sum K (fun k => prefix_learner eta K l (S i) k * g k))) l =
  sum T (fun i => block_mean g (Nat.log2 (S i))).
Proof.
  rewrite expect_sum by auto. apply sum_ext. intros i Hi. unfold prefix_learner, learner_of.
  pose proof (Nat.log2_spec (S i) ltac:(lia)) as [H _].
  destruct (Nat.log2 (S i)) as [|q]; simpl prefix_choice; [now apply expect_const|].
  rewrite Nat.pow_succ_r' in H.
  rewrite (expect_ext m w v T 1 _ (fun l => / INR (prefix_count q) * sum (prefix_count q) (fun i =>
     sum K (fun k => softmax eta K (prefix_sums l q (prefix_length q i)) k * g k)))).
  - rewrite expect_scal, expect_sum by auto. simpl block_mean. f_equal. apply sum_ext. intros j Hj.
    pose proof (prefix_length_bound q j Hj).
    exact (expect_prefix m w v L q (prefix_length q j) T (fun s => sum K (fun k => softmax eta K s k * g k)) l ltac:(lia)).
  - intros l' _. rewrite sum_swap, <- sum_scal. apply sum_ext. intros k _.
    rewrite Rmult_assoc. f_equal. rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros. ring.
Qed.
End Blocks.

Lemma block_mean_permuted m w v eta K p g r : loss_distribution m w v -> permutes K p ->
  block_mean m w (fun i k => v i (p k)) eta K (fun k => g (p k)) r = block_mean m w v eta K g r.
Proof.
  intros L H. destruct r as [|q]; simpl.
  - destruct H as (_ & _ & _ & P). exact (P (fun k => / INR K * g k)).
  - f_equal. apply sum_ext. intros i _. unfold selected_mean.
    rewrite (mean_permuted m w v p (prefix_length q i) (fun s => sum K (fun k => softmax eta K s k * g (p k))) (fun _ => 0)).
    apply mean_ext; auto. intros s. now apply softmax_gap_permuted.
Qed.

Section All.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta Delta : R) (K : nat).
Hypotheses (L : loss_distribution m w v) (eta_pos : 0 < eta) (HK : (2 <= K)%nat) (Delta_pos : 0 < Delta).
Notation gap := (fun k : nat => sum m (fun i => w i * v i k) - sum m (fun i => w i * v i 0%nat)).
Hypothesis sorted : forall j k, (j <= k < K)%nat -> gap j <= gap k.
Hypothesis least : forall k, (k < K)%nat -> gap k = 0 \/ Delta <= gap k.
Notation M := (mean m w v).
Notation zero := (fun _ : nat => 0).

(* The mean gap of softmax of n rounds. *)
Definition F := selected_mean m w v eta K gap.
Definition block_gap := block_mean m w v eta K gap.

Lemma factor_bound_half x k : factor m w v x k 0 <= exp (- x * gap k + 1 / 2 * (x * x)).
Proof. eapply Rle_trans; [now apply factor_bound|]. apply exp_le. lra. Qed.

Lemma F_nonneg n : 0 <= F n.
Proof.
  unfold F, selected_mean. apply Rle_trans with (M n (fun _ => 0) zero); [rewrite mean_const by auto; lra|].
  apply mean_le; auto. intros s. apply sum_nonneg. intros k Hk.
  apply Rmult_le_pos; [apply softmax_nonneg; lia|]. now apply (all_gap m w v K L HK sorted).
Qed.

Lemma block_gap_nonneg r : 0 <= block_gap r.
Proof.
  destruct r as [|q].
  - exact (epoch_gap_nonneg m w v eta K L HK sorted 0).
  - apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, prefix_count_pos|].
    apply sum_nonneg. intros; apply F_nonneg.
Qed.

(* The doubling clock costs a factor of four. *)
Lemma clock q : INR (2 ^ S q) * block_gap (S q) <= 4 * sum (prefix_count q) (fun i => F (prefix_length q i)).
Proof.
  change (block_gap (S q)) with (/ INR (prefix_count q) * sum (prefix_count q) (fun i => F (prefix_length q i))).
  assert (0 <= sum (prefix_count q) (fun i => F (prefix_length q i))) by (apply sum_nonneg; intros; apply F_nonneg).
  set (X := sum (prefix_count q) _) in *. pose proof (prefix_count_pos q) as W.
  assert (INR (2 ^ S q) <= 4 * INR (prefix_count q)).
  { replace 4 with (INR 4) by (simpl; ring). rewrite <- mult_INR. apply le_INR. unfold prefix_count.
    destruct q; [simpl; lia|]. replace (S q - 1)%nat with q by lia. rewrite !Nat.pow_succ_r'. lia. }
  apply Rle_trans with (4 * INR (prefix_count q) * (/ INR (prefix_count q) * X)).
  - apply Rmult_le_compat_r; auto. apply Rmult_le_pos; auto. left; now apply Rinv_0_lt_compat.
  - right. field. lra.
Qed.

Lemma F_sum N : sum N (fun i => F (S i)) <= 2 / eta * ln (INR K) + 4 * (ln (INR (K - 1)) + 1) / Delta.
Proof.
  destruct (split_rising K gap eta sorted) as (J & HJ & Small & Large). cbv zeta beta in *.
  set (c := fun k => if Nat.eqb k 0 then 1 else if Nat.ltb k J then 0 else 1).
  assert (C1 : forall k, c k = 0 \/ c k = 1).
  { intros k. unfold c. destruct (Nat.eqb k 0); auto. destruct (Nat.ltb k J); auto. }
  assert (C2 : forall k, (k < K)%nat -> k <> 0%nat -> c k = 1 -> eta <= gap k).
  { intros k Hk H0 H. unfold c in H. destruct (Nat.eqb_spec k 0); [lia|].
    destruct (Nat.ltb_spec k J); [lra|]. apply Large; lia. }
  assert (G : forall k, (k < K)%nat -> 0 <= gap k <= 1) by (exact (all_gap m w v K L HK sorted)).
  assert (G0 : gap 0%nat = 0) by ring.
  assert (Steps : forall j, (j < J)%nat -> 0 <= gap j - gap (j - 1)%nat).
  { intros j Hj. pose proof (sorted (j - 1) j ltac:(lia)). cbv beta in *. lra. }
  set (tail := fun n => sum J (fun j => (gap j - gap (j - 1)%nat) *
                 Rmin 1 (INR (K - 1) * exp (- (1 / 2 * (gap j * gap j)) * INR n)))).
  assert (One : forall n, F n <= M n (large m w v eta K c) zero + tail n).
  { intros n. apply Rle_trans with
      (M n (large m w v eta K c) zero + M n (fun s => sum J (fun k => softmax eta K s k * gap k)) zero).
    - unfold F. rewrite <- mean_plus. apply mean_le; auto. intros s.
      replace (sum K (fun k => softmax eta K s k * gap k)) with
        (sum J (fun k => softmax eta K s k * gap k) +
         sum (K - J) (fun i => softmax eta K s (J + i)%nat * gap (J + i)%nat))
        by (rewrite <- sum_app; f_equal; lia).
      unfold large. set (q := fun k => c k * exp (- eta * (s k - s 0%nat)) / mixture eta K c (fun k => s k - s 0%nat)).
      change (sum K (fun k => c k * exp (- eta * (s k - s 0%nat)) / mixture eta K c (fun k => s k - s 0%nat) *
               (sum m (fun i => w i * v i k) - sum m (fun i => w i * v i 0%nat)))) with (sum K (fun k => q k * gap k)).
      assert (QK : sum K (fun k => q k * gap k) =
        sum J (fun k => q k * gap k) + sum (K - J) (fun i => q (J + i)%nat * gap (J + i)%nat))
        by (rewrite <- sum_app; f_equal; lia).
      assert (Q : forall k, 0 <= q k).
      { intros k. unfold q. apply Rle_mult_inv_pos; [|apply mixture_pos; auto; lia].
        apply Rmult_le_pos; [destruct (C1 k); lra | left; apply exp_pos]. }
      assert (0 <= sum J (fun k => q k * gap k)).
      { apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [apply Q | apply G; lia]. }
      assert (sum (K - J) (fun i => softmax eta K s (J + i)%nat * gap (J + i)%nat) <=
              sum (K - J) (fun i => q (J + i)%nat * gap (J + i)%nat)).
      { apply sum_le. intros i Hi. apply Rmult_le_compat_r; [apply G; lia|].
        pose proof (leave_out eta K ltac:(lia) c C1 eq_refl s (J + i) ltac:(lia)) as LO. fold (q (J + i)%nat) in LO.
        assert (c (J + i)%nat = 1).
        { unfold c. destruct (Nat.eqb_spec (J + i) 0); auto. destruct (Nat.ltb_spec (J + i) J); [lia | auto]. }
        rewrite H0, Rmult_1_r in LO. exact LO. }
      cbv beta in *. lra.
    - apply Rplus_le_compat_l. rewrite mean_sum by auto.
      rewrite (sum_ext J _ (fun k => M n (fun s => softmax eta K s k) zero * gap k)).
      2:{ intros k _. rewrite Rmult_comm, <- mean_scal. apply mean_ext; auto. intros; ring. }
      rewrite (abel J (fun k => M n (fun s => softmax eta K s k) zero) gap G0). unfold tail. apply sum_le. intros j Hj.
      destruct (Nat.eq_dec j 0) as [->|Hj0].
      { simpl. right. ring. }
      pose proof (tail_chance m w v eta K L HK sorted (1 / 2) ltac:(lra) (fun x k _ _ => factor_bound_half x k) 1 J n j ltac:(lra) HJ
        (fun k Hk => ltac:(specialize (Small k Hk); lra)) ltac:(lia)) as TC.
      replace (1 - 1 / 2 * (1 * 1)) with (1 / 2) in TC by field.
      apply Rmult_le_compat_l; auto. }
  assert (Tails : sum N (fun i => tail (S i)) <= 4 * (ln (INR (K - 1)) + 1) / Delta).
  { unfold tail. rewrite sum_swap.
    assert (HB : 1 <= INR (K - 1)) by (apply (le_INR 1); lia).
    assert (Hln : 0 <= ln (INR (K - 1))) by (rewrite <- ln_1; apply ln_le; lra).
    apply Rle_trans with (sum J (fun j => 2 * (ln (INR (K - 1)) + 1) * ((gap j - gap (j - 1)%nat) / (gap j * gap j)))).
    - apply sum_le. intros j Hj. rewrite sum_scal.
      pose proof (Steps j Hj) as Sj. pose proof (least j ltac:(lia)) as Z. pose proof (G j ltac:(lia)) as Gj.
      pose proof (G (j - 1)%nat ltac:(lia)) as Gp. cbv beta in *.
      generalize dependent (sum m (fun i => w i * v i j) - sum m (fun i => w i * v i 0%nat)).
      generalize dependent (sum m (fun i => w i * v i (j - 1)%nat) - sum m (fun i => w i * v i 0%nat)).
      intros g' Gp g Sj Z Gj. destruct Z as [Z|Z].
      + replace (g - g') with 0 by lra. unfold Rdiv. lra.
      + assert (Hc : 0 < 1 / 2 * (g * g)) by nra.
        pose proof (tail_sum_all (INR (K - 1)) (1 / 2 * (g * g)) N HB Hc) as TS.
        apply Rle_trans with ((g - g') * ((ln (INR (K - 1)) + 1) / (1 / 2 * (g * g)))).
        * apply Rmult_le_compat_l; auto.
        * right. field. nra.
    - rewrite sum_scal.
      apply Rle_trans with (2 * (ln (INR (K - 1)) + 1) * (2 / Delta)).
      + apply Rmult_le_compat_l; [nra|]. apply (gaps_sum J gap Delta); auto.
        * intros; apply sorted; lia.
        * intros; apply least; lia.
      + right. field. lra. }
  eapply Rle_trans; [apply sum_le; intros i _; apply One|].
  rewrite sum_plus. apply Rplus_le_compat; auto.
  pose proof (large_sum m w v eta K c L eta_pos ltac:(lia) C1 eq_refl G C2 (S N)) as LS.
  change (S N) with (1 + N)%nat in LS. rewrite sum_app in LS.
  assert (0 <= large m w v eta K c zero).
  { unfold large. apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [|now apply G].
    apply Rle_mult_inv_pos; [|apply mixture_pos; auto; lia].
    apply Rmult_le_pos; [destruct (C1 k); lra | left; apply exp_pos]. }
  assert (LS' : 0 + large m w v eta K c zero + sum N (fun i => M (S i) (large m w v eta K c) zero) <=
                2 / eta * ln (INR K)) by exact LS.
  lra.
Qed.

Lemma prefix_bound T :
  sum T (fun i => block_gap (Nat.log2 (S i))) <=
  1 + 16 * (ln (INR (K - 1)) + 1) / Delta + 8 * ln (INR K) / eta.
Proof.
  apply Rle_trans with (sum (2 ^ S (S T) - 1) (fun i => block_gap (Nat.log2 (S i)))).
  - apply sum_longer; [|intros; apply block_gap_nonneg].
    pose proof (Nat.pow_gt_lin_r 2 (S (S T)) ltac:(lia)). lia.
  - rewrite sum_epochs. change (S (S T)) with (1 + S T)%nat. rewrite sum_app. cbn [sum].
    change (INR (2 ^ 0)) with 1.
    assert (block_gap 0 <= 1) by (exact (epoch_gap_0 m w v eta K L HK sorted)).
    assert (sum (S T) (fun q => INR (2 ^ (1 + q)) * block_gap (1 + q)) <=
            4 * (2 / eta * ln (INR K) + 4 * (ln (INR (K - 1)) + 1) / Delta)).
    { apply Rle_trans with (sum (S T) (fun q => 4 * sum (prefix_count q) (fun i => F (prefix_length q i)))).
      - apply sum_le. intros q _. apply clock.
      - rewrite sum_scal, blocks. apply Rmult_le_compat_l; [lra | apply F_sum]. }
    unfold Rdiv in *. cbn [sum] in *. lra.
Qed.
End All.

(* ---------------------------------------------------------------- statements *)

Theorem prefix_regret : forall eta Delta K outcomes chance loss best T,
  0 < eta -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  best_with_gap K (mean_loss outcomes chance loss) best Delta ->
  expected_regret outcomes chance loss K (prefix_learner eta K) best T
  <= 1 + 16 * (ln (K - 1) + 1) / Delta + 8 * ln K / eta.
Proof.
  intros eta Delta K m w v best T He HK L G. unfold expected_regret, pseudo_regret.
  rewrite (regret_by_blocks m w v eta K L (fun k => mean_loss m w v k - mean_loss m w v best)).
  destruct (sorting K (mean_loss m w v)) as (p & P & Rise).
  destruct (best_first K (mean_loss m w v) best Delta p G P Rise) as [F0 Gap].
  rewrite (sum_ext T _ (fun i => block_gap m w (fun i k => v i (p k)) eta K (Nat.log2 (S i)))).
  - pose proof (prefix_bound m w (fun i k => v i (p k)) eta Delta K (law_permuted m w v L p) He HK ltac:(now destruct G)) as B.
    rewrite minus_INR in B by lia. apply B; clear B.
    + intros j k Hjk. pose proof (Rise j k Hjk). unfold mean_loss in *. lra.
    + intros k Hk. specialize (Gap k Hk). unfold mean_loss in *. lra.
  - intros i _. unfold block_gap. rewrite <- (block_mean_permuted m w v eta K p) by auto.
    f_equal. extensionality k. unfold mean_loss in *. lra.
Qed.

(* 16 ln (K - 1) + 17 is at most 26 ln K. *)
Lemma k26 K : (2 <= K)%nat -> 16 * ln (INR (K - 1)) + 17 <= 26 * ln (INR K).
Proof.
  intros H. destruct (Nat.le_gt_cases 6 K) as [H6|H6].
  - assert (6 <= INR K) by (apply (le_INR 6) in H6; simpl in H6; lra).
    assert (ln (INR (K - 1)) <= ln (INR K)) by (apply ln_le; [apply lt_0_INR; lia | apply le_INR; lia]).
    assert (ln 6 <= ln (INR K)) by (apply ln_le; lra).
    assert (1.7 <= ln 6) by interval. lra.
  - destruct K as [|[|[|[|[|[|K]]]]]]; try lia; simpl; try (rewrite ln_1; interval); interval.
Qed.
Theorem prefix_26 : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  best_with_gap K (mean_loss outcomes chance loss) best Delta -> Delta <= 1 ->
  private_sequence epsilon K (prefix_choice (epsilon / 2) K) /\
  expected_regret outcomes chance loss K (prefix_learner (epsilon / 2) K) best T
  <= 26 * (ln K / Delta + ln K / epsilon).
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L G D1. split.
  { replace epsilon with (2 * (epsilon / 2)) at 1 by lra. apply prefix_private. lra. }
  eapply Rle_trans; [apply (prefix_regret (epsilon / 2) Delta); auto; lra|].
  destruct G as (_ & HD & _). pose proof (k26 K HK) as B. rewrite minus_INR in B by lia. simpl (INR 1) in *.
  assert (0 <= ln (INR K)) by (rewrite <- ln_1; apply ln_le; [lra | apply (le_INR 1); lia]).
  set (x := ln (INR K)) in *. set (y := ln (INR K - 1)) in *.
  replace (8 * x / (epsilon / 2)) with (16 * (x / epsilon)) by (field; lra).
  assert (0 <= x / epsilon) by (apply Rle_mult_inv_pos; lra).
  assert (1 <= / Delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (1 + 16 * (y + 1) / Delta <= (16 * y + 17) / Delta) by (unfold Rdiv; lra).
  assert ((16 * y + 17) / Delta <= 26 * x / Delta) by (apply Rmult_le_compat_r; lra).
  unfold Rdiv in *. lra.
Qed.
