(* One epoch, and all epochs, of softmax with doubling epochs on losses drawn anew in every round.
   The steps are those of the proof of theorem "noisy-leader", part "any joint law, Gumbel" and "small gaps". *)

Require Import Reals Lra Lia List PeanoNat FunctionalExtensionality.
From Formal.base Require Import sums hoeffding learners laws.
Local Open Scope R_scope.

(* ---------------------------------------------------------------- one epoch *)

Section Epoch.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta : R) (K : nat).
Hypotheses (L : loss_distribution m w v) (eta_pos : 0 < eta) (HK : (0 < K)%nat).
Let gap k := sum m (fun i => w i * v i k) - sum m (fun i => w i * v i 0%nat).
Hypothesis gap_nonneg : forall k, (k < K)%nat -> 0 <= gap k.
(* How much losses fluctuate: kappa is 1/2 for any joint law, 1/4 for independent losses (Hoeffding's lemma). *)
Variable kappa : R.
Hypothesis kappa_bounds : 0 <= kappa <= 1 / 2.
Hypothesis fluctuation : forall x k, (k < K)%nat -> k <> 0%nat ->
  factor m w v x k 0 <= exp (- x * gap k + kappa * (x * x)).
Notation M := (mean m w v).
Let zero : nat -> R := fun _ => 0.

Lemma gap_0 : gap 0 = 0.
Proof. unfold gap. ring. Qed.

(* Softmax among the actions with c = 1 only; among them is action 0. *)
Variable c : nat -> R.
Hypotheses (c_01 : forall k, c k = 0 \/ c k = 1) (c_0 : c 0%nat = 1).
Hypothesis c_large : forall k, (k < K)%nat -> k <> 0%nat -> c k = 1 -> 2 * eta <= gap k.
Definition mixture s := sum K (fun k => c k * exp (- eta * s k)).
Definition phi x := ln (mixture (fun k => x * gap k)).

Lemma c_bounds k : 0 <= c k <= 1.
Proof. destruct (c_01 k); lra. Qed.

Lemma mixture_pos s : 0 < mixture s.
Proof.
  apply Rlt_le_trans with (c 0%nat * exp (- eta * s 0%nat)).
  - rewrite c_0, Rmult_1_l. apply exp_pos.
  - apply sum_one with (f := fun k => c k * exp (- eta * s k)); auto.
    intros. apply Rmult_le_pos; [apply c_bounds | left; apply exp_pos].
Qed.

(* Leaving actions out never lowers another one's chance. *)
Lemma leave_out s k : (k < K)%nat ->
  softmax eta K s k * c k <= c k * exp (- eta * (s k - s 0%nat)) / mixture (fun k => s k - s 0%nat).
Proof.
  intros Hk. rewrite (softmax_shift eta K s (fun k => s k - s 0%nat) (s 0%nat)) by (auto; intros; ring).
  unfold softmax, weight. pose proof (mixture_pos (fun k => s k - s 0%nat)) as P.
  set (e := exp _).
  replace (e / _ * c k) with (c k * e / sum K (fun k0 => exp (- eta * (s k0 - s 0%nat)))) by (unfold Rdiv; ring).
  apply Rmult_le_compat_l.
  - apply Rmult_le_pos; [apply c_bounds | left; apply exp_pos].
  - apply Rinv_le_contravar; auto. apply sum_le. intros i _. pose proof (exp_pos (- eta * (s i - s 0%nat))).
    pose proof (c_bounds i). nra.
Qed.

Variable n : nat.
Let N := INR n.
Let V k := if Nat.eqb k 0 then 0 else N * (gap k / 2 - kappa * eta).

Lemma N_nonneg : 0 <= N. Proof. apply pos_INR. Qed.

(* Convexity, for given sums. *)
Lemma step_a s :
  N * ((1 - kappa) / 2) * eta * sum K (fun k => softmax eta K s k * (c k * gap k)) <=
  ln (mixture (fun k => s k - s 0%nat - V k)) - ln (mixture (fun k => s k - s 0%nat)).
Proof.
  pose proof (mixture_pos (fun k => s k - s 0%nat)) as P.
  pose proof (ln_sum_convex K (fun k => c k * exp (- eta * (s k - s 0%nat))) (fun k => eta * V k)) as C.
  cbv beta in C.
  fold (mixture (fun k => s k - s 0%nat)) in C.
  rewrite (sum_ext K (fun k => c k * exp (- eta * (s k - s 0%nat)) * exp (eta * V k))
                     (fun k => c k * exp (- eta * (s k - s 0%nat - V k)))) in C.
  2:{ intros. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
  fold (mixture (fun k => s k - s 0%nat - V k)) in C.
  eapply Rle_trans; [|apply C; auto; intros; apply Rmult_le_pos; [apply c_bounds | left; apply exp_pos]].
  rewrite <- sum_scal. apply sum_le. intros k Hk.
  pose proof N_nonneg. pose proof (leave_out s k Hk) as Q. pose proof (gap_nonneg k Hk).
  assert (S0 : 0 <= softmax eta K s k) by (now apply softmax_nonneg).
  destruct (c_01 k) as [Z|Z].
  { rewrite Z in *. right. unfold Rdiv. ring. }
  destruct (Nat.eq_dec k 0) as [->|Hk0].
  { unfold V. rewrite gap_0. simpl. right. ring. }
  pose proof (c_large k Hk Hk0 Z).
  assert (HV : N * ((1 - kappa) / 2) * gap k <= V k).
  { unfold V. destruct (Nat.eqb_spec k 0); [lia|]. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. nra. }
  set (p := c k * exp _ / _) in *.
  replace (N * ((1 - kappa) / 2) * eta * (softmax eta K s k * (c k * gap k)))
    with (softmax eta K s k * c k * (eta * (N * ((1 - kappa) / 2) * gap k))) by (field; lra).
  apply Rmult_le_compat; auto.
  - rewrite Z, Rmult_1_r. auto.
  - repeat apply Rmult_le_pos; lra.
  - apply Rmult_le_compat_l; lra.
Qed.

(* Jensen's inequality and Hoeffding's lemma. *)
Lemma step_b : M n (fun s => ln (mixture (fun k => s k - s 0%nat - V k))) zero <= phi (N / 2).
Proof.
  set (f := fun s => mixture (fun k => s k - s 0%nat - V k)).
  assert (B : M n f zero = sum K (fun k => c k * exp (eta * V k) * factor m w v eta k 0 ^ n)).
  { unfold f, mixture. rewrite mean_sum by auto. apply sum_ext. intros k _.
    rewrite (mean_ext m w v L n _ (fun s => c k * exp (eta * V k) * exp (- eta * (s k - s 0%nat)))).
    - rewrite mean_scal, mean_exp. unfold zero. replace (- eta * (0 - 0)) with 0 by ring.
      rewrite exp_0. ring.
    - intros s. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
  assert (P : 0 < M n f zero).
  { apply Rlt_le_trans with (M n (fun _ => 0) zero + 0 + 1 * (c 0%nat * exp (eta * V 0) * factor m w v eta 0 0 ^ n)).
    - rewrite mean_const, factor_same, pow1, c_0 by auto. pose proof (exp_pos (eta * V 0)). lra.
    - rewrite mean_const by auto. rewrite B.
      replace (0 + 0 + 1 * _) with (c 0%nat * exp (eta * V 0) * factor m w v eta 0 0 ^ n) by ring.
      apply sum_one with (f := fun k => c k * exp (eta * V k) * factor m w v eta k 0 ^ n); auto.
      intros. apply Rmult_le_pos.
      + apply Rmult_le_pos; [apply c_bounds | left; apply exp_pos].
      + apply pow_le. apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [now apply L | left; apply exp_pos]. }
  eapply Rle_trans; [apply mean_ln with (f := f); auto; intros; apply mixture_pos|].
  apply ln_le; auto. rewrite B. unfold mixture. apply sum_le. intros k Hk.
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply c_bounds|].
  unfold V. destruct (Nat.eqb_spec k 0) as [->|Hk0].
  - rewrite factor_same, pow1, gap_0, Rmult_0_r, Rmult_0_r, Rmult_0_r, Rmult_1_r by auto. lra.
  - eapply Rle_trans; [apply Rmult_le_compat_l; [left; apply exp_pos | apply factor_pow; auto]|].
    rewrite <- exp_plus. apply exp_le. fold N. right. field.
Qed.

Lemma step_c : phi N <= M n (fun s => ln (mixture (fun k => s k - s 0%nat))) zero.
Proof.
  set (a := fun k => c k * exp (- eta * (N * gap k))).
  apply Rle_trans with
    (M n (fun s => phi N + sum K (fun k => a k / sum K a * (eta * N * gap k) + - (a k / sum K a * eta) * (s k - s 0%nat))) zero).
  - rewrite mean_plus, mean_const, mean_sum by auto.
    rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_const; lra|].
    intros k _. rewrite mean_plus, mean_const, mean_scal, mean_lead by auto. unfold zero. fold (gap k) N. ring.
  - apply mean_le; auto. intros s.
    pose proof (ln_sum_convex K a (fun k => eta * (N * gap k - (s k - s 0%nat)))) as C.
    cbv beta in C.
    rewrite (sum_ext K (fun k => a k * exp (eta * (N * gap k - (s k - s 0%nat))))
                       (fun k => c k * exp (- eta * (s k - s 0%nat)))) in C.
    2:{ intros. unfold a. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
    fold (mixture (fun k => s k - s 0%nat)) in C.
    unfold phi, mixture at 1. fold a.
    rewrite (sum_ext K (fun k => a k / sum K a * (eta * N * gap k) + - (a k / sum K a * eta) * (s k - s 0%nat))
                       (fun k => a k / sum K a * (eta * (N * gap k - (s k - s 0%nat))))) by (intros; ring).
    assert (sum K (fun k => a k / sum K a * (eta * (N * gap k - (s k - s 0%nat)))) <=
            ln (mixture (fun k => s k - s 0%nat)) - ln (sum K a)).
    { apply C.
      - intros. apply Rmult_le_pos; [apply c_bounds | left; apply exp_pos].
      - apply (mixture_pos (fun k => N * gap k)). }
    lra.
Qed.

Lemma large_gaps :
  2 * N * M n (fun s => sum K (fun k => softmax eta K s k * (c k * gap k))) zero <=
  4 / ((1 - kappa) * eta) * (phi (N / 2) - phi N).
Proof.
  apply Rle_trans with (4 / ((1 - kappa) * eta) * (N * ((1 - kappa) / 2) * eta * M n (fun s => sum K (fun k => softmax eta K s k * (c k * gap k))) zero)).
  - right. field. lra.
  - apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; nra|].
    rewrite <- mean_scal.
    eapply Rle_trans; [apply mean_le; [auto | intros s; apply step_a]|].
    rewrite (mean_ext m w v L n _ (fun s => ln (mixture (fun k => s k - s 0%nat - V k)) +
                                 -1 * ln (mixture (fun k => s k - s 0%nat)))) by (intros; ring).
    rewrite mean_plus, mean_scal by auto. pose proof step_b. pose proof step_c. lra.
Qed.

Lemma phi_top x : 0 <= x -> phi x <= ln (INR K).
Proof.
  intros Hx. apply ln_le; [apply mixture_pos|].
  apply Rle_trans with (sum K (fun _ => 1)); [|rewrite sum_const; lra].
  apply sum_le. intros k Hk. pose proof (c_bounds k). pose proof (gap_nonneg k Hk).
  assert (0 <= eta * (x * gap k)) by (repeat apply Rmult_le_pos; lra).
  assert (exp (- eta * (x * gap k)) <= 1).
  { apply Rle_trans with (exp 0); [apply exp_le; lra | rewrite exp_0; lra]. }
  pose proof (exp_pos (- eta * (x * gap k))). nra.
Qed.

Lemma phi_nonneg x : 0 <= phi x.
Proof.
  rewrite <- ln_1. apply ln_le; [lra|].
  apply Rle_trans with (c 0%nat * exp (- eta * (x * gap 0))).
  - rewrite c_0, gap_0, Rmult_0_r, Rmult_0_r, exp_0. lra.
  - apply sum_one with (f := fun k => c k * exp (- eta * (x * gap k))); auto.
    intros; apply Rmult_le_pos; [apply c_bounds | left; apply exp_pos].
Qed.

(* The chance of an action with a small gap. *)
Lemma small_chance u k : (k < K)%nat -> 0 <= u -> u * gap k <= eta ->
  M n (fun s => softmax eta K s k) zero <= exp (- ((u - kappa * (u * u)) * (gap k * gap k)) * N).
Proof.
  intros Hk Hu Hg. assert (Hy : 0 <= u * gap k) by (apply Rmult_le_pos; auto).
  apply Rle_trans with (M n (fun s => exp (- (u * gap k) * (s k - s 0%nat))) zero).
  - apply mean_le; auto. intros s. set (x := s k - s 0%nat).
    pose proof (softmax_total eta K s HK) as T1.
    destruct (Rle_dec 0 x) as [Hx|Hx].
    + apply Rle_trans with (exp (- eta * x)); [|apply exp_le; nra].
      unfold softmax. pose proof (total_pos eta K s HK) as Z.
      apply Rmult_le_reg_r with (sum K (weight eta s)); auto.
      replace (weight eta s k / _ * _) with (weight eta s k) by (field; lra).
      replace (weight eta s k) with (exp (- eta * x) * weight eta s 0)
        by (unfold weight, x; rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_l; [left; apply exp_pos|].
      apply sum_one with (f := weight eta s); auto. intros; left; apply weight_pos.
    + apply Rle_trans with 1.
      * rewrite <- T1. apply sum_one with (f := softmax eta K s); auto. intros; now apply softmax_nonneg.
      * apply Rle_trans with (exp 0); [rewrite exp_0; lra | apply exp_le; nra].
  - rewrite mean_exp. unfold zero. replace (- (u * gap k) * (0 - 0)) with 0 by ring.
    rewrite exp_0, Rmult_1_l. destruct (Nat.eq_dec k 0) as [->|Hk0].
    + rewrite factor_same, pow1, gap_0 by auto.
      replace (- _ * N) with 0 by ring. rewrite exp_0. lra.
    + eapply Rle_trans; [apply factor_pow; auto|]. fold N. apply exp_le. right. field.
Qed.
End Epoch.

(* ---------------------------------------------------------------- regret is a sum over epochs *)

Section Regret.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta : R) (K : nat).
Hypothesis L : loss_distribution m w v.

(* The mean of g of the action chosen for epoch r. *)
Definition choice_mean (g : nat -> R) r :=
  match r with
  | O => sum K (fun k => / INR K * g k)
  | S q => mean m w v (2 ^ q) (fun s => sum K (fun k => softmax eta K s k * g k)) (fun _ => 0)
  end.

Lemma regret_by_epochs g T l :
  mean_over_tables m w v T 1 (fun l => sum T (fun i => sum K (fun k => whole_epoch_learner eta K l (S i) k * g k))) l =
  sum T (fun i => choice_mean g (Nat.log2 (S i))).
Proof.
  rewrite expect_sum by auto. apply sum_ext. intros i Hi. unfold whole_epoch_learner, learner_of.
  pose proof (Nat.log2_spec (S i) ltac:(lia)) as [H _].
  destruct (Nat.log2 (S i)) as [|q]; simpl softmax_choice; [now apply expect_const|].
  rewrite Nat.pow_succ_r' in H.
  exact (expect_prefix m w v L q (2 ^ q) T (fun s => sum K (fun k => softmax eta K s k * g k)) l ltac:(lia)).
Qed.

Lemma law_permuted p : loss_distribution m w (fun i k => v i (p k)).
Proof. destruct L as (A & B & C). repeat split; auto; apply C. Qed.
End Regret.

Lemma choice_mean_permuted m w v eta K p g r : loss_distribution m w v -> permutes K p ->
  choice_mean m w (fun i k => v i (p k)) eta K (fun k => g (p k)) r = choice_mean m w v eta K g r.
Proof.
  intros L H. destruct r as [|q]; simpl.
  - destruct H as (_ & _ & _ & P). exact (P (fun k => / INR K * g k)).
  - rewrite (mean_permuted m w v p (2 ^ q) (fun s => sum K (fun k => softmax eta K s k * g (p k))) (fun _ => 0)).
    apply mean_ext; auto. intros s. now apply softmax_gap_permuted.
Qed.

(* A best action in the order of the means: it is first, and gaps stay. *)
Lemma best_first K mu best Delta p : best_with_gap K mu best Delta -> permutes K p ->
  (forall j k, (j <= k < K)%nat -> mu (p j) <= mu (p k)) ->
  mu (p 0%nat) = mu best /\ forall k, (k < K)%nat -> mu (p k) - mu best = 0 \/ Delta <= mu (p k) - mu best.
Proof.
  intros (Hb & HD & Best & Gap) (P1 & P2 & _) Rise. split.
  - destruct (P2 best Hb) as (k & Hk & E). pose proof (Rise 0%nat k ltac:(lia)). rewrite E in *.
    pose proof (Best (p 0%nat) (P1 0%nat ltac:(lia))). lra.
  - intros k Hk. pose proof (Best (p k) (P1 k Hk)). destruct (Req_dec (mu (p k)) (mu best)); [left; lra|].
    right. apply Gap; [now apply P1 | lra].
Qed.

(* ---------------------------------------------------------------- all together *)

Section All.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta Delta : R) (K : nat).
Hypotheses (L : loss_distribution m w v) (eta_pos : 0 < eta) (HK : (2 <= K)%nat) (Delta_pos : 0 < Delta).
Let gap k := sum m (fun i => w i * v i k) - sum m (fun i => w i * v i 0%nat).
Hypothesis sorted : forall j k, (j <= k < K)%nat -> gap j <= gap k.
Hypothesis least : forall k, (k < K)%nat -> gap k = 0 \/ Delta <= gap k.
Notation M := (mean m w v).
Let zero : nat -> R := fun _ => 0.

Lemma all_gap_0 : gap 0 = 0.
Proof. unfold gap. ring. Qed.

Lemma all_gap k : (k < K)%nat -> 0 <= gap k <= 1.
Proof.
  intros Hk. split; [rewrite <- all_gap_0; apply sorted; lia|].
  destruct L as (W & W1 & B). unfold gap.
  assert (sum m (fun i => w i * v i k) <= 1).
  { rewrite <- W1. apply sum_le. intros i Hi. specialize (W i Hi). specialize (B i k). nra. }
  assert (0 <= sum m (fun i => w i * v i 0%nat)).
  { apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [auto | apply B]. }
  lra.
Qed.

Definition epoch_gap := choice_mean m w v eta K gap.

Lemma epoch_gap_nonneg r : 0 <= epoch_gap r.
Proof.
  assert (0 < / INR K) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
  destruct r as [|q]; simpl.
  - apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [lra | now apply all_gap].
  - apply Rle_trans with (M (2 ^ q) (fun _ => 0) zero); [rewrite mean_const by auto; lra|].
    apply mean_le; auto. intros s. apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [apply softmax_nonneg; lia | now apply all_gap].
Qed.

Lemma epoch_gap_0 : epoch_gap 0 <= 1.
Proof.
  assert (0 < INR K) by (apply lt_0_INR; lia). simpl.
  apply Rle_trans with (sum K (fun _ => / INR K)).
  - apply sum_le. intros k Hk. pose proof (all_gap k Hk).
    assert (0 < / INR K) by (now apply Rinv_0_lt_compat). nra.
  - rewrite sum_const. right. field; lra.
Qed.

Variable kappa : R.
Hypothesis kappa_bounds : 0 <= kappa <= 1 / 2.
Hypothesis fluctuation : forall x k, (k < K)%nat -> k <> 0%nat ->
  factor m w v x k 0 <= exp (- x * gap k + kappa * (x * x)).

(* The chance of a gap of at least that of action j, among actions 0, ..., J - 1. *)
Lemma tail_chance u J n j :
  0 <= u <= 1 -> (J <= K)%nat -> (forall k, (k < J)%nat -> u * gap k <= eta) -> (1 <= j < J)%nat ->
  sum (J - j) (fun i => M n (fun s => softmax eta K s (j + i)%nat) zero) <=
  Rmin 1 (INR (K - 1) * exp (- ((u - kappa * (u * u)) * (gap j * gap j)) * INR n)).
Proof.
  intros Hu HJ Small Hj. apply Rmin_glb.
  - rewrite <- mean_sum by auto.
    rewrite <- (mean_const m w v L n 1 zero). apply mean_le; auto. intros s.
    rewrite <- (softmax_total eta K s ltac:(lia)).
    replace (sum K (softmax eta K s)) with (sum (j + ((J - j) + (K - J))) (softmax eta K s))
      by (f_equal; lia).
    rewrite !sum_app.
    assert (0 <= sum j (softmax eta K s)) by (apply sum_nonneg; intros; apply softmax_nonneg; lia).
    assert (0 <= sum (K - J) (fun i => softmax eta K s (j + (J - j + i))%nat))
      by (apply sum_nonneg; intros; apply softmax_nonneg; lia). lra.
  - apply Rle_trans with (sum (J - j) (fun _ => exp (- ((u - kappa * (u * u)) * (gap j * gap j)) * INR n))).
    + apply sum_le. intros i Hi.
      eapply Rle_trans; [apply (small_chance m w v eta K L ltac:(lia) (fun k Hk => proj1 (all_gap k Hk)) kappa fluctuation) with (u := u); try (apply Small; lia); try lia; lra|].
      apply exp_le. fold (gap (j + i)%nat).
        pose proof (sorted j (j + i) ltac:(lia)). pose proof (all_gap j ltac:(lia)). pose proof (pos_INR n).
        assert (gap j * gap j <= gap (j + i)%nat * gap (j + i)%nat) by nra.
        assert (0 <= u - kappa * (u * u)) by nra.
        assert ((u - kappa * (u * u)) * (gap j * gap j) <= (u - kappa * (u * u)) * (gap (j + i)%nat * gap (j + i)%nat))
          by (apply Rmult_le_compat_l; lra).
        assert (0 <= ((u - kappa * (u * u)) * (gap (j + i)%nat * gap (j + i)%nat) - (u - kappa * (u * u)) * (gap j * gap j)) * INR n)
          by (apply Rmult_le_pos; lra). lra.
    + rewrite sum_const. apply Rmult_le_compat_r; [left; apply exp_pos|].
      apply le_INR. lia.
Qed.

(* Actions 0, ..., J - 1 have gaps of at most 2 eta, the others of at least 2 eta. *)
Section Split.
Variable J : nat.
Hypotheses (HJ : (J <= K)%nat) (Small : forall k, (k < J)%nat -> gap k <= 2 * eta).
Hypothesis Large : forall k, (J <= k < K)%nat -> 2 * eta <= gap k.

(* What the actions with small gaps cost in epoch q + 1. *)
Definition tail q := sum J (fun j => (gap j - gap (j - 1)%nat) *
  (INR (2 ^ S q) * Rmin 1 (INR (K - 1) * exp (- ((1 / 2 - kappa / 4) * (gap j * gap j)) * INR (2 ^ q))))).

Lemma steps j : (j < J)%nat -> 0 <= gap j - gap (j - 1)%nat.
Proof. intros Hj. pose proof (sorted (j - 1) j ltac:(lia)). lra. Qed.

Lemma split_bound T :
  sum T (fun i => epoch_gap (Nat.log2 (S i))) <= 1 + 4 / ((1 - kappa) * eta) * ln (INR K) + sum T tail.
Proof.
  set (c := fun k => if Nat.eqb k 0 then 1 else if Nat.ltb k J then 0 else 1).
  assert (C1 : forall k, c k = 0 \/ c k = 1).
  { intros k. unfold c. destruct (Nat.eqb k 0); auto. destruct (Nat.ltb k J); auto. }
  assert (C2 : forall k, (k < K)%nat -> k <> 0%nat -> c k = 1 -> 2 * eta <= gap k).
  { intros k Hk H0 H. unfold c in H. destruct (Nat.eqb_spec k 0); [lia|].
    destruct (Nat.ltb_spec k J); [lra|]. apply Large; lia. }
  set (f := phi m w v eta K c).
  assert (One : forall q, INR (2 ^ S q) * epoch_gap (S q) <=
                  4 / ((1 - kappa) * eta) * (f (INR (2 ^ q) / 2) - f (INR (2 ^ S q) / 2)) + tail q).
  { intros q. pose proof (large_gaps m w v eta K L eta_pos ltac:(lia)
      (fun k Hk => proj1 (all_gap k Hk)) kappa kappa_bounds fluctuation c C1 eq_refl C2 (2 ^ q)) as Lg. cbv zeta in Lg. fold f in Lg.
    rewrite Nat.pow_succ_r', mult_INR. change (INR 2) with 2. set (N := INR (2 ^ q)) in *.
    replace (2 * N / 2) with N by field.
    assert (HN : 0 <= N) by apply pos_INR.
    assert (Split : epoch_gap (S q) <=
       M (2 ^ q) (fun s => sum K (fun k => softmax eta K s k * (c k * gap k))) zero +
       M (2 ^ q) (fun s => sum J (fun k => softmax eta K s k * gap k)) zero).
    { rewrite <- mean_plus. apply mean_le; auto. intros s.
      replace (sum K (fun k => softmax eta K s k * gap k)) with
        (sum J (fun k => softmax eta K s k * gap k) +
         sum (K - J) (fun i => softmax eta K s (J + i)%nat * gap (J + i)%nat))
        by (rewrite <- sum_app; f_equal; lia).
      replace (sum K (fun k => softmax eta K s k * (c k * gap k))) with
        (sum J (fun k => softmax eta K s k * (c k * gap k)) +
         sum (K - J) (fun i => softmax eta K s (J + i)%nat * (c (J + i)%nat * gap (J + i)%nat)))
        by (rewrite <- sum_app; f_equal; lia).
      assert (0 <= sum J (fun k => softmax eta K s k * (c k * gap k))).
      { apply sum_nonneg. intros k Hk. apply Rmult_le_pos; [apply softmax_nonneg; lia|].
        apply Rmult_le_pos; [destruct (C1 k); lra | apply all_gap; lia]. }
      assert (sum (K - J) (fun i => softmax eta K s (J + i)%nat * gap (J + i)%nat) <=
              sum (K - J) (fun i => softmax eta K s (J + i)%nat * (c (J + i)%nat * gap (J + i)%nat))).
      { apply sum_le. intros i Hi. unfold c. destruct (Nat.eqb_spec (J + i) 0).
        - lra.
        - destruct (Nat.ltb_spec (J + i) J); [lia | lra]. }
      lra. }
    assert (Sm : 2 * N * M (2 ^ q) (fun s => sum J (fun k => softmax eta K s k * gap k)) zero <= tail q).
    { rewrite mean_sum by auto.
      rewrite (sum_ext J _ (fun k => M (2 ^ q) (fun s => softmax eta K s k) zero * gap k)).
      2:{ intros k _. rewrite Rmult_comm, <- mean_scal. apply mean_ext; auto. intros; ring. }
      rewrite abel by apply all_gap_0. rewrite <- sum_scal. unfold tail. apply sum_le. intros j Hj.
      rewrite Nat.pow_succ_r', mult_INR. change (INR 2) with 2. fold N.
      destruct (Nat.eq_dec j 0) as [->|Hj0].
      { simpl. rewrite Rminus_diag_eq by auto. right. ring. }
      pose proof (tail_chance (1 / 2) J (2 ^ q) j ltac:(lra) HJ
        (fun k Hk => ltac:(specialize (Small k Hk); lra)) ltac:(lia)) as TC.
      replace (1 / 2 - kappa * (1 / 2 * (1 / 2))) with (1 / 2 - kappa / 4) in TC by field. fold N in TC.
      pose proof (steps j Hj) as Steps.
      replace (2 * N * ((gap j - gap (j - 1)%nat) * sum (J - j) (fun i => M (2 ^ q) (fun s => softmax eta K s (j + i)%nat) zero)))
        with ((gap j - gap (j - 1)%nat) * (2 * N * sum (J - j) (fun i => M (2 ^ q) (fun s => softmax eta K s (j + i)%nat) zero))) by ring.
      apply Rmult_le_compat_l; auto. apply Rmult_le_compat_l; [lra | auto]. }
    fold zero gap in Lg. unfold zero in *. nra. }
  apply Rle_trans with (sum (2 ^ S T - 1) (fun i => epoch_gap (Nat.log2 (S i)))).
  - apply sum_longer; [|intros; apply epoch_gap_nonneg].
    pose proof (Nat.pow_gt_lin_r 2 (S T) ltac:(lia)). lia.
  - rewrite sum_epochs. change (S T) with (1 + T)%nat. rewrite sum_app. cbn [sum].
    change (INR (2 ^ 0)) with 1. pose proof epoch_gap_0.
    assert (sum T (fun q => INR (2 ^ (1 + q)) * epoch_gap (1 + q)) <=
            4 / ((1 - kappa) * eta) * ln (INR K) + sum T tail); [|lra].
    eapply Rle_trans; [apply sum_le; intros q _; apply One|].
    rewrite sum_plus, sum_scal, (sum_telescope T (fun q => f (INR (2 ^ q) / 2))).
    assert (f (INR (2 ^ 0) / 2) <= ln (INR K)).
    { apply phi_top; auto; try lia. intros; now apply all_gap. simpl; lra. }
    assert (0 <= f (INR (2 ^ T) / 2)) by (apply phi_nonneg; auto; lia).
    assert (0 < 4 / ((1 - kappa) * eta)) by (apply Rdiv_lt_0_compat; nra). nra.
Qed.

Lemma tails_bound T : sum T tail <= 8 / (1 / 2 - kappa / 4) * (ln (INR (K - 1)) + 1) / Delta.
Proof.
  unfold tail. rewrite sum_swap.
  assert (HB : 1 <= INR (K - 1)) by (apply (le_INR 1); lia).
  assert (Hln : 0 <= ln (INR (K - 1))) by (rewrite <- ln_1; apply ln_le; lra).
  apply Rle_trans with (sum J (fun j => 4 / (1 / 2 - kappa / 4) * (ln (INR (K - 1)) + 1) * ((gap j - gap (j - 1)%nat) / (gap j * gap j)))).
  - apply sum_le. intros j Hj. rewrite sum_scal.
    destruct (least j ltac:(lia)) as [Z|Z].
    + pose proof (sorted (j - 1) j ltac:(lia)). pose proof (all_gap (j - 1)%nat ltac:(lia)).
      replace (gap j - gap (j - 1)%nat) with 0 by lra. unfold Rdiv. lra.
    + assert (Hc : 0 < (1 / 2 - kappa / 4) * (gap j * gap j)) by nra.
      pose proof (tail_sum (INR (K - 1)) ((1 / 2 - kappa / 4) * (gap j * gap j)) HB Hc T) as TS.
      apply Rle_trans with ((gap j - gap (j - 1)%nat) * (4 * ((ln (INR (K - 1)) + 1) / ((1 / 2 - kappa / 4) * (gap j * gap j))))).
      * apply Rmult_le_compat_l; [now apply steps | auto].
      * right. field. nra.
  - rewrite sum_scal.
    apply Rle_trans with (4 / (1 / 2 - kappa / 4) * (ln (INR (K - 1)) + 1) * (2 / Delta)).
    + apply Rmult_le_compat_l.
      * apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat|]; lra.
      * apply gaps_sum; auto using all_gap_0.
        -- intros; apply sorted; lia.
        -- intros; apply least; lia.
    + right. field. lra.
Qed.

Lemma tails_none T : (forall j, (j < J)%nat -> gap j = 0) -> sum T tail = 0.
Proof.
  intros H. rewrite (sum_ext T _ (fun _ => 0)); [rewrite sum_const; ring|]. intros q _. unfold tail.
  rewrite (sum_ext J _ (fun _ => 0)); [rewrite sum_const; ring|]. intros j Hj.
  rewrite (H j Hj), (H (j - 1)%nat) by lia. ring.
Qed.
End Split.

Lemma iid_bound T :
  sum T (fun i => epoch_gap (Nat.log2 (S i))) <=
  1 + 8 / (1 / 2 - kappa / 4) * (ln (INR (K - 1)) + 1) / Delta + 4 / ((1 - kappa) * eta) * ln (INR K).
Proof.
  destruct (split_rising K gap (2 * eta) sorted) as (J & HJ & Small & Large).
  pose proof (split_bound J HJ Small Large T). pose proof (tails_bound J HJ T). lra.
Qed.

(* The term in 1/Delta is needed only if a positive gap is below 2 eta. *)
Lemma iid_bound_large T : (forall k, (k < K)%nat -> gap k = 0 \/ 2 * eta <= gap k) ->
  sum T (fun i => epoch_gap (Nat.log2 (S i))) <= 1 + 4 / ((1 - kappa) * eta) * ln (INR K).
Proof.
  intros G. destruct (split_rising K gap eta sorted) as (J & HJ & Small & Large).
  assert (Small2 : forall k, (k < J)%nat -> gap k <= 2 * eta) by (intros k Hk; specialize (Small k Hk); lra).
  assert (Large2 : forall k, (J <= k < K)%nat -> 2 * eta <= gap k).
  { intros k Hk. specialize (Large k Hk). pose proof (G k ltac:(lia)) as [Z|Z]; lra. }
  pose proof (split_bound J HJ Small2 Large2 T) as B. rewrite tails_none in B; auto; [lra|].
  intros j Hj. specialize (Small j Hj). pose proof (G j ltac:(lia)) as [Z|Z]; lra.
Qed.
End All.

(* ---------------------------------------------------------------- in any order of the actions *)

Section Any.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R) (eta Delta kappa : R) (K best : nat).
Notation mu := (mean_loss m w v).
Hypotheses (L : loss_distribution m w v) (eta_pos : 0 < eta) (HK : (2 <= K)%nat) (G : best_with_gap K mu best Delta).
Hypothesis kappa_bounds : 0 <= kappa <= 1 / 2.
Hypothesis fluctuation : forall x j k, (j < K)%nat -> (k < K)%nat -> j <> k ->
  factor m w v x k j <= exp (- x * (mu k - mu j) + kappa * (x * x)).

Lemma any_bound T : expected_regret m w v K (whole_epoch_learner eta K) best T <=
  1 + 8 / (1 / 2 - kappa / 4) * (ln (INR (K - 1)) + 1) / Delta + 4 / ((1 - kappa) * eta) * ln (INR K).
Proof.
  unfold expected_regret, pseudo_regret. rewrite regret_by_epochs by auto.
  destruct (sorting K mu) as (p & P & Rise). destruct (best_first K mu best Delta p G P Rise) as [F Gap].
  pose proof P as (P1 & P2 & I & P3).
  rewrite (sum_ext T _ (fun i => epoch_gap m w (fun i k => v i (p k)) eta K (Nat.log2 (S i)))).
  - apply iid_bound; auto using law_permuted; try (now destruct G).
    + intros j k Hjk. pose proof (Rise j k Hjk). unfold mean_loss in *. lra.
    + intros k Hk. specialize (Gap k Hk). unfold mean_loss in *. lra.
    + intros x k Hk H0. exact (fluctuation x (p 0%nat) (p k) (P1 0%nat ltac:(lia)) (P1 k Hk) (I 0%nat k ltac:(lia) Hk ltac:(lia))).
  - intros i _. unfold epoch_gap. rewrite <- (choice_mean_permuted m w v eta K p) by auto.
    f_equal. extensionality k. unfold mean_loss in *. lra.
Qed.

Lemma any_bound_large T : (forall k, (k < K)%nat -> mu best < mu k -> 2 * eta <= mu k - mu best) ->
  expected_regret m w v K (whole_epoch_learner eta K) best T <= 1 + 4 / ((1 - kappa) * eta) * ln (INR K).
Proof.
  intros Large. unfold expected_regret, pseudo_regret. rewrite regret_by_epochs by auto.
  destruct (sorting K mu) as (p & P & Rise). destruct (best_first K mu best Delta p G P Rise) as [F Gap].
  pose proof P as (P1 & P2 & I & P3).
  rewrite (sum_ext T _ (fun i => epoch_gap m w (fun i k => v i (p k)) eta K (Nat.log2 (S i)))).
  - apply iid_bound_large with (kappa := kappa); auto using law_permuted; try (now destruct G).
    + intros j k Hjk. pose proof (Rise j k Hjk). unfold mean_loss in *. lra.
    + intros x k Hk H0. exact (fluctuation x (p 0%nat) (p k) (P1 0%nat ltac:(lia)) (P1 k Hk) (I 0%nat k ltac:(lia) Hk ltac:(lia))).
    + intros k Hk. specialize (Gap k Hk). pose proof (Large (p k) (P1 k Hk)) as Q. destruct G as (_ & _ & Best & _).
      pose proof (Best (p k) (P1 k Hk)). unfold mean_loss in *. destruct Gap as [Gap|Gap]; [left; lra|].
      right. rewrite F. apply Q. destruct G as (_ & HD & _). lra.
  - intros i _. unfold epoch_gap. rewrite <- (choice_mean_permuted m w v eta K p) by auto.
    f_equal. extensionality k. unfold mean_loss in *. lra.
Qed.
End Any.
