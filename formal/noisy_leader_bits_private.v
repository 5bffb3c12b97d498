(* Privacy of the noisy leader that sees bits (Wu and Wang 2025, Algorithm 1, B = 1; claim NL-P).

   Printed: Algorithm 1 is epsilon-differentially private with B = 0 or 1. With B = 1 each loss is replaced by a bit
   whose mean it is, drawn by the learner, before it is summed. *)

Require Import Reals Lra Lia List PeanoNat.
From Formal.base Require Import sums learners laws noise.
From Formal Require Import noisy_leader_bits noisy_leader_private.
Local Open Scope R_scope.

(* The mean of f of the table of bits, where the bits of rounds t, ..., t + n - 1 of b are drawn given the losses l. *)
Fixpoint mean_over_bits (K n t : nat) (l : table) (f : table -> R) (b : table) : R :=
  match n with
  | O => f b
  | S n => sum (2 ^ K) (fun d => bits_given K (l t) d * mean_over_bits K n (S t) l f (with_round b t (bit_row d)))
  end.

(* The chance that a 0, ..., a (n - 1) are chosen for epochs 0, ..., n - 1 from the bits of rounds 1, ..., 2^n, which are
   more rounds than these choices read. *)
Definition sequence_chance_with_bits (c : choice) (K : nat) (l : (nat -> nat) -> table) (n : nat) (a : nat -> nat) : R :=
  mean_over_bits K (2 ^ n) 1 (l a) (fun bits => sequence_chance c (fun _ => bits) n a) (fun _ _ => 0).

Definition private_sequence_with_bits (epsilon : R) (K : nat) (c : choice) : Prop := forall l l' t0 n event,
  (forall a, neighbours (l a) (l' a) (t0 a)) ->
  (forall a, In a event -> forall r, (r < n)%nat -> (a r < K)%nat) ->
  chance_of_event (sequence_chance_with_bits c K l n) event
  <= exp epsilon * chance_of_event (sequence_chance_with_bits c K l' n) event.

(* ---------------------------------------------------------------- proof *)

Lemma bits_given_nonneg K x d : (forall k, 0 <= x k <= 1) -> 0 <= bits_given K x d.
Proof. intros H. apply prod_nonneg. intros k _. specialize (H k). destruct (Nat.testbit d k); lra. Qed.

Lemma bits_given_total K x : sum (2 ^ K) (bits_given K x) = 1.
Proof.
  pose proof (sum_over_bits K (fun k (d : bool) => if d then x k else 1 - x k)) as S. cbv beta iota in S.
  unfold bits_given. rewrite S. apply prod_ones. intros. ring.
Qed.

Definition in_01 (b : table) : Prop := forall t k, 0 <= b t k <= 1.

Lemma with_bits_in_01 b t d : in_01 b -> in_01 (with_round b t (bit_row d)).
Proof.
  intros H u k. unfold with_round, bit_row. destruct (Nat.eqb u t); [destruct (Nat.testbit d k); lra | apply H].
Qed.

(* Two tables of bits that differ in round t0 at most stay so, if the same bits are drawn in the other rounds; in round
   t0 any bits may be drawn on either side. *)
Lemma coupled K (l l' : table) t0 (f : table -> R) e : 0 <= e -> neighbours l l' t0 ->
  (forall b b', neighbours b b' t0 -> f b <= e * f b') -> forall n t b b', neighbours b b' t0 ->
  mean_over_bits K n t l f b <= e * mean_over_bits K n t l' f b'.
Proof.
  intros He (E & B & B') Hf. induction n as [|n IH]; intros t b b' N; [now apply Hf|]. cbn [mean_over_bits].
  destruct N as (Eb & Bb & Bb').
  destruct (Nat.eq_dec t t0) as [->|Ht].
  - set (g := fun d => mean_over_bits K n (S t0) l f (with_round b t0 (bit_row d))).
    set (g' := fun d => mean_over_bits K n (S t0) l' f (with_round b' t0 (bit_row d))).
    assert (G : forall d d', g d <= e * g' d').
    { intros d d'. apply IH. split; [|split]; try (now apply with_bits_in_01).
      intros u k Hu. unfold with_round. destruct (Nat.eqb_spec u t0); [lia | now apply Eb]. }
    change (sum (2 ^ K) (fun d => bits_given K (l t0) d * g d) <= e * sum (2 ^ K) (fun d => bits_given K (l' t0) d * g' d)).
    apply Rle_trans with (sum (2 ^ K) (fun d => bits_given K (l t0) d * (e * sum (2 ^ K) (fun d' => bits_given K (l' t0) d' * g' d')))).
    + apply sum_le. intros d _. apply Rmult_le_compat_l; [now apply bits_given_nonneg|].
      rewrite <- (Rmult_1_l (g d)), <- (bits_given_total K (l' t0)), Rmult_comm, <- !sum_scal. apply sum_le. intros d' _.
      pose proof (bits_given_nonneg K (l' t0) d' ltac:(auto)). specialize (G d d'). nra.
    + right. rewrite (sum_ext _ _ (fun d => e * sum (2 ^ K) (fun d' => bits_given K (l' t0) d' * g' d') * bits_given K (l t0) d))
        by (intros; ring).
      rewrite sum_scal, bits_given_total. ring.
  - rewrite <- sum_scal. apply sum_le. intros d _.
    assert (W : bits_given K (l t) d = bits_given K (l' t) d) by (apply prod_ext; intros k _; rewrite E by auto; reflexivity).
    rewrite W, <- Rmult_assoc, (Rmult_comm e), Rmult_assoc.
    apply Rmult_le_compat_l; [now apply bits_given_nonneg|]. apply IH. split; [|split]; try (now apply with_bits_in_01).
    intros u k Hu. unfold with_round. destruct (Nat.eqb u t); auto.
Qed.

(* Choices that are private in what they see are private in the losses. *)
Theorem bits_keep_privacy : forall epsilon K c, private_sequence epsilon K c -> private_sequence_with_bits epsilon K c.
Proof.
  intros epsilon K c P l l' t0 n event N. induction event as [|a event IH]; simpl; intros A; [lra|].
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|apply IH; auto].
  apply coupled with (t0 := t0 a); auto; [left; apply exp_pos | |].
  - intros b b' Nb. specialize (P (fun _ => b) (fun _ => b') (fun _ => t0 a) n (a :: nil)). simpl in P.
    rewrite !Rplus_0_r in P. apply P; auto. intros a0 [<-|[]]. auto.
  - split; [easy|]. split; intros; lra.
Qed.

(* The three noises of scale 2 / epsilon, losses resampled as bits. *)
Theorem noisy_leader_bits_private : forall epsilon K, 0 < epsilon -> let eta := epsilon / 2 in
  private_sequence_with_bits epsilon K (noisy_choice (laplace_density eta) (laplace_cdf eta) K (fun _ => / K)) /\
  private_sequence_with_bits epsilon K (noisy_choice (gumbel_density eta) (gumbel_cdf eta) K (fun _ => / K)) /\
  private_sequence_with_bits epsilon K (noisy_choice (exponential_density eta) (exponential_cdf eta) K (fun _ => / K)).
Proof.
  intros epsilon K He eta. destruct (noisy_leader_private epsilon K He) as (L & G & X).
  split; [|split]; now apply bits_keep_privacy.
Qed.

(* An instance: one action's bit of round 1, whose loss is 1/4. *)
Example one_bit : mean_over_bits 1 1 1 (fun _ _ => 1 / 4) (fun bits => bits 1%nat 0%nat) (fun _ _ => 0) = 1 / 4.
Proof. unfold mean_over_bits, bits_given, bit_row, with_round. simpl. field. Qed.
