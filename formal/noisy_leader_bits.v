(* Theorem "noisy-leader", Gumbel noise, losses resampled as bits (B = 1).

   Printed: loss vectors are iid over the rounds, entries in [0, 1], resampled as bits (B = 1) or not (B = 0): bits are
   such losses again, with the same means. So the bounds of noisy_leader_iid.v and noisy_leader_independent.v hold for
   the learner that sees bits. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums learners laws.
From Formal Require Import noisy_leader_iid noisy_leader_independent.
Local Open Scope R_scope.

(* Bits are written as a whole number b below 2^K, bit k being its binary digit k. Given losses x, bit k is 1 with
   chance x k, one bit independently of the other: *)
Definition bits_given (K : nat) (x : nat -> R) (b : nat) : R :=
  prod K (fun k => if Nat.testbit b k then x k else 1 - x k).
Definition bit_row (b k : nat) : R := if Nat.testbit b k then 1 else 0.

(* The law of a round's bits: outcome i 2^K + b is that the losses are those of outcome i, and the bits are b. *)
Definition bits_outcomes (K outcomes : nat) : nat := outcomes * 2 ^ K.
Definition bits_chance (K : nat) (chance : nat -> R) (loss : nat -> nat -> R) (o : nat) : R :=
  chance (o / 2 ^ K)%nat * bits_given K (loss (o / 2 ^ K)%nat) (o mod 2 ^ K)%nat.
Definition bits_loss (K o k : nat) : R := bit_row (o mod 2 ^ K) k.

(* ---------------------------------------------------------------- sums over bits *)

Lemma two_pow K : (0 < 2 ^ K)%nat.
Proof. apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia. Qed.

Lemma digit_top K b : (b < 2 ^ K)%nat -> Nat.testbit b K = false /\ Nat.testbit (2 ^ K + b) K = true.
Proof.
  intros H. pose proof (two_pow K). rewrite !Nat.testbit_odd, !Nat.shiftr_div_pow2. split.
  - now rewrite Nat.div_small.
  - replace (2 ^ K + b)%nat with (1 * 2 ^ K + b)%nat by lia. rewrite Nat.div_add_l, (Nat.div_small b) by lia. reflexivity.
Qed.

Lemma digit_below K b k : (k < K)%nat -> Nat.testbit (2 ^ K + b) k = Nat.testbit b k.
Proof.
  intros H. pose proof (two_pow k). rewrite !Nat.testbit_odd, !Nat.shiftr_div_pow2.
  replace (2 ^ K + b)%nat with (2 * 2 ^ (K - S k) * 2 ^ k + b)%nat.
  - rewrite Nat.div_add_l by lia. rewrite Nat.odd_add, Nat.odd_mul. change (Nat.odd 2) with false. apply Bool.xorb_false_l.
  - f_equal. replace K with (S (K - S k) + k)%nat at 2 by lia. rewrite Nat.pow_add_r, Nat.pow_succ_r'. reflexivity.
Qed.

Lemma sum_over_bits K (h : nat -> bool -> R) :
  sum (2 ^ K) (fun b => prod K (fun k => h k (Nat.testbit b k))) = prod K (fun k => h k true + h k false).
Proof.
  induction K as [|K IH]; [simpl; ring|].
  replace (2 ^ S K)%nat with (2 ^ K + 2 ^ K)%nat by (rewrite Nat.pow_succ_r'; lia). rewrite sum_app. cbn [prod].
  rewrite <- IH, Rmult_plus_distr_l, Rplus_comm, !(Rmult_comm (sum (2 ^ K) _)), <- !sum_scal. f_equal.
  - apply sum_ext. intros b Hb. rewrite (proj2 (digit_top K b Hb)), Rmult_comm. f_equal.
    apply prod_ext. intros k Hk. now rewrite digit_below.
  - apply sum_ext. intros b Hb. rewrite (proj1 (digit_top K b Hb)). apply Rmult_comm.
Qed.

Lemma sum_blocks m n f : sum (m * n) f = sum m (fun i => sum n (fun b => f (i * n + b)%nat)).
Proof.
  induction m as [|m IH]; [reflexivity|]. replace (S m * n)%nat with (m * n + n)%nat by lia. now rewrite sum_app, IH.
Qed.

Lemma prod_mult n (u v : nat -> R) : prod n u * prod n v = prod n (fun k => u k * v k).
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite <- IH. ring. Qed.

Lemma prod_nonneg n (f : nat -> R) : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= prod n f.
Proof. induction n; simpl; intros H; [lra|]. apply Rmult_le_pos; auto with arith. Qed.

(* The mean of a product over bits is the mean of the product of the bits' means given the losses. *)
Lemma mean_of_bits K outcomes chance loss (g : nat -> R -> R) :
  mean_of (bits_outcomes K outcomes) (bits_chance K chance loss) (bits_loss K) (fun x => prod K (fun k => g k (x k))) =
  sum outcomes (fun i => chance i * prod K (fun k => loss i k * g k 1 + (1 - loss i k) * g k 0)).
Proof.
  unfold mean_of, bits_outcomes. rewrite sum_blocks. apply sum_ext. intros i _. pose proof (two_pow K).
  pose proof (sum_over_bits K (fun k (d : bool) => (if d then loss i k else 1 - loss i k) * g k (if d then 1 else 0))) as S.
  cbv beta iota in S. rewrite <- S, <- sum_scal. apply sum_ext. intros b Hb. unfold bits_chance, bits_loss, bits_given, bit_row.
  replace ((i * 2 ^ K + b) / 2 ^ K)%nat with i by (apply Nat.div_unique with b; lia).
  replace ((i * 2 ^ K + b) mod 2 ^ K)%nat with b by (apply Nat.mod_unique with i; lia).
  rewrite Rmult_assoc. f_equal. apply prod_mult.
Qed.

Theorem bits_are_losses : forall K outcomes chance loss, loss_distribution outcomes chance loss ->
  loss_distribution (bits_outcomes K outcomes) (bits_chance K chance loss) (bits_loss K) /\
  (forall k, (k < K)%nat -> mean_loss (bits_outcomes K outcomes) (bits_chance K chance loss) (bits_loss K) k
                            = mean_loss outcomes chance loss k) /\
  (independent K outcomes chance loss ->
   independent K (bits_outcomes K outcomes) (bits_chance K chance loss) (bits_loss K)).
Proof.
  intros K outcomes chance loss (W & One & B). pose proof (two_pow K) as TP. split; [|split].
  - split; [|split].
    + intros o Ho. unfold bits_chance, bits_given. apply Rmult_le_pos.
      * apply W. apply Nat.div_lt_upper_bound; unfold bits_outcomes in Ho; lia.
      * apply prod_nonneg. intros k _. specialize (B (o / 2 ^ K)%nat k). destruct (Nat.testbit _ k); lra.
    + pose proof (mean_of_bits K outcomes chance loss (fun _ _ => 1)) as M. unfold mean_of in M.
      rewrite (sum_ext _ (fun i => chance i * _) chance) in M.
      * rewrite <- One, <- M. apply sum_ext. intros o _. rewrite prod_ones by easy. ring.
      * intros i _. rewrite prod_ones; [ring|]. intros. ring.
    + intros o k. unfold bits_loss, bit_row. destruct (Nat.testbit _ k); lra.
  - intros k Hk. unfold mean_loss.
    pose proof (mean_of_bits K outcomes chance loss (fun j x => if Nat.eqb j k then x else 1)) as M. unfold mean_of in M.
    assert (P : forall x : nat -> R, prod K (fun j => if Nat.eqb j k then x j else 1) = x k).
    { intros x. rewrite <- (prod_one K k (fun j => if Nat.eqb j k then x j else 1) Hk), Nat.eqb_refl.
      rewrite prod_ones; [ring|]. intros j _. destruct (Nat.eqb j k); easy. }
    rewrite (sum_ext _ _ (fun o => bits_chance K chance loss o * bits_loss K o k)) in M by (intros; now rewrite P).
    rewrite M. apply sum_ext. intros i _. f_equal. rewrite <- (P (loss i)). apply prod_ext.
    intros j _. destruct (Nat.eqb j k); ring.
  - intros I g. rewrite mean_of_bits.
    pose proof (I (fun k x => x * g k 1 + (1 - x) * g k 0)) as J. unfold mean_of in J at 1. rewrite J.
    apply prod_ext. intros k Hk.
    (* the mean of one bit's g *)
    pose proof (mean_of_bits K outcomes chance loss (fun j x => if Nat.eqb j k then g k x else 1)) as M.
    assert (P : forall y : nat -> R, prod K (fun j => if Nat.eqb j k then y j else 1) = y k).
    { intros y. rewrite <- (prod_one K k (fun j => if Nat.eqb j k then y j else 1) Hk), Nat.eqb_refl.
      rewrite prod_ones; [ring|]. intros j _. destruct (Nat.eqb j k); easy. }
    unfold mean_of in *.
    rewrite (sum_ext _ _ (fun o => bits_chance K chance loss o * g k (bits_loss K o k))) in M.
    + rewrite M. apply sum_ext. intros i _. f_equal.
      rewrite <- (P (fun j => loss i j * g k 1 + (1 - loss i j) * g k 0)). apply prod_ext.
      intros j _. destruct (Nat.eqb j k); ring.
    + intros o _. f_equal. exact (P (fun j => g k (bits_loss K o j))).
Qed.

(* ---------------------------------------------------------------- the bounds, as without bits *)

Lemma same_regret K m w v m' w' v' p best T : loss_distribution m w v -> (best < K)%nat ->
  (forall k, (k < K)%nat -> mean_loss m w v k = mean_loss m' w' v' k) ->
  mean_over_tables m w v T 1 (fun l => pseudo_regret (p l) K (mean_loss m' w' v') best T) (fun _ _ => 0)
  = expected_regret m w v K p best T.
Proof.
  intros L Hb E. unfold expected_regret. apply expect_ext. intros l _. unfold pseudo_regret.
  apply sum_ext. intros i _. apply sum_ext. intros k Hk. now rewrite !E.
Qed.

Lemma same_gap K mu mu' best Delta : (forall k, (k < K)%nat -> mu k = mu' k) ->
  best_with_gap K mu' best Delta -> best_with_gap K mu best Delta.
Proof.
  intros E (Hb & HD & Best & Gap). repeat split; auto; intros k Hk; rewrite !E by auto; auto.
Qed.

(* The learner sees tables of bits, and its regret is counted in the means of the losses. *)
Theorem noisy_leader_bits_any_joint_law : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  best_with_gap K (mean_loss outcomes chance loss) best Delta ->
  mean_over_tables (bits_outcomes K outcomes) (bits_chance K chance loss) (bits_loss K) T 1
    (fun bits => pseudo_regret (whole_epoch_learner (epsilon / 2) K bits) K (mean_loss outcomes chance loss) best T)
    (fun _ _ => 0)
  <= 1 + 21.4 * (ln (K - 1) + 1) / Delta + 16 * ln K / epsilon.
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L G.
  destruct (bits_are_losses K outcomes chance loss L) as (L' & M & _).
  rewrite (same_regret K) by (auto; now destruct G).
  apply noisy_leader_any_joint_law; auto. now apply same_gap with (mean_loss outcomes chance loss).
Qed.

Theorem noisy_leader_bits_independent_losses : forall epsilon Delta K outcomes chance loss best T,
  0 < epsilon -> (2 <= K)%nat -> loss_distribution outcomes chance loss ->
  independent K outcomes chance loss -> best_with_gap K (mean_loss outcomes chance loss) best Delta ->
  mean_over_tables (bits_outcomes K outcomes) (bits_chance K chance loss) (bits_loss K) T 1
    (fun bits => pseudo_regret (whole_epoch_learner (epsilon / 2) K bits) K (mean_loss outcomes chance loss) best T)
    (fun _ _ => 0)
  <= 1 + 18.3 * (ln (K - 1) + 1) / Delta + 32 / 3 * ln K / epsilon.
Proof.
  intros epsilon Delta K outcomes chance loss best T He HK L I G.
  destruct (bits_are_losses K outcomes chance loss L) as (L' & M & I').
  rewrite (same_regret K) by (auto; now destruct G).
  apply noisy_leader_independent_losses; auto. now apply same_gap with (mean_loss outcomes chance loss).
Qed.

(* An instance: one loss of 1/4 and one of 1/2 in every round; the bits are (1, 1) with chance 1/8. *)
Example two_bits : bits_chance 2 (fun _ => 1) (fun _ k => if Nat.eqb k 0 then 1 / 4 else 1 / 2) 3 = 1 / 8.
Proof. unfold bits_chance, bits_given. simpl. field. Qed.
