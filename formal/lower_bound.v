(* Theorem 3 of Wu and Wang (2025), the lower bound log K / epsilon, as corrected in claim NL-T3a.

   Printed: for any epsilon-differentially private learner and every K there are means u_1, ..., u_K such that on
   losses that are these means in every round the pseudo-regret is at least c_1 log K / epsilon, c_1 universal.
   Corrected: for T >= ln K / epsilon, with c_1 = ln (4/3) / ln 2 = 0.415. (After one round the regret is at most 1,
   whatever epsilon.) *)

Require Import Reals Lra Lia List PeanoNat Classical.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums hoeffding learners.
Local Open Scope R_scope.

(* One action has loss 0, all others have loss 1. *)
Definition one_good_action (good : nat) (k : nat) : R := if Nat.eqb k good then 0 else 1.

(* The regret of the learner p in T rounds if these are the losses of every round. *)
Definition regret_if_good (p : learner) (K T good : nat) : R :=
  pseudo_regret (p (in_every_round (one_good_action good))) K (one_good_action good) good T.

(* ---------------------------------------------------------------- sums *)

Lemma sum_single n f j : (j < n)%nat -> sum n (fun k => if Nat.eqb k j then f k else 0) = f j.
Proof.
  induction n; intros H; [lia|]. cbn [sum]. destruct (Nat.eqb_spec n j) as [->|].
  - rewrite (sum_ext j _ (fun _ => 0)); [rewrite sum_const; ring|].
    intros i Hi. destruct (Nat.eqb_spec i j); [lia | easy].
  - rewrite IHn by lia. ring.
Qed.

Lemma some_large n f c : (0 < n)%nat -> INR n * c <= sum n f -> exists j, (j < n)%nat /\ c <= f j.
Proof.
  intros Hn H. apply NNPP. intros N.
  assert (A : forall j, (j < n)%nat -> f j < c).
  { intros j Hj. apply Rnot_le_lt. intros C. apply N. now exists j. }
  assert (sum n f < INR n * c); [|lra]. clear N H.
  induction n as [|n IH]; [lia|]. rewrite S_INR. cbn [sum].
  pose proof (A n ltac:(lia)). destruct n as [|n]; [simpl; lra|].
  assert (sum (S n) f < INR (S n) * c) by (apply IH; [lia | intros; apply A; lia]). lra.
Qed.

(* ---------------------------------------------------------------- group privacy *)

Section Lower.
Notation every g := (in_every_round (one_good_action g)).
Variables (epsilon : R) (K : nat) (p : learner).
Hypotheses (He : 0 < epsilon) (HK : (2 <= K)%nat).
Hypotheses (HL : has_law K p) (HC : causal p) (HP : private_actions epsilon K p).

(* The good action is g in rounds 1, ..., n, and h later. *)
Definition switched (g h n : nat) : table := fun t => one_good_action (if Nat.leb t n then g else h).

Lemma switched_neighbours g h n : neighbours (switched g h (S n)) (switched g h n) (S n).
Proof.
  assert (B : forall m t k, 0 <= switched g h m t k <= 1).
  { intros m t k. unfold switched, one_good_action. destruct (Nat.eqb k _); lra. }
  split; [|split]; auto. intros t k H. unfold switched.
  destruct (Nat.leb_spec t (S n)); destruct (Nat.leb_spec t n); auto; lia.
Qed.

Lemma group g h n t k : (k < K)%nat -> p (switched g h n) t k <= exp epsilon ^ n * p (switched g h 0) t k.
Proof.
  intros Hk. induction n; simpl pow; [lra|].
  eapply Rle_trans; [apply (HP (switched g h (S n)) (switched g h n) (S n)); auto using switched_neighbours|].
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply exp_pos | auto].
Qed.

(* In round i + 1 only i rounds were seen. *)
Lemma other_good g h i k : (k < K)%nat ->
  p (every g) (S i) k <= exp epsilon ^ i * p (every h) (S i) k.
Proof.
  intros Hk. rewrite (HC (every g) (switched g h i)).
  - rewrite (HC (every h) (switched g h 0)); [now apply group|].
    intros u j Hu. unfold switched. destruct (Nat.leb_spec u 0); [lia | easy].
  - intros u j Hu. unfold switched. destruct (Nat.leb_spec u i); [easy | lia].
Qed.

(* The chance to miss the good action, in the mean over the good actions. *)
Definition miss i g := 1 - p (every g) (S i) g.

Lemma misses i : INR K * ((INR K - 1) / (exp epsilon ^ i + INR K - 1)) <= sum K (miss i).
Proof.
  assert (K2 : 2 <= INR K) by (apply (le_INR 2); lia).
  set (E := exp epsilon ^ i). assert (EP : 0 < E) by (apply pow_lt, exp_pos).
  set (q := fun g k => p (every g) (S i) k).
  assert (One : forall g, sum K (q g) = 1) by (intros; apply HL).
  assert (Mass : sum K (fun k => sum K (fun g => q g k)) = INR K).
  { rewrite sum_swap, (sum_ext K _ (fun _ => 1)) by (intros; apply One). rewrite sum_const. ring. }
  set (S1 := sum K (miss i)).
  assert (Own : sum K (fun k => q k k) = INR K - S1).
  { unfold S1, miss. rewrite (sum_ext K (fun g => 1 - p (every g) (S i) g) (fun g => 1 + -1 * q g g)) by (intros; unfold q; ring).
    rewrite sum_plus, sum_scal, sum_const. ring. }
  assert (B : (INR K - 1) * (INR K - S1) <= E * S1).
  { rewrite <- Own, <- sum_scal.
    apply Rle_trans with (sum K (fun k => E * sum K (fun g => q g k) + - E * q k k)).
    - apply sum_le. intros k Hk.
      apply Rle_trans with (sum K (fun g => E * q g k + - (if Nat.eqb g k then E * q g k - q k k else 0)) - q k k).
      + apply Rle_trans with (sum K (fun _ => q k k) - q k k); [rewrite sum_const; lra|].
        apply Rplus_le_compat_r, sum_le. intros g Hg. destruct (Nat.eqb_spec g k) as [->|]; [lra|].
        pose proof (other_good k g i k Hk) as O. fold E in O. unfold q. lra.
      + right. rewrite sum_plus, sum_scal.
        rewrite (sum_ext K (fun g => - (if Nat.eqb g k then E * q g k - q k k else 0))
                   (fun g => if Nat.eqb g k then - (E * q g k - q k k) else 0)).
        * rewrite (sum_single K (fun g => - (E * q g k - q k k)) k Hk). ring.
        * intros g _. destruct (Nat.eqb g k); ring.
    - rewrite sum_plus, !sum_scal, Mass, Own. lra. }
  apply Rmult_le_reg_r with (E + INR K - 1); [lra|].
  replace (INR K * ((INR K - 1) / (E + INR K - 1)) * (E + INR K - 1)) with (INR K * (INR K - 1)) by (field; lra). lra.
Qed.

Lemma regret_is_misses g T : (g < K)%nat -> regret_if_good p K T g = sum T (fun i => miss i g).
Proof.
  intros H. unfold regret_if_good, pseudo_regret. apply sum_ext. intros i _. set (q := p (every g) (S i)).
  assert (S1 : sum K q = 1) by apply HL.
  rewrite (sum_ext K _ (fun k => q k + -1 * (if Nat.eqb k g then q k else 0))).
  - rewrite sum_plus, sum_scal, sum_single, S1 by auto. unfold miss, q. ring.
  - intros k _. unfold one_good_action. rewrite Nat.eqb_refl. destruct (Nat.eqb k g); ring.
Qed.

(* The sum over rounds is at least an integral (of a logistic function). *)
Lemma sum_of_misses T :
  ln (INR K * exp epsilon ^ T / (exp epsilon ^ T + INR K - 1)) / epsilon
  <= sum T (fun i => (INR K - 1) / (exp epsilon ^ i + INR K - 1)).
Proof.
  assert (K2 : 2 <= INR K) by (apply (le_INR 2); lia).
  set (G := fun n => ln (INR K * exp epsilon ^ n / (exp epsilon ^ n + INR K - 1))).
  assert (EP : forall n, 0 < exp epsilon ^ n) by (intros; apply pow_lt, exp_pos).
  assert (G0 : G 0%nat = 0).
  { unfold G. simpl. replace (INR K * 1 / (1 + INR K - 1)) with 1 by (field; lra). apply ln_1. }
  change (G T / epsilon <= sum T (fun i => (INR K - 1) / (exp epsilon ^ i + INR K - 1))).
  apply Rmult_le_reg_l with epsilon; auto.
  replace (epsilon * (G T / epsilon)) with (G T - G 0%nat) by (rewrite G0; field; lra).
  rewrite <- sum_scal.
  assert (Tel : G T - G 0%nat = sum T (fun i => G (S i) - G i)).
  { pose proof (sum_telescope T G) as Te.
    rewrite (sum_ext T (fun i => G (S i) - G i) (fun i => -1 * (G i - G (S i)))) by (intros; ring).
    rewrite sum_scal, Te. ring. }
  rewrite Tel. apply sum_le. intros i _. unfold G.
  set (E := exp epsilon ^ i). specialize (EP i) as EP0. fold E in EP0. simpl pow. fold E.
  set (q := E / (E + INR K - 1)).
  assert (Q : 0 <= q <= 1).
  { unfold q. split; [apply Rle_mult_inv_pos; lra|]. apply Rmult_le_reg_r with (E + INR K - 1); [lra|].
    replace (E / (E + INR K - 1) * (E + INR K - 1)) with E by (field; lra). lra. }
  pose proof (exp_pos epsilon) as P0.
  assert (Den : 0 < exp epsilon * E) by (apply Rmult_lt_0_compat; lra).
  replace (INR K * (exp epsilon * E) / (exp epsilon * E + INR K - 1))
    with (INR K * E / (E + INR K - 1) * (exp epsilon * / (1 - q + q * exp epsilon))) by (unfold q; field; lra).
  assert (Mix : 0 < 1 - q + q * exp epsilon).
  { assert (1 < exp epsilon) by (rewrite <- exp_0; now apply exp_increasing). nra. }
  rewrite ln_mult, ln_mult, ln_exp, ln_Rinv; auto.
  2: now apply Rinv_0_lt_compat.
  2: (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  2: (apply Rmult_lt_0_compat; [auto | now apply Rinv_0_lt_compat]).
  assert (J : q * epsilon <= ln (1 - q + q * exp epsilon)).
  { rewrite <- (ln_exp (q * epsilon)). apply ln_le; [apply exp_pos|].
    pose proof (tangent 0 (q * epsilon)) as T0. pose proof (tangent epsilon (q * epsilon)) as T1. rewrite exp_0 in T0.
    set (e := exp (q * epsilon)) in *.
    apply Rle_trans with ((1 - q) * (e * (1 + (0 - q * epsilon))) + q * (e * (1 + (epsilon - q * epsilon)))).
    - right. ring.
    - replace (1 - q + q * exp epsilon) with ((1 - q) * 1 + q * exp epsilon) by ring.
      apply Rplus_le_compat; apply Rmult_le_compat_l; lra. }
  replace ((INR K - 1) / (E + INR K - 1)) with (1 - q) by (unfold q; field; lra). lra.
Qed.

(* In the mean over the good actions, for every T. *)
Lemma mean_regret T :
  INR K * (ln (INR K * exp epsilon ^ T / (exp epsilon ^ T + INR K - 1)) / epsilon) <= sum K (regret_if_good p K T).
Proof.
  rewrite (sum_ext K _ (fun g => sum T (fun i => miss i g))) by (intros; now apply regret_is_misses).
  rewrite sum_swap. eapply Rle_trans; [apply Rmult_le_compat_l; [apply pos_INR | apply sum_of_misses]|].
  rewrite <- sum_scal. apply sum_le. intros i _. apply misses.
Qed.
End Lower.

(* 2 K - 1 is at most K^c with c = ln 3 / ln 2, with equality at K = 2. *)
Lemma two_K_minus_one x : ln 2 <= x -> ln (2 * exp x - 1) <= ln 3 / ln 2 * x.
Proof.
  intros H. assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (C : 4 / 3 <= ln 3 / ln 2).
  { apply Rmult_le_reg_r with (ln 2); auto. replace (ln 3 / ln 2 * ln 2) with (ln 3) by (field; lra).
    assert (0 <= ln (3 * (3 * 3) / (2 * (2 * (2 * 2))))) as Q by (rewrite <- ln_1; apply ln_le; lra).
    unfold Rdiv in Q. rewrite !ln_mult, ln_Rinv, !ln_mult in Q by lra. lra. }
  pose proof (grows (fun y => ln 3 / ln 2 * (ln 2 + y) - ln (2 * exp (ln 2 + y) - 1))
    (fun y => ln 3 / ln 2 - 2 * exp (ln 2 + y) / (2 * exp (ln 2 + y) - 1))) as G. cbv beta in G.
  assert (E : forall y, 0 <= y -> 2 <= exp (ln 2 + y)).
  { intros y Hy. rewrite exp_plus, exp_ln by lra. assert (1 <= exp y) by (pose proof (exp_ineq1_le y); lra). lra. }
  specialize (G) with (x := x - ln 2).
  assert (R : 0 <= ln 3 / ln 2 * (ln 2 + (x - ln 2)) - ln (2 * exp (ln 2 + (x - ln 2)) - 1)).
  { apply G; [| | | lra].
    - intros y Hy. specialize (E y Hy). auto_derive; [lra|]. field. lra.
    - intros y Hy. specialize (E y Hy). set (e := exp (ln 2 + y)) in *.
      assert (2 * e / (2 * e - 1) <= 4 / 3); [|lra].
      apply Rmult_le_reg_r with (2 * e - 1); [lra|]. replace (2 * e / (2 * e - 1) * (2 * e - 1)) with (2 * e) by (field; lra). lra.
    - rewrite Rplus_0_r, exp_ln by lra. replace (2 * 2 - 1) with 3 by ring. field. lra. }
  replace (ln 2 + (x - ln 2)) with x in R by ring. lra.
Qed.

(* For every T: printed in the proof with one round more, as the closed form of an integral. *)
Theorem lower_bound_every_horizon : forall epsilon (K T : nat) (p : learner),
  0 < epsilon -> (2 <= K)%nat -> has_law K p -> causal p -> private_actions epsilon K p ->
  exists good, (good < K)%nat /\
  ln (K * exp (T * epsilon) / (exp (T * epsilon) + K - 1)) / epsilon <= regret_if_good p K T good.
Proof.
  intros epsilon K T p He HK HL HC HP. rewrite <- pow_exp. apply some_large; [lia|]. now apply mean_regret.
Qed.

Theorem lower_bound : forall epsilon (K T : nat) (p : learner),
  0 < epsilon -> (2 <= K)%nat -> has_law K p -> causal p -> private_actions epsilon K p ->
  ln K / epsilon <= T ->
  exists good, (good < K)%nat /\
  ln (4 / 3) / ln 2 * (ln K / epsilon) <= regret_if_good p K T good.
Proof.
  intros epsilon K T p He HK HL HC HP HT.
  destruct (lower_bound_every_horizon epsilon K T p He HK HL HC HP) as (good & Hg & B). exists good. split; auto.
  eapply Rle_trans; [|exact B].
  assert (K2 : 2 <= INR K) by (apply (le_INR 2); lia).
  assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (EK : INR K <= exp (INR T * epsilon)).
  { rewrite <- (exp_ln (INR K)) at 1 by lra. apply exp_le. apply Rmult_le_reg_r with (/ epsilon); [now apply Rinv_0_lt_compat|].
    replace (INR T * epsilon * / epsilon) with (INR T) by (field; lra). exact HT. }
  set (E := exp (INR T * epsilon)) in *. simpl (INR 1).
  replace (ln (4 / 3) / ln 2 * (ln (INR K) / epsilon)) with (ln (4 / 3) / ln 2 * ln (INR K) / epsilon) by (field; lra).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  apply Rle_trans with (ln (INR K * INR K / (2 * INR K - 1))).
  - assert (L4 : ln (4 / 3) = ln 2 + ln 2 - ln 3).
    { replace (4 / 3) with (2 * 2 * / 3) by field. rewrite !ln_mult, ln_Rinv by lra. ring. }
    assert (LK : ln (INR K * INR K / (2 * INR K - 1)) = ln (INR K) + ln (INR K) - ln (2 * INR K - 1)).
    { unfold Rdiv. rewrite !ln_mult, ln_Rinv; try lra; [apply Rmult_lt_0_compat | apply Rinv_0_lt_compat]; lra. }
    pose proof (two_K_minus_one (ln (INR K)) ltac:(apply ln_le; lra)) as M. rewrite exp_ln in M by lra.
    rewrite L4, LK.
    replace ((ln 2 + ln 2 - ln 3) / ln 2 * ln (INR K)) with (ln (INR K) + ln (INR K) - ln 3 / ln 2 * ln (INR K)) by (field; lra).
    lra.
  - apply ln_le; [apply Rdiv_lt_0_compat; nra|].
    apply Rmult_le_reg_r with (2 * INR K - 1); [lra|].
    replace (INR K * INR K / (2 * INR K - 1) * (2 * INR K - 1)) with (INR K * INR K) by (field; lra).
    apply Rmult_le_reg_r with (E + INR K - 1); [lra|].
    replace (INR K * E / (E + INR K - 1) * (2 * INR K - 1) * (E + INR K - 1)) with (INR K * E * (2 * INR K - 1)) by (field; lra).
    assert (Q : 0 <= INR K * ((INR K - 1) * (E - INR K))) by (repeat apply Rmult_le_pos; lra).
    apply Rminus_le.
    replace (INR K * INR K * (E + INR K - 1) - INR K * E * (2 * INR K - 1)) with (- (INR K * ((INR K - 1) * (E - INR K)))) by ring.
    lra.
Qed.
