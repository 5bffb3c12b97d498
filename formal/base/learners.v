(* Tables of losses, learners that choose once an epoch, their regret, and privacy of their actions. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums.
Local Open Scope R_scope.

(* ---------------------------------------------------------------- tables and epochs *)

(* A table has the loss l t k of action k = 0, ..., K - 1 in round t = 1, 2, 3, ... *)
Definition table := nat -> nat -> R.
Definition in_every_round (mu : nat -> R) : table := fun t => mu.

(* Epoch r = 0, 1, 2, ... has the rounds 2^r, ..., 2^(r+1) - 1, so that round t is in epoch log2 t, rounded down.
   The sum of the losses of action k over epoch r: *)
Definition sums (l : table) (r k : nat) : R := sum (2 ^ r) (fun i => l (2 ^ r + i)%nat k).

(* A learner: p l t k is the chance that it plays action k in round t on the table l. *)
Definition learner := table -> nat -> nat -> R.
(* The chances of a round are not negative and add up to 1. *)
Definition has_law (K : nat) (p : learner) : Prop :=
  forall l t, (forall k, (k < K)%nat -> 0 <= p l t k) /\ sum K (p l t) = 1.
(* The action of round t depends on the losses of rounds 1, ..., t - 1 alone. *)
Definition causal (p : learner) : Prop := forall l l' t k,
  (forall u j, (1 <= u < t)%nat -> l u j = l' u j) -> p l t k = p l' t k.

(* Some learners choose once an epoch: c l r k is the chance that action k is chosen for epoch r. *)
Definition choice := table -> nat -> nat -> R.
Definition learner_of (c : choice) : learner := fun l t => c l (Nat.log2 t).

(* ---------------------------------------------------------------- softmax of whole epochs *)

(* The chance of action k given the scores s: proportional to e^(- eta s_k). *)
Definition weight (eta : R) (s : nat -> R) (k : nat) : R := exp (- eta * s k).
Definition softmax (eta : R) (K : nat) (s : nat -> R) (k : nat) : R :=
  weight eta s k / sum K (weight eta s).

(* Uniform in epoch 0, then softmax of the last epoch's sums: the noisy leader with Gumbel noise of scale 1 / eta. *)
Definition softmax_choice (eta : R) (K : nat) : choice := fun l r =>
  match r with O => fun _ => / K | S q => softmax eta K (sums l q) end.
Definition whole_epoch_learner (eta : R) (K : nat) : learner := learner_of (softmax_choice eta K).

(* ---------------------------------------------------------------- regret *)

(* The mean gap of the actions of rounds 1, ..., T, where mu are the mean losses and best is a best action;
   p t k is the chance of action k in round t. *)
Definition pseudo_regret (p : nat -> nat -> R) (K : nat) (mu : nat -> R) (best T : nat) : R :=
  sum T (fun i => sum K (fun k => p (S i) k * (mu k - mu best))).

(* ---------------------------------------------------------------- privacy *)

(* Tables that differ in round t0 at most, with losses in [0, 1]. *)
Definition neighbours (l l' : table) (t0 : nat) : Prop :=
  (forall t k, t <> t0 -> l t k = l' t k) /\
  (forall t k, 0 <= l t k <= 1) /\ (forall t k, 0 <= l' t k <= 1).

(* The chance that a 0, ..., a (n - 1) are chosen for epochs 0, ..., n - 1. The adversary may be adaptive: l a is the
   table that follows on the actions a. *)
Definition sequence_chance (c : choice) (l : (nat -> nat) -> table) (n : nat) (a : nat -> nat) : R :=
  prod n (fun r => c (l a) r (a r)).

(* The chance of an event, a finite list of sequences. *)
Definition chance_of_event (p : (nat -> nat) -> R) (event : list (nat -> nat)) : R :=
  fold_right (fun a x => p a + x) 0 event.

(* The sequence of actions is epsilon-differentially private: no event of n epochs is more than e^epsilon times as
   probable if one round is replaced. The adversary may be adaptive, and may choose adaptively which round is replaced. *)
Definition private_sequence (epsilon : R) (K : nat) (c : choice) : Prop := forall l l' t0 n event,
  (forall a, neighbours (l a) (l' a) (t0 a)) ->
  (forall a, In a event -> forall r, (r < n)%nat -> (a r < K)%nat) ->
  chance_of_event (sequence_chance c l n) event <= exp epsilon * chance_of_event (sequence_chance c l' n) event.

(* Each action alone is epsilon-differentially private, which follows if the sequence is. *)
Definition private_actions (epsilon : R) (K : nat) (p : learner) : Prop := forall l l' t0 t k,
  neighbours l l' t0 -> (k < K)%nat -> p l t k <= exp epsilon * p l' t k.

(* ---------------------------------------------------------------- softmax is private *)

Lemma weight_pos eta s k : 0 < weight eta s k.
Proof. apply exp_pos. Qed.

Lemma total_pos eta K s : (0 < K)%nat -> 0 < sum K (weight eta s).
Proof.
  intros. apply Rlt_le_trans with (weight eta s 0); [apply weight_pos|].
  apply sum_one with (f := weight eta s); auto. intros; apply Rlt_le, weight_pos.
Qed.

Lemma weight_private eta s s' i :
  0 <= eta -> Rabs (s i - s' i) <= 1 -> weight eta s i <= exp eta * weight eta s' i.
Proof.
  intros He Hi. unfold weight. rewrite <- exp_plus. apply exp_le.
  assert (-1 <= s i - s' i) by (unfold Rabs in Hi; destruct (Rcase_abs _); lra). nra.
Qed.

Theorem softmax_private : forall eta K s s' k,
  0 <= eta -> (forall i, (i < K)%nat -> Rabs (s i - s' i) <= 1) -> (k < K)%nat ->
  softmax eta K s k <= exp (2 * eta) * softmax eta K s' k.
Proof.
  intros eta K s s' k He Hs Hk. unfold softmax.
  assert (HK : (0 < K)%nat) by lia.
  pose proof (total_pos eta K s HK) as Z. pose proof (total_pos eta K s' HK) as Z'.
  assert (W : weight eta s k <= exp eta * weight eta s' k) by (apply weight_private; auto).
  assert (T : sum K (weight eta s') <= exp eta * sum K (weight eta s)).
  { rewrite <- sum_scal. apply sum_le. intros i Hi. apply weight_private; auto.
    rewrite Rabs_minus_sym; auto. }
  replace (2 * eta) with (eta + eta) by lra. rewrite exp_plus.
  pose proof (exp_pos eta). pose proof (weight_pos eta s' k).
  apply Rmult_le_reg_r with (sum K (weight eta s) * sum K (weight eta s')); [nra|].
  replace (weight eta s k / sum K (weight eta s) * (sum K (weight eta s) * sum K (weight eta s')))
    with (weight eta s k * sum K (weight eta s')) by (field; lra).
  replace (exp eta * exp eta * (weight eta s' k / sum K (weight eta s')) *
           (sum K (weight eta s) * sum K (weight eta s')))
    with ((exp eta * weight eta s' k) * (exp eta * sum K (weight eta s))) by (field; lra).
  apply Rmult_le_compat; auto; left; auto using weight_pos.
Qed.

Lemma softmax_nonneg eta K s k : (0 < K)%nat -> 0 <= softmax eta K s k.
Proof.
  intros. left. apply Rdiv_lt_0_compat; [apply weight_pos | now apply total_pos].
Qed.

Lemma softmax_choice_nonneg eta K l r k : (0 < K)%nat -> 0 <= softmax_choice eta K l r k.
Proof.
  intros. destruct r; [|now apply softmax_nonneg].
  left. apply Rinv_0_lt_compat, lt_0_INR; auto.
Qed.

Lemma softmax_ext eta K s s' k :
  (forall i, s i = s' i) -> softmax eta K s k = softmax eta K s' k.
Proof.
  intros H. unfold softmax, weight. rewrite H. f_equal. apply sum_ext. intros; now rewrite H.
Qed.

(* A round is in one epoch. *)
Lemma other_epoch l l' t0 r k :
  neighbours l l' t0 -> r <> Nat.log2 t0 -> sums l r k = sums l' r k.
Proof.
  intros [H _] Hr. apply sum_ext. intros i Hi. apply H. intros E. apply Hr.
  symmetry. apply Nat.log2_unique; [lia|]. rewrite Nat.pow_succ_r'. lia.
Qed.

Lemma same_epoch l l' t0 r k : neighbours l l' t0 -> Rabs (sums l r k - sums l' r k) <= 1.
Proof.
  intros (H & B & B'). apply sum_differ with (i := (t0 - 2 ^ r)%nat).
  - intros j _ Hj. apply H. lia.
  - pose proof (B (2 ^ r + (t0 - 2 ^ r))%nat k). pose proof (B' (2 ^ r + (t0 - 2 ^ r))%nat k).
    unfold Rabs; destruct (Rcase_abs _); lra.
Qed.


(* What makes a sequence private: each choice is, and only the epoch after the replaced round notices it. *)
Lemma choices_private epsilon K (c : choice) : 0 <= epsilon ->
  (forall l r k, (k < K)%nat -> 0 <= c l r k) ->
  (forall l l' t0 r k, neighbours l l' t0 -> (k < K)%nat -> c l r k <= exp epsilon * c l' r k) ->
  (forall l l' t0 r k, neighbours l l' t0 -> (k < K)%nat -> r <> S (Nat.log2 t0) -> c l r k = c l' r k) ->
  private_sequence epsilon K c.
Proof.
  intros He Pos One Other l l' t0 n event N. induction event as [|a event IH]; simpl; intros Ha; [lra|].
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|now apply IH; auto].
  assert (A : forall r, (r < n)%nat -> (a r < K)%nat) by auto.
  apply prod_differ with (j := S (Nat.log2 (t0 a))); eauto.
  rewrite <- exp_0; apply exp_le; lra.
Qed.

Lemma uniform_pos K : (0 < K)%nat -> 0 < / INR K.
Proof. intros. now apply Rinv_0_lt_compat, lt_0_INR. Qed.

Theorem whole_epochs_private : forall eta K, 0 <= eta -> private_sequence (2 * eta) K (softmax_choice eta K).
Proof.
  intros eta K He. apply choices_private; [lra|..].
  - intros. apply softmax_choice_nonneg. lia.
  - intros l l' t0 r k N Hk. destruct r as [|q]; simpl.
    + pose proof (uniform_pos K ltac:(lia)). assert (1 <= exp (2 * eta)) by (rewrite <- exp_0; apply exp_le; lra). nra.
    + apply softmax_private; auto. intros; now apply same_epoch with t0.
  - intros l l' t0 r k N _ Hr. destruct r as [|q]; [easy|]. apply softmax_ext. intros; apply other_epoch with t0; auto.
Qed.

(* ---------------------------------------------------------------- softmax adds up *)

Lemma softmax_total eta K s : (0 < K)%nat -> sum K (softmax eta K s) = 1.
Proof.
  intros HK. pose proof (total_pos eta K s HK).
  rewrite (sum_ext _ _ (fun k => / sum K (weight eta s) * weight eta s k)).
  - rewrite sum_scal. field; lra.
  - intros; unfold softmax; field; lra.
Qed.

(* The potential ln sum_k exp (- eta s_k) is convex in s: it lies above its tangent at s. *)
Lemma potential_convex eta K s s' :
  (0 < K)%nat ->
  sum K (fun k => softmax eta K s k * (eta * (s k - s' k))) <=
  ln (sum K (weight eta s')) - ln (sum K (weight eta s)).
Proof.
  intros HK. pose proof (total_pos eta K s HK) as Z. pose proof (total_pos eta K s' HK) as Z'.
  set (A := sum K _).
  apply Rplus_le_reg_r with (ln (sum K (weight eta s))).
  replace (_ - _ + _) with (ln (sum K (weight eta s'))) by lra.
  rewrite <- (ln_exp A), <- ln_mult by (auto; apply exp_pos).
  apply ln_le; [apply Rmult_lt_0_compat; auto; apply exp_pos|].
  assert (E : exp A = sum K (fun k => exp A * (softmax eta K s k * (1 + (eta * (s k - s' k) - A))))).
  { rewrite sum_scal.
    rewrite (sum_ext _ _ (fun k => (1 - A) * softmax eta K s k + softmax eta K s k * (eta * (s k - s' k))))
      by (intros; ring).
    rewrite sum_plus, sum_scal, softmax_total by auto. fold A. ring. }
  rewrite E, Rmult_comm, <- sum_scal. apply sum_le. intros k _.
  unfold softmax.
  replace (sum K (weight eta s) * _) with (weight eta s k * (exp A * (1 + (eta * (s k - s' k) - A))))
    by (field; lra).
  replace (weight eta s' k) with (weight eta s k * (exp A * exp (eta * (s k - s' k) - A))).
  - apply Rmult_le_compat_l; [left; apply weight_pos|].
    apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le].
  - unfold weight. rewrite <- !exp_plus. f_equal. ring.
Qed.

(* Scores that all move by c have the same softmax. *)
Lemma softmax_shift eta K s s' c k :
  (forall i, (i < K)%nat -> s i = s' i + c) -> (k < K)%nat -> softmax eta K s k = softmax eta K s' k.
Proof.
  intros H Hk. assert (HK : (0 < K)%nat) by lia. pose proof (total_pos eta K s' HK).
  assert (W : forall i, (i < K)%nat -> weight eta s i = exp (- eta * c) * weight eta s' i).
  { intros i Hi. unfold weight. rewrite H, <- exp_plus by auto. f_equal; ring. }
  unfold softmax. rewrite W, (sum_ext _ _ _ W), sum_scal by auto. field.
  split; [lra|]. apply Rgt_not_eq, exp_pos.
Qed.

(* Rounds 1, ..., 2^n - 1 are epochs 0, ..., n - 1. *)
