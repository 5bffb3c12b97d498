(* The definitions say what they should: chances add up to 1, numbers computed by hand, and learners that meet the
   conditions of the lower bound. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums learners laws.
From Formal Require Import prefix noisy_leader_iid lower_bound.
Local Open Scope R_scope.
Import ListNotations.

(* ---------------------------------------------------------------- chances of action sequences add up to 1 *)

(* g summed over all sequences whose entries before r are those of a, and n further entries *)
Fixpoint sum_over_sequences (K n r : nat) (g : (nat -> nat) -> R) (a : nat -> nat) : R :=
  match n with
  | O => g a
  | S n => sum K (fun k => sum_over_sequences K n (S r) g (fun u => if Nat.eqb u r then k else a u))
  end.

Lemma sequences_scal K n r c g a :
  sum_over_sequences K n r (fun a => c * g a) a = c * sum_over_sequences K n r g a.
Proof.
  revert r a. induction n; simpl; intros r a; [easy|]. rewrite <- sum_scal. apply sum_ext. intros. apply IHn.
Qed.
Lemma sequences_ext K n r g h a : (forall b, (forall u, (u < r)%nat -> b u = a u) -> g b = h b) ->
  sum_over_sequences K n r g a = sum_over_sequences K n r h a.
Proof.
  revert r a. induction n; simpl; intros r a H; [now apply H|].
  apply sum_ext. intros k _. apply IHn. intros b Hb. apply H. intros u Hu. rewrite Hb by lia.
  destruct (Nat.eqb_spec u r); [lia | easy].
Qed.

(* The choice for epoch r reads rounds before the epoch, and the table of a round reads actions before it. *)
Definition causal_choice (c : choice) : Prop := forall l l' r k,
  (forall t j, (1 <= t < 2 ^ r)%nat -> l t j = l' t j) -> c l r k = c l' r k.
Definition reacts (l : (nat -> nat) -> table) : Prop := forall a b r,
  (forall u, (u < r)%nat -> a u = b u) -> forall t k, (1 <= t < 2 ^ r)%nat -> l a t k = l b t k.

Theorem sequences_add_up : forall K c l n, (forall l r, sum K (c l r) = 1) -> causal_choice c -> reacts l ->
  sum_over_sequences K n 0 (sequence_chance c l n) (fun _ => 0%nat) = 1.
Proof.
  intros K c l n One C HR.
  (* n further epochs after r *)
  assert (G : forall n r a, sum_over_sequences K n r (fun b => prod n (fun i => c (l b) (r + i)%nat (b (r + i)%nat))) a = 1).
  { clear n. induction n as [|n IH]; intros r a; [reflexivity|]. cbn [sum_over_sequences].
    transitivity (sum K (fun k => c (l a) r k)); [|apply One].
    apply sum_ext. intros k Hk. set (a' := fun u => if Nat.eqb u r then k else a u).
    rewrite (sequences_ext K n (S r) _ (fun b => c (l a) r k * prod n (fun i => c (l b) (S r + i)%nat (b (S r + i)%nat)))).
    - rewrite sequences_scal, IH. ring.
    - intros b Hb. rewrite (prod_split 1 n). cbn [prod]. rewrite Rmult_1_l, Nat.add_0_r. f_equal.
      + rewrite (Hb r) by lia. unfold a' at 1. rewrite Nat.eqb_refl. apply C. apply HR.
        intros u Hu. rewrite Hb by lia. unfold a'. destruct (Nat.eqb_spec u r); [lia | easy].
      + apply prod_ext. intros i _. now replace (r + (1 + i))%nat with (S r + i)%nat by lia. }
  exact (G n 0%nat (fun _ => 0%nat)).
Qed.

Lemma uniform_total K : (0 < K)%nat -> sum K (fun _ => / INR K) = 1.
Proof. intros. rewrite sum_const. field. apply Rgt_not_eq, lt_0_INR; auto. Qed.

Theorem softmax_choice_is_a_law : forall eta K, (0 < K)%nat ->
  (forall l r, sum K (softmax_choice eta K l r) = 1) /\ causal_choice (softmax_choice eta K).
Proof.
  intros eta K HK. split.
  - intros l r. destruct r; simpl; [now apply uniform_total | now apply softmax_total].
  - intros l l' r k H. destruct r as [|q]; simpl; [easy|]. apply softmax_ext. intros j. apply sum_ext. intros i Hi.
    pose proof (Nat.neq_0_lt_0 (2 ^ q)) as [Z _]. pose proof (Z (Nat.pow_nonzero 2 q ltac:(lia))).
    apply H. rewrite Nat.pow_succ_r'. lia.
Qed.

Theorem prefix_choice_is_a_law : forall eta K, (0 < K)%nat ->
  (forall l r, sum K (prefix_choice eta K l r) = 1) /\ causal_choice (prefix_choice eta K).
Proof.
  intros eta K HK. split.
  - intros l r. destruct r as [|q]; simpl; [now apply uniform_total|]. rewrite sum_scal, sum_swap.
    rewrite (sum_ext _ _ (fun _ => 1)) by (intros; now apply softmax_total). rewrite sum_const.
    pose proof (prefix_count_pos q). field. lra.
  - intros l l' r k H. destruct r as [|q]; simpl; [easy|]. f_equal. apply sum_ext. intros i Hi. apply softmax_ext.
    intros j. apply sum_ext. intros u Hu. pose proof (prefix_length_bound q i Hi).
    pose proof (Nat.neq_0_lt_0 (2 ^ q)) as [Z _]. pose proof (Z (Nat.pow_nonzero 2 q ltac:(lia))).
    apply H. rewrite Nat.pow_succ_r'. lia.
Qed.

(* ---------------------------------------------------------------- numbers by hand *)

Notation e1 := (exp (-1)).

(* K = 2, losses 0 and 1 in every round, eta = 1: the regret of three rounds. *)
Example three_rounds :
  pseudo_regret (whole_epoch_learner 1 2 (in_every_round (fun k => k))) 2 (fun k => k) 0 3 = 1 / 2 + 2 * (e1 / (1 + e1)).
Proof.
  unfold pseudo_regret, whole_epoch_learner, learner_of. cbn [sum]. simpl Nat.log2.
  unfold softmax_choice, softmax, weight, sums, in_every_round. simpl.
  replace (- (1) * (0 + 0)) with 0 by ring. replace (- (1) * (0 + 1)) with (-1) by ring. rewrite exp_0.
  pose proof (exp_pos (-1)). field. lra.
Qed.

(* Rounds 4 to 7 read rounds 2 and 3. *)
Example round_4 : whole_epoch_learner 1 2 (in_every_round (fun k => k)) 4%nat 1%nat = exp (-2) / (1 + exp (-2)).
Proof.
  unfold whole_epoch_learner, learner_of. simpl Nat.log2.
  unfold softmax_choice, softmax, weight, sums, in_every_round. simpl.
  replace (- (1) * (0 + 0 + 0)) with 0 by ring. replace (- (1) * (0 + 1 + 1)) with (-2) by ring. rewrite exp_0.
  pose proof (exp_pos (-2)). field. lra.
Qed.

(* The biased coin of noisy_leader_iid.v: action 0 is better with chance 3/4, the gap is 1/2. Round 1 costs 1/4; rounds
   2 and 3 cost 1/2 times the chance to choose action 1, which is that of softmax on what round 1 showed. *)
Example coin_regret : expected_regret 2 coin_chance coin_loss 2 (whole_epoch_learner 1 2) 0 3 =
  1 / 4 + 2 * (1 / 2) * (3 / 4 * (e1 / (1 + e1)) + 1 / 4 * (1 / (1 + e1))).
Proof.
  assert (M : mean_loss 2 coin_chance coin_loss 0 = 1 / 4 /\ mean_loss 2 coin_chance coin_loss 1 = 3 / 4)
    by (unfold mean_loss, coin_chance, coin_loss; simpl; split; lra).
  destruct M as [M0 M1]. unfold expected_regret. generalize dependent (mean_loss 2 coin_chance coin_loss). intros mu M0 M1.
  cbn [mean_over_tables sum]. unfold pseudo_regret, whole_epoch_learner, learner_of. cbn [sum]. simpl Nat.log2.
  unfold softmax_choice, softmax, weight, sums, with_round. rewrite M0, M1. cbn -[exp]. unfold coin_loss, coin_chance. cbn -[exp].
  replace (- (1) * (0 + 0)) with 0 by ring. replace (- (1) * (0 + 1)) with (-1) by ring. rewrite exp_0.
  pose proof (exp_pos (-1)). field. lra.
Qed.

(* ---------------------------------------------------------------- the lower bound is on something *)

Theorem lower_bound_applies : forall epsilon K, (0 < K)%nat -> 0 <= epsilon ->
  has_law K (whole_epoch_learner (epsilon / 2) K) /\ causal (whole_epoch_learner (epsilon / 2) K) /\
  private_actions epsilon K (whole_epoch_learner (epsilon / 2) K).
Proof.
  intros epsilon K HK He. destruct (softmax_choice_is_a_law (epsilon / 2) K HK) as [One C]. split; [|split].
  - intros l t. split; [intros; now apply softmax_choice_nonneg | apply One].
  - intros l l' t k H. apply C. intros u j Hu. apply H. split; [apply Hu|].
    destruct t as [|t]; [simpl in Hu; lia|]. pose proof (Nat.log2_spec (S t) ltac:(lia)). lia.
  - intros l l' t0 t k N Hk. unfold whole_epoch_learner, learner_of. destruct (Nat.log2 t) as [|q]; simpl.
    + pose proof (uniform_pos K HK). assert (1 <= exp epsilon) by (rewrite <- exp_0; apply exp_le; lra). nra.
    + replace epsilon with (2 * (epsilon / 2)) at 2 by lra. apply softmax_private; auto; [lra|].
      intros; now apply same_epoch with t0.
Qed.
