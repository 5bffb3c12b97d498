Require Import Reals Lra Lia List PeanoNat.
Local Open Scope R_scope.

Require Import Reals Lra Lia List PeanoNat.
Require Import Softmax Hoeffding Stochastic Prefix Paper1 Lower Noise.
Local Open Scope R_scope.
Import ListNotations.

Compute map (fun t => (t, Nat.log2 t)) (seq 0 17).
Compute map (fun q => map (prefix_length q) (seq 0 (prefix_count q))) (seq 0 5).
(* the rounds that prefix of length M of epoch q reads *)
Compute map (fun q => map (fun i => map (fun j => (2 ^ q + j)%nat) (seq 0 (prefix_length q i))) (seq 0 (prefix_count q))) (seq 0 4).

(* paper: M_r uniform on {2^(r-1)+1..2^r}, M_0 = 1 *)
Lemma read_is_paper r i : (1 <= r)%nat -> (i < prefix_count r)%nat -> (prefix_length r i = 2 ^ (r - 1) + 1 + i)%nat /\ (2 ^ (r-1) + 1 <= prefix_length r i <= 2 ^ r)%nat.
Proof.
  intros H Hi. unfold prefix_length, prefix_count in *.
  assert ((2 ^ r = 2 * 2 ^ (r - 1))%nat). { rewrite <- Nat.pow_succ_r'. f_equal. lia. } lia.
Qed.
Lemma read_0 : prefix_count 0 = 1%nat /\ prefix_length 0 0 = 1%nat. Proof. split; reflexivity. Qed.

(* K = 2, losses 0 and 1: regret of 3 rounds *)
Definition e1 := exp (-1).
Example three_rounds : pseudo_regret (whole_epoch_learner 1 2 (fun _ k => INR k)) 2 INR 0 3 = 1 / 2 + 2 * (e1 / (1 + e1)).
Proof.
  unfold pseudo_regret, whole_epoch_learner, e1. cbn [sum]. simpl Nat.log2. unfold softmax_choice, softmax, weight, sums. simpl.
  replace (- (1) * (0 + 0)) with 0 by ring. replace (- (1) * (0 + 1)) with (-1) by ring. rewrite exp_0.
  pose proof (exp_pos (-1)). field. lra.
Qed.
(* round 4..7 depend on rounds 2, 3 *)
Example round4 : whole_epoch_learner 1 2 (fun _ k => INR k) 4 1%nat = exp (-2) / (1 + exp (-2)).
Proof.
  unfold whole_epoch_learner. simpl Nat.log2. unfold softmax_choice, softmax, weight, sums. simpl.
  replace (- (1) * (0 + 0 + 0)) with 0 by ring. replace (- (1) * (0 + 1 + 1)) with (-2) by ring. rewrite exp_0.
  pose proof (exp_pos (-2)). field. lra.
Qed.

(* biased coin: the better action is 0 with chance 3/4 *)
Definition w (i : nat) := match i with 0%nat => 3 / 4 | _ => 1 / 4 end.
Definition v (i k : nat) := if Nat.eqb i k then 0 else 1.
Definition mu (k : nat) := sum 2 (fun i => w i * v i k).
Lemma coin_law : law_of_losses 2 w v.
Proof.
  repeat split; simpl; try lra; intros.
  - destruct i; simpl; lra.
  - unfold v; destruct (Nat.eqb _ _); lra.
  - unfold v; destruct (Nat.eqb _ _); lra.
Qed.
Lemma mu0 : mu 0 = 1 / 4. Proof. unfold mu, w, v. simpl. lra. Qed.
Lemma mu1 : mu 1 = 3 / 4. Proof. unfold mu, w, v. simpl. lra. Qed.
Lemma hyps : (forall k, mu k = sum 2 (fun i => w i * v i k)) /\ (forall j k, (j <= k < 2)%nat -> mu j <= mu k) /\
  0 < 1 / 2 <= 1 /\ (forall k, (k < 2)%nat -> mu k <> mu 0%nat -> 1 / 2 <= mu k - mu 0%nat).
Proof.
  pose proof mu0. pose proof mu1. repeat split; try lra.
  - intros j k H1. destruct j as [|[|]]; destruct k as [|[|]]; try lia; lra.
  - intros k Hk. destruct k as [|[|]]; try lia; intros; lra.
Qed.
(* the intended number: 1/4 + 2 * 1/2 * (3/4 e/(1+e) + 1/4 1/(1+e)) *)
Example coin_regret l : mean_over_tables 2 w v 3 1 (fun l => pseudo_regret (whole_epoch_learner 1 2 l) 2 mu 0 3) l =
  1 / 4 + (3 / 4 * (e1 / (1 + e1)) + 1 / 4 * (1 / (1 + e1))).
Proof.
  cbn [mean_over_tables sum]. unfold pseudo_regret, whole_epoch_learner, e1. cbn [sum]. simpl Nat.log2. unfold softmax_choice, softmax, weight, sums, with_round.
  rewrite mu0, mu1. simpl. unfold v, w. simpl.
  replace (- (1) * (0 + 0)) with 0 by ring. replace (- (1) * (0 + 1)) with (-1) by ring. rewrite exp_0.
  pose proof (exp_pos (-1)). field. lra.
Qed.
Example coin_regret_prefix l : mean_over_tables 2 w v 3 1 (fun l => pseudo_regret (prefix_learner 1 2 l) 2 mu 0 3) l =
  1 / 4 + (3 / 4 * (e1 / (1 + e1)) + 1 / 4 * (1 / (1 + e1))).
Proof.
  cbn [mean_over_tables sum]. unfold pseudo_regret, prefix_learner, e1. cbn [sum]. simpl Nat.log2. unfold prefix_choice, softmax, weight, prefix_sums, with_round.
  rewrite mu0, mu1. cbn -[exp]. unfold v, w. cbn -[exp].
  replace (- (1) * (0 + 0)) with 0 by ring. replace (- (1) * (0 + 1)) with (-1) by ring. rewrite exp_0.
  pose proof (exp_pos (-1)). field. lra.
Qed.

(* lower bound's hypotheses are satisfiable: the learner itself *)
Lemma law_total eta K l t : (0 < K)%nat -> sum K (whole_epoch_learner eta K l t) = 1.
Proof.
  intros H. unfold whole_epoch_learner. destruct (Nat.log2 t); [|now apply softmax_total].
  simpl. rewrite sum_const. field. apply Rgt_not_eq, lt_0_INR; auto.
Qed.
Lemma sat_law eta K : (0 < K)%nat -> has_law K (whole_epoch_learner eta K).
Proof. intros H l t. split; [intros; now apply softmax_choice_nonneg | now apply law_total]. Qed.
Lemma sat_causal eta K : causal (whole_epoch_learner eta K).
Proof.
  intros l l' t k H. unfold whole_epoch_learner. destruct (Nat.log2 t) as [|q] eqn:E; [reflexivity|]. simpl.
  assert (0 < t)%nat by (destruct t; [discriminate | lia]).
  pose proof (Nat.log2_spec t ltac:(lia)) as [S1 _]. rewrite E, Nat.pow_succ_r' in S1.
  assert (0 < 2 ^ q)%nat by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  apply softmax_ext. intros i. apply sum_ext. intros j Hj. apply H. lia.
Qed.
(* private: for all k, also k >= K -- can it be met by the learner? *)
Lemma sat_private epsilon K : (0 < K)%nat -> 0 <= epsilon -> private epsilon (fun l t k => if Nat.ltb k K then whole_epoch_learner (epsilon / 2) K l t k else 0).
Proof.
  intros HK He l l' t0 t k N. destruct (Nat.ltb_spec k K); [|lra].
  replace epsilon with (2 * (epsilon / 2)) at 2 by lra. apply (epoch_private (epsilon / 2) K l l' t0); auto; lra.
Qed.

(* the anticipating table: total mass is not 1 *)
Definition seqs2 : list (nat -> nat) := map (fun p r => match r with O => fst p | _ => snd p end) [(0,0); (0,1); (1,0); (1,1)]%nat.
Definition peek (a : nat -> nat) : table := fun _ k => if Nat.eqb k (a 1%nat) then 0 else 1.
Example mass : chance_of_event (sequence_law 1 2 peek 2) seqs2 = 2 / (1 + e1).
Proof.
  unfold chance_of_event, seqs2, sequence_law, peek, e1. cbn -[exp]. unfold softmax, weight, sums. cbn -[exp].
  replace (- (1) * (0 + 0)) with 0 by ring. replace (- (1) * (0 + 1)) with (-1) by ring. rewrite exp_0.
  pose proof (exp_pos (-1)). field. lra.
Qed.
(* any F passes as the "distribution function" of Laplace noise *)
Example bogus : has_star 1 (laplace_density 1) (fun _ => 7).
Proof. destruct (laplace_noise 1 ltac:(lra)) as (A & B & _). repeat split; auto; intros; lra. Qed.
Example bogus2 : has_star 1 (fun _ => 3) (fun _ => 7).
Proof. repeat split; try (intros; lra). intros q h Hh. assert (1 <= exp (1 * h)) by (pose proof (exp_ineq1_le (1*h)); lra). lra. Qed.

Print Assumptions softmax_private. Print Assumptions sequence_private. Print Assumptions whole_epochs.
Print Assumptions two_points. Print Assumptions whole_epochs_iid. Print Assumptions prefix_private. Print Assumptions prefix_regret. Print Assumptions theorem_1.
Print Assumptions lower_bound. Print Assumptions lower_bound_half.
Print Assumptions noisy_leader_private. Print Assumptions noisy_sequence_private. Print Assumptions gumbel_is_softmax. Print Assumptions gumbel_noise.

(* one learner that meets all three hypotheses of the lower bound *)
Definition cut (epsilon : R) (K : nat) : learner := fun l t k => if Nat.ltb k K then whole_epoch_learner (epsilon / 2) K l t k else 0.
Theorem lower_bound_applies epsilon K : (0 < K)%nat -> 0 <= epsilon ->
  has_law K (cut epsilon K) /\ causal (cut epsilon K) /\ private epsilon (cut epsilon K).
Proof.
  intros HK He. split; [|split].
  - intros l t. destruct (sat_law (epsilon / 2) K HK l t) as [A B]. split.
    + intros k. unfold cut. destruct (Nat.ltb k K); [apply A | lra].
    + rewrite <- B. apply sum_ext. intros k Hk. unfold cut. destruct (Nat.ltb_spec k K); [easy | lia].
  - intros l l' t k H. unfold cut. destruct (Nat.ltb k K); [now apply sat_causal | easy].
  - now apply sat_private.
Qed.

(* g summed over all sequences whose entries before r are those of a, and n further entries *)
Fixpoint all (K n r : nat) (g : (nat -> nat) -> R) (a : nat -> nat) : R :=
  match n with O => g a | S n => sum K (fun k => all K n (S r) g (fun u => if Nat.eqb u r then k else a u)) end.

Lemma all_scal K n r c g a : all K n r (fun a => c * g a) a = c * all K n r g a.
Proof.
  revert r a. induction n; simpl; intros r a; [easy|]. rewrite <- sum_scal. apply sum_ext. intros. apply IHn.
Qed.
Lemma all_ext K n r g h a : (forall b, (forall u, (u < r)%nat -> b u = a u) -> g b = h b) -> all K n r g a = all K n r h a.
Proof.
  revert r a. induction n; simpl; intros r a H; [now apply H|].
  apply sum_ext. intros k _. apply IHn. intros b Hb. apply H. intros u Hu. rewrite Hb by lia.
  destruct (Nat.eqb_spec u r); [lia | easy].
Qed.

(* The table of epoch q (rounds below 2^(q+1)) depends on the actions of epochs 0, ..., q alone. *)
Definition reacts (l : (nat -> nat) -> table) := forall a b r, (forall u, (u < r)%nat -> a u = b u) ->
  forall t k, (1 <= t < 2 ^ r)%nat -> l a t k = l b t k.

Lemma prod_split n m (f : nat -> R) : prod (n + m) f = prod n f * prod m (fun i => f (n + i)%nat).
Proof. induction m; simpl; [rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHm. ring. Qed.

Theorem total eta K l n : (0 < K)%nat -> reacts l ->
  all K n 0 (sequence_law eta K l n) (fun _ => 0%nat) = 1.
Proof.
  intros HK HR.
  (* n further epochs after r *)
  assert (G : forall n r a, all K n r (fun b => prod n (fun i => softmax_choice eta K (l b) (r + i) (b (r + i)%nat))) a = 1).
  { clear n. induction n as [|n IH]; intros r a; [reflexivity|]. cbn [all].
    transitivity (sum K (fun k => softmax_choice eta K (l a) r k)).
    - apply sum_ext. intros k Hk. set (a' := fun u => if Nat.eqb u r then k else a u).
      rewrite (all_ext K n (S r) _ (fun b => softmax_choice eta K (l a) r k *
         prod n (fun i => softmax_choice eta K (l b) (S r + i) (b (S r + i)%nat)))).
      + rewrite all_scal, IH. ring.
      + intros b Hb. rewrite (prod_split 1 n). cbn [prod]. rewrite Rmult_1_l, Nat.add_0_r. f_equal.
        * rewrite (Hb r) by lia. unfold a' at 1. rewrite Nat.eqb_refl.
          destruct r as [|q]; [reflexivity|]. simpl. apply softmax_ext. intros j. apply sum_ext. intros i Hi.
          apply (HR b a (S q)); [|rewrite Nat.pow_succ_r'; assert (0 < 2 ^ q)%nat by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia); lia].
          intros u Hu. rewrite Hb by lia. unfold a'. destruct (Nat.eqb_spec u (S q)); [lia | easy].
        * clear. induction n; cbn [prod]; [easy|]. rewrite IHn. now replace (r + (1 + n))%nat with (S r + n)%nat by lia.
    - destruct r as [|q]; [|now apply softmax_total]. simpl. rewrite sum_const. field. apply Rgt_not_eq, lt_0_INR; auto. }
  exact (G n 0%nat (fun _ => 0%nat)).
Qed.

  (forall a, In a event -> forall r, (r < n)%nat -> (a r < K)%nat) ->
  chance_of_event (prefix_sequence_law eta K l n) event <= exp (2 * eta) * chance_of_event (prefix_sequence_law eta K l' n) event.
Proof.
  intros eta K l l' t0 n event He N. induction event as [|a event IH]; simpl; intros Ha; [lra|].
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|now apply IH; auto].
  assert (A : forall r, (r < n)%nat -> (a r < K)%nat) by auto.
  apply prod_differ with (j := S (Nat.log2 (t0 a))).
  - rewrite <- exp_0; apply exp_le; lra.
  - intros i Hi. apply prefix_choice_nonneg. specialize (A i Hi); lia.
  - intros i Hi. apply prefix_choice_nonneg. specialize (A i Hi); lia.
  - intros i Hi. apply (prefix_epoch_private eta K (l a) (l' a) (t0 a)); auto.
  - intros i Hi. apply (prefix_epoch_private eta K (l a) (l' a) (t0 a)); auto.
Qed.

(* (d) the pseudo-regret is the mean of the losses minus the best action's, for every causal learner *)
Theorem regret_is_regret m w v K (p : learner) mu T l best : law_of_losses m w v ->
  (forall k, mu k = sum m (fun i => w i * v i k)) -> causal p ->
  mean_over_tables m w v T 1 (fun l => sum T (fun i => sum K (fun k => p l (S i) k * (l (S i) k - l (S i) best)))) l =
  mean_over_tables m w v T 1 (fun l => pseudo_regret (p l) K mu best T) l.
Proof.
  intros L Hmu C. unfold pseudo_regret. rewrite !expect_sum by auto. apply sum_ext. intros i Hi.
  replace T with (i + (1 + (T - S i)))%nat by lia. rewrite !expect_app.
  apply expect_ext. intros l1 _. replace (1 + i)%nat with (S i) by lia. rewrite !expect_app.
  transitivity (mean_over_tables m w v 1 (S i) (fun l => sum K (fun k => p l1 (S i) k * (l (S i) k - l (S i) best))) l1).
  - apply expect_ext. intros l2 H2. rewrite expect_ignore; auto.
    + apply sum_ext. intros k _. f_equal. apply C. intros u j Hu. rewrite H2 by lia. reflexivity.
    + intros l3 u x Hu. apply sum_ext. intros k _. f_equal.
      * apply C. intros u' j Hu'. unfold with_round. destruct (Nat.eqb_spec u' u); [lia | easy].
      * unfold with_round. destruct (Nat.eqb_spec (S i) u); [lia | easy].
  - transitivity (mean_over_tables m w v 1 (S i) (fun l => sum K (fun k => p l1 (S i) k * (mu k - mu best))) l1).
    + cbn [mean_over_tables]. rewrite (sum_ext m _ (fun i0 => sum K (fun k => p l1 (S i) k * (w i0 * v i0 k + -1 * (w i0 * v i0 best))))).
      * rewrite weights_const with (v := v) by auto. rewrite sum_swap. apply sum_ext. intros k _.
        rewrite sum_scal, sum_plus, sum_scal, !Hmu. ring.
      * intros i0 _. rewrite <- sum_scal. apply sum_ext. intros k _. unfold with_round. rewrite Nat.eqb_refl. ring.
    + apply expect_ext. intros l2 H2. rewrite expect_ignore; auto.
      * apply sum_ext. intros k _. f_equal. symmetry. apply C. intros u j Hu. rewrite H2 by lia. reflexivity.
      * intros l3 u x Hu. apply sum_ext. intros k _. f_equal.
        apply C. intros u' j Hu'. unfold with_round. destruct (Nat.eqb_spec u' u); [lia | easy].
Qed.
Print Assumptions regret_is_regret.
