(* Losses that are i.i.d. over the rounds, from a distribution with finitely many outcomes. *)

Require Import Reals Lra Lia List PeanoNat FunctionalExtensionality.
From Formal.base Require Import sums hoeffding learners.
Local Open Scope R_scope.

(* A distribution of a round's losses: outcome i = 0, ..., outcomes - 1 has chance `chance i` and gives action k the loss
   `loss i k`. The losses of one round may depend on each other in any way. *)
Definition loss_distribution (outcomes : nat) (chance : nat -> R) (loss : nat -> nat -> R) : Prop :=
  (forall i, (i < outcomes)%nat -> 0 <= chance i) /\ sum outcomes chance = 1 /\ (forall i k, 0 <= loss i k <= 1).

(* The mean of f of a round's losses, and the mean loss of action k. *)
Definition mean_of (outcomes : nat) (chance : nat -> R) (loss : nat -> nat -> R) (f : (nat -> R) -> R) : R :=
  sum outcomes (fun i => chance i * f (loss i)).
Definition mean_loss (outcomes : nat) (chance : nat -> R) (loss : nat -> nat -> R) (k : nat) : R :=
  sum outcomes (fun i => chance i * loss i k).

(* The losses of one round are independent over the actions: the mean of a product is the product of the means. *)
Definition independent (K outcomes : nat) (chance : nat -> R) (loss : nat -> nat -> R) : Prop :=
  forall g : nat -> R -> R, mean_of outcomes chance loss (fun x => prod K (fun k => g k (x k)))
    = prod K (fun k => mean_of outcomes chance loss (fun x => g k (x k))).

(* The table l with the losses x in round t. *)
Definition with_round (l : table) (t : nat) (x : nat -> R) : table :=
  fun u => if Nat.eqb u t then x else l u.

(* The mean of f of a table, where rounds t, t + 1, ..., t + n - 1 of the table l are drawn anew, one after the
   other and independently. *)
Fixpoint mean_over_tables (outcomes : nat) (chance : nat -> R) (loss : nat -> nat -> R)
    (n t : nat) (f : table -> R) (l : table) : R :=
  match n with
  | O => f l
  | S n => sum outcomes (fun i => chance i * mean_over_tables outcomes chance loss n (S t) f (with_round l t (loss i)))
  end.

(* The mean, over tables whose T rounds are drawn i.i.d. from the distribution, of a learner's pseudo-regret in T rounds. *)
Definition expected_regret (outcomes : nat) (chance : nat -> R) (loss : nat -> nat -> R)
    (K : nat) (p : learner) (best T : nat) : R :=
  mean_over_tables outcomes chance loss T 1
    (fun l => pseudo_regret (p l) K (mean_loss outcomes chance loss) best T) (fun _ _ => 0).

(* Action `best` has the least mean of actions 0, ..., K - 1, and every positive gap is at least Delta > 0. *)
Definition best_with_gap (K : nat) (mu : nat -> R) (best : nat) (Delta : R) : Prop :=
  (best < K)%nat /\ 0 < Delta /\ (forall k, (k < K)%nat -> mu best <= mu k) /\
  (forall k, (k < K)%nat -> mu best < mu k -> Delta <= mu k - mu best).

(* ---------------------------------------------------------------- means of sums of n vectors *)

Section Mean.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R).
Hypothesis L : loss_distribution m w v.

(* The expectation of f of s and n vectors. *)
Fixpoint mean (n : nat) (f : (nat -> R) -> R) (s : nat -> R) : R :=
  match n with
  | O => f s
  | S n => sum m (fun i => w i * mean n f (fun k => s k + v i k))
  end.

Lemma mean_le n f g s : (forall s, f s <= g s) -> mean n f s <= mean n g s.
Proof.
  intros H. revert s. induction n; simpl; intros s; [apply H|].
  apply sum_le. intros i Hi. apply Rmult_le_compat_l; [now apply L | apply IHn].
Qed.

Lemma mean_ext n f g s : (forall s, f s = g s) -> mean n f s = mean n g s.
Proof. intros H. apply Rle_antisym; apply mean_le; intros; rewrite H; lra. Qed.

Lemma mean_plus n f g s : mean n (fun s => f s + g s) s = mean n f s + mean n g s.
Proof.
  revert s. induction n; simpl; intros s; [easy|].
  rewrite <- sum_plus. apply sum_ext. intros. rewrite IHn. ring.
Qed.

Lemma mean_scal n c f s : mean n (fun s => c * f s) s = c * mean n f s.
Proof.
  revert s. induction n; simpl; intros s; [easy|].
  rewrite <- sum_scal. apply sum_ext. intros. rewrite IHn. ring.
Qed.

Lemma weights_const c : sum m (fun i => w i * c) = c.
Proof.
  rewrite (sum_ext _ _ (fun i => c * w i)) by (intros; ring).
  rewrite sum_scal. destruct L as (_ & -> & _). ring.
Qed.

Lemma mean_const n c s : mean n (fun _ => c) s = c.
Proof.
  revert s. induction n; simpl; intros s; [easy|].
  rewrite (sum_ext _ _ (fun i => w i * c)) by (intros; now rewrite IHn). apply weights_const.
Qed.

Lemma mean_sum n K f s : mean n (fun s => sum K (fun k => f k s)) s = sum K (fun k => mean n (f k) s).
Proof.
  induction K; simpl; [apply mean_const|]. rewrite <- IHK. apply mean_plus.
Qed.

Lemma mean_lead n k b s :
  mean n (fun s => s k - s b) s =
  s k - s b + INR n * (sum m (fun i => w i * v i k) - sum m (fun i => w i * v i b)).
Proof.
  revert s. induction n; intros s; [simpl; ring|]. rewrite S_INR. simpl mean.
  set (gap := _ - sum m _) in *.
  rewrite (sum_ext _ _ (fun i => w i * (s k - s b + INR n * gap) + (w i * v i k + -1 * (w i * v i b))))
    by (intros; rewrite IHn; ring).
  rewrite !sum_plus, sum_scal, weights_const. unfold gap. ring.
Qed.

Definition factor x k b := sum m (fun i => w i * exp (- x * (v i k - v i b))).

Lemma mean_exp n x k b s :
  mean n (fun s => exp (- x * (s k - s b))) s = exp (- x * (s k - s b)) * factor x k b ^ n.
Proof.
  revert s. induction n; intros s; simpl; [ring|].
  unfold factor at 1. rewrite (Rmult_comm _ (factor x k b ^ n)), <- Rmult_assoc, <- sum_scal.
  apply sum_ext. intros i _. rewrite IHn.
  replace (- x * (s k + v i k - (s b + v i b))) with (- x * (s k - s b) + - x * (v i k - v i b)) by ring.
  rewrite exp_plus. ring.
Qed.

(* e^(- x y) lies below its chord. *)
Lemma factor_chord x k b :
  let gap := sum m (fun i => w i * v i k) - sum m (fun i => w i * v i b) in
  0 <= (1 - gap) / 2 <= 1 /\
  factor x k b <= exp (- x) * (1 - (1 - gap) / 2 + (1 - gap) / 2 * exp (2 * x)).
Proof.
  set (gap := _ - sum m _). cbv zeta.
  assert (G : sum m (fun i => w i * ((1 - (v i k - v i b)) / 2)) = (1 - gap) / 2).
  { rewrite (sum_ext _ _ (fun i => w i * (/ 2) + (- / 2 * (w i * v i k) + / 2 * (w i * v i b))))
      by (intros; field).
    rewrite !sum_plus, !sum_scal, weights_const. unfold gap. field. }
  destruct L as (W & W1 & B).
  assert (P : 0 <= (1 - gap) / 2 <= 1).
  { rewrite <- G. split.
    - apply sum_nonneg. intros i Hi. apply Rmult_le_pos; auto. specialize (B i k) as B1. specialize (B i b). lra.
    - rewrite <- W1. apply sum_le. intros i Hi. specialize (W i Hi).
      pose proof (B i k). pose proof (B i b). nra. }
  split; [exact P|].
  rewrite <- G. unfold factor.
  replace (exp (- x) * _) with
    (sum m (fun i => w i * exp (- x) + (exp (- x) * (exp (2 * x) - 1)) * (w i * ((1 - (v i k - v i b)) / 2)))).
  2:{ rewrite sum_plus, sum_scal, weights_const. ring. }
  apply sum_le. intros i Hi.
  replace (w i * exp (- x) + _) with
    (w i * ((1 - (v i k - v i b)) / 2 * (exp (- x) * exp (2 * x)) + (1 + (v i k - v i b)) / 2 * exp (- x)))
    by field.
  apply Rmult_le_compat_l; auto. rewrite <- exp_plus. replace (- x + 2 * x) with x by ring.
  pose proof (B i k). pose proof (B i b). set (y := v i k - v i b) in *.
  assert (Hy : -1 <= y <= 1) by (unfold y; lra).
  pose proof (tangent x (- x * y)). pose proof (tangent (- x) (- x * y)).
  apply Rle_trans with ((1 - y) / 2 * (exp (- x * y) * (1 + (x - - x * y))) +
                        (1 + y) / 2 * (exp (- x * y) * (1 + (- x - - x * y)))).
  + right. field.
  + apply Rplus_le_compat; apply Rmult_le_compat_l; auto; lra.
Qed.

(* Hoeffding's lemma for a difference of two losses. *)
Lemma factor_bound x k b :
  factor x k b <=
  exp (- x * (sum m (fun i => w i * v i k) - sum m (fun i => w i * v i b)) + x * x / 2).
Proof.
  destruct (factor_chord x k b) as [P C]. set (gap := _ - sum m _) in *.
  eapply Rle_trans; [exact C|].
  apply Rle_trans with (exp (- x) * exp ((1 - gap) / 2 * (2 * x) + 2 * x * (2 * x) / 8)).
  - apply Rmult_le_compat_l; [left; apply exp_pos | now apply two_points].
  - rewrite <- exp_plus. right. f_equal. field.
Qed.

Lemma factor_pow x k b y n : factor x k b <= exp y -> factor x k b ^ n <= exp (INR n * y).
Proof.
  intros H. rewrite <- pow_exp. apply pow_incr. split; [|exact H].
  apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [now apply L | left; apply exp_pos].
Qed.

Lemma factor_same x b : factor x b b = 1.
Proof.
  unfold factor. rewrite (sum_ext _ _ (fun i => w i * 1)).
  - apply weights_const.
  - intros. replace (- x * (v i b - v i b)) with 0 by ring. now rewrite exp_0.
Qed.

(* E ln f <= ln E f *)
Lemma mean_ln n f s : (forall s, 0 < f s) -> 0 < mean n f s -> mean n (fun s => ln (f s)) s <= ln (mean n f s).
Proof.
  intros Hf HA. set (A := mean n f s) in *.
  apply Rle_trans with (mean n (fun s => (ln A - 1) + / A * f s) s).
  - apply mean_le. intros s'. pose proof (ln_below (f s') A (Hf s') HA) as E.
    eapply Rle_trans; [exact E|]. right. field; lra.
  - rewrite mean_plus, mean_const, mean_scal. fold A. right. field; lra.
Qed.
End Mean.

(* ---------------------------------------------------------------- expectations over tables *)

Section Expect.
Variables (m : nat) (w : nat -> R) (v : nat -> nat -> R).
Hypothesis L : loss_distribution m w v.
Notation E := (mean_over_tables m w v).

(* Only tables that keep the rounds before t are met. *)
Lemma expect_ext n t f g l :
  (forall l', (forall u, (u < t)%nat -> l' u = l u) -> f l' = g l') -> E n t f l = E n t g l.
Proof.
  revert t l. induction n; simpl; intros t l H; [auto|].
  apply sum_ext. intros i _. f_equal. apply IHn. intros l' H'. apply H. intros u Hu.
  rewrite H' by lia. unfold with_round. destruct (Nat.eqb_spec u t); [lia | easy].
Qed.

Lemma expect_plus n t f g l : E n t (fun l => f l + g l) l = E n t f l + E n t g l.
Proof.
  revert t l. induction n; simpl; intros t l; [easy|].
  rewrite <- sum_plus. apply sum_ext. intros. rewrite IHn. ring.
Qed.

Lemma expect_scal n t c f l : E n t (fun l => c * f l) l = c * E n t f l.
Proof.
  revert t l. induction n; simpl; intros t l; [easy|].
  rewrite <- sum_scal. apply sum_ext. intros. rewrite IHn. ring.
Qed.

(* Rounds that f does not read. *)
Lemma expect_ignore n t f l :
  (forall l' u x, (t <= u)%nat -> f (with_round l' u x) = f l') -> E n t f l = f l.
Proof.
  revert t l. induction n; simpl; intros t l H; [easy|].
  rewrite (sum_ext _ _ (fun i => w i * f l)); [now apply weights_const with (v := v)|].
  intros i _. rewrite IHn, H; auto with arith.
Qed.

Lemma expect_const n t c l : E n t (fun _ => c) l = c.
Proof. now apply expect_ignore. Qed.

Lemma expect_sum n t K f l : E n t (fun l => sum K (fun k => f k l)) l = sum K (fun k => E n t (f k) l).
Proof. induction K; simpl; [apply expect_const|]. rewrite <- IHK. apply expect_plus. Qed.

Lemma expect_app a b t f l : E (a + b) t f l = E a t (E b (t + a) f) l.
Proof.
  revert t l. induction a; simpl; intros t l; [now rewrite Nat.add_0_r|].
  apply sum_ext. intros i _. f_equal. rewrite IHa. now rewrite Nat.add_succ_r.
Qed.

Lemma expect_mean j t F s l :
  E j t (fun l => F (fun k => s k + sum j (fun i => l (t + i)%nat k))) l = mean m w v j F s.
Proof.
  revert t s l. induction j; intros t s l.
  - simpl. f_equal. extensionality k. ring.
  - cbn [mean_over_tables mean]. apply sum_ext. intros i _. f_equal.
    rewrite <- (IHj (S t) (fun k => s k + v i k) (with_round l t (v i))).
    apply expect_ext. intros l' H. f_equal. extensionality k.
    change (S j) with (1 + j)%nat. rewrite sum_app. simpl sum at 1.
    rewrite Nat.add_0_r, (H t) by lia. unfold with_round. rewrite Nat.eqb_refl.
    rewrite (sum_ext j (fun i0 => l' (t + (1 + i0))%nat k) (fun i0 => l' (S t + i0)%nat k)).
    + ring.
    + intros i0 _. now replace (t + (1 + i0))%nat with (S t + i0)%nat by lia.
Qed.

(* What depends on the first M rounds of epoch q alone. *)
Lemma expect_prefix q M T F l :
  (2 ^ q + M <= T + 1)%nat ->
  E T 1 (fun l => F (fun k => sum M (fun i => l (2 ^ q + i)%nat k))) l = mean m w v M F (fun _ => 0).
Proof.
  intros H. assert (0 < 2 ^ q)%nat by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  replace T with ((2 ^ q - 1) + (M + (T + 1 - 2 ^ q - M)))%nat by lia.
  rewrite expect_app. replace (1 + (2 ^ q - 1))%nat with (2 ^ q)%nat by lia.
  rewrite (expect_ext _ _ _ (fun _ => mean m w v M F (fun _ => 0))); [apply expect_const|].
  intros l' _. rewrite expect_app.
  rewrite <- (expect_mean M (2 ^ q) F (fun _ => 0) l').
  apply expect_ext. intros l'' _. rewrite expect_ignore.
  - f_equal. extensionality k. ring.
  - intros l3 u x Hu. f_equal. extensionality k. apply sum_ext. intros i Hi. unfold with_round.
    destruct (Nat.eqb_spec (2 ^ q + i) u); [lia | easy].
Qed.
End Expect.

(* ---------------------------------------------------------------- independent losses *)

Lemma prod_ones n f : (forall i, (i < n)%nat -> f i = 1) -> prod n f = 1.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H by auto with arith. ring. Qed.

Lemma prod_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> prod n f = prod n g.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto with arith. Qed.

Lemma prod_pair n f a b : (a < n)%nat -> (b < n)%nat -> a <> b ->
  (forall i, (i < n)%nat -> i <> a -> i <> b -> f i = 1) -> prod n f = f a * f b.
Proof.
  revert a b. induction n as [|n IH]; intros a b Ha Hb Hab H; [lia|]. cbn [prod].
  assert (One : forall c, (c < n)%nat -> (forall i, (i < n)%nat -> i <> c -> f i = 1) -> prod n f = f c).
  { intros c Hc F. rewrite <- (prod_one n c f Hc). rewrite (prod_ones n (fun i => if Nat.eqb i c then 1 else f i)); [ring|].
    intros i Hi. destruct (Nat.eqb_spec i c); auto. }
  destruct (Nat.eq_dec n a) as [<-|Na]; [|destruct (Nat.eq_dec n b) as [<-|Nb]].
  - rewrite (One b); [ring | lia |]. intros i Hi Hib. apply H; lia.
  - rewrite (One a); [ring | lia |]. intros i Hi Hia. apply H; lia.
  - rewrite (H n), Rmult_1_r by lia. apply IH; try lia. intros i Hi Hia Hib. apply H; lia.
Qed.

(* Of independent losses each pair is. *)
Lemma independent_pair K outcomes chance loss j k g h : loss_distribution outcomes chance loss ->
  independent K outcomes chance loss -> (j < K)%nat -> (k < K)%nat -> j <> k ->
  sum outcomes (fun i => chance i * (g (loss i j) * h (loss i k))) =
  sum outcomes (fun i => chance i * g (loss i j)) * sum outcomes (fun i => chance i * h (loss i k)).
Proof.
  intros (_ & One & _) I Hj Hk Hjk.
  specialize (I (fun i x => if Nat.eqb i j then g x else if Nat.eqb i k then h x else 1)). unfold mean_of in I.
  rewrite (prod_pair K _ j k Hj Hk Hjk) in I.
  - rewrite Nat.eqb_refl in I. destruct (Nat.eqb_spec k j) as [E|_]; [congruence|]. rewrite Nat.eqb_refl in I.
    rewrite <- I. apply sum_ext. intros i _. f_equal. rewrite (prod_pair K _ j k Hj Hk Hjk).
    + rewrite Nat.eqb_refl. destruct (Nat.eqb_spec k j) as [E|_]; [congruence|]. now rewrite Nat.eqb_refl.
    + intros u _ Uj Uk. destruct (Nat.eqb_spec u j); [easy|]. destruct (Nat.eqb_spec u k); easy.
  - intros u _ Uj Uk. destruct (Nat.eqb_spec u j); [easy|]. destruct (Nat.eqb_spec u k); [easy|].
    transitivity (sum outcomes chance); [|exact One]. apply sum_ext. intros. ring.
Qed.

(* ---------------------------------------------------------------- actions in another order *)

Lemma mean_permuted (m : nat) (w : nat -> R) (v : nat -> nat -> R) (p : nat -> nat) n f s :
  mean m w (fun i k => v i (p k)) n f (fun k => s (p k)) = mean m w v n (fun s => f (fun k => s (p k))) s.
Proof.
  revert s. induction n as [|n IH]; intros s; [reflexivity|]. simpl. apply sum_ext. intros i _. f_equal.
  exact (IH (fun k => s k + v i k)).
Qed.

Lemma softmax_permuted eta K p s k : permutes K p -> softmax eta K (fun k => s (p k)) k = softmax eta K s (p k).
Proof. intros (_ & _ & _ & P). unfold softmax. rewrite <- (P (weight eta s)). reflexivity. Qed.

Lemma softmax_gap_permuted eta K p s g : permutes K p ->
  sum K (fun k => softmax eta K (fun k => s (p k)) k * g (p k)) = sum K (fun k => softmax eta K s k * g k).
Proof.
  intros H. rewrite (sum_ext K _ (fun k => softmax eta K s (p k) * g (p k))) by (intros; now rewrite softmax_permuted).
  destruct H as (_ & _ & _ & P). exact (P (fun k => softmax eta K s k * g k)).
Qed.

(* ---------------------------------------------------------------- pseudo-regret is regret *)

(* For every causal learner the mean pseudo-regret is the mean of the losses it suffers, less the best action's. *)
Theorem regret_is_regret : forall outcomes chance loss K (p : learner) T l best,
  loss_distribution outcomes chance loss -> causal p ->
  mean_over_tables outcomes chance loss T 1
    (fun l => sum T (fun i => sum K (fun k => p l (S i) k * (l (S i) k - l (S i) best)))) l =
  mean_over_tables outcomes chance loss T 1 (fun l => pseudo_regret (p l) K (mean_loss outcomes chance loss) best T) l.
Proof.
  intros outcomes chance loss K p T l best L C. set (mu := mean_loss outcomes chance loss).
  assert (Hmu : forall k, mu k = sum outcomes (fun i => chance i * loss i k)) by reflexivity. clearbody mu.
  unfold pseudo_regret. rewrite !expect_sum by auto. apply sum_ext. intros i Hi.
  replace T with (i + (1 + (T - S i)))%nat by lia. rewrite !expect_app.
  apply expect_ext. intros l1 _. replace (1 + i)%nat with (S i) by lia. rewrite !expect_app.
  transitivity (mean_over_tables outcomes chance loss 1 (S i) (fun l => sum K (fun k => p l1 (S i) k * (l (S i) k - l (S i) best))) l1).
  - apply expect_ext. intros l2 H2. rewrite expect_ignore; auto.
    + apply sum_ext. intros k _. f_equal. apply C. intros u j Hu. rewrite H2 by lia. reflexivity.
    + intros l3 u x Hu. apply sum_ext. intros k _. f_equal.
      * apply C. intros u' j Hu'. unfold with_round. destruct (Nat.eqb_spec u' u); [lia | easy].
      * unfold with_round. destruct (Nat.eqb_spec (S i) u); [lia | easy].
  - transitivity (mean_over_tables outcomes chance loss 1 (S i) (fun l => sum K (fun k => p l1 (S i) k * (mu k - mu best))) l1).
    + cbn [mean_over_tables]. rewrite (sum_ext outcomes _ (fun i0 => sum K (fun k => p l1 (S i) k * (chance i0 * loss i0 k + -1 * (chance i0 * loss i0 best))))).
      * rewrite weights_const with (v := loss) by auto. rewrite sum_swap. apply sum_ext. intros k _.
        rewrite sum_scal, sum_plus, sum_scal, !Hmu. ring.
      * intros i0 _. rewrite <- sum_scal. apply sum_ext. intros k _. unfold with_round. rewrite Nat.eqb_refl. ring.
    + apply expect_ext. intros l2 H2. rewrite expect_ignore; auto.
      * apply sum_ext. intros k _. f_equal. symmetry. apply C. intros u j Hu. rewrite H2 by lia. reflexivity.
      * intros l3 u x Hu. apply sum_ext. intros k _. f_equal.
        apply C. intros u' j Hu'. unfold with_round. destruct (Nat.eqb_spec u' u); [lia | easy].
Qed.
