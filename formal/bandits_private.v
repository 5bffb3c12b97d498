(* Algorithm 1 of paper 4 (private adversarial bandits), whatever the base algorithm is: the privacy half of its
   Theorem 1, which is Lemma 3 there (claim BA-L3).

   Printed: batches of tau rounds; in batch j the algorithm plays the action I_j of the bandit algorithm B, and B is
   then told the mean of the tau losses of I_j plus Laplace noise of scale 1 / (tau epsilon). For every bandit
   algorithm, every tau >= 1 and epsilon <= 1 the actions are epsilon-differentially private. *)

Require Import Reals Lra Lia List PeanoNat.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums learners noise.
Local Open Scope R_scope.
Import ListNotations.

(* The mean loss of action k in batch j = 0, 1, 2, ..., of rounds j tau + 1, ..., (j + 1) tau. *)
Definition batch_mean (tau : nat) (l : table) (j k : nat) : R := / tau * sum tau (fun i => l (j * tau + S i)%nat k).

(* A bandit algorithm: the chance that it plays action k after a history of actions and noisy means. *)
Definition bandit := list (nat * R) -> nat -> R.

(* P is the chance that the actions of the next batches are those of the list: the bandit algorithm plays the first
   of them, k; the noisy mean y has the Laplace density around the mean loss of k; and g y is the chance of the
   other actions after that. So P is an iterated integral over all noisy means. *)
Fixpoint plays (tau : nat) (epsilon : R) (base : bandit) (l : table) (history : list (nat * R)) (actions : list nat)
    (P : R) : Prop :=
  match actions with
  | [] => P = 1
  | k :: others => exists g Q,
      (forall y, plays tau epsilon base l (history ++ [(k, y)]) others (g y)) /\
      is_RInt_gen (V := R_NormedModule)
        (fun y => laplace_density (tau * epsilon) (y - batch_mean tau l (length history) k) * g y)
        (Rbar_locally m_infty) (Rbar_locally p_infty) Q /\
      P = base history k * Q
  end.

(* The chance of a finite set of action sequences. *)
Definition total (p : list nat -> R) (event : list (list nat)) : R := fold_right (fun a x => p a + x) 0 event.

(* ---------------------------------------------------------------- the Laplace mechanism *)

Lemma laplace_moves eta y m m' : 0 < eta ->
  laplace_density eta (y - m) <= exp (eta * Rabs (m - m')) * laplace_density eta (y - m').
Proof.
  intros He. unfold laplace_density.
  replace (exp (eta * Rabs (m - m')) * (eta / 2 * exp (- eta * Rabs (y - m'))))
    with (eta / 2 * exp (eta * Rabs (m - m') + - eta * Rabs (y - m'))) by (rewrite exp_plus; ring).
  apply Rmult_le_compat_l; [lra|]. apply exp_le.
  assert (Rabs (y - m') <= Rabs (y - m) + Rabs (m - m')); [|nra].
  replace (y - m') with ((y - m) + (m - m')) by ring. apply Rabs_triang.
Qed.

(* A round is in one batch. *)
Lemma other_batch tau l l' t0 j k : (0 < tau)%nat -> neighbours l l' t0 -> j <> ((t0 - 1) / tau)%nat ->
  batch_mean tau l j k = batch_mean tau l' j k.
Proof.
  intros Ht [H _] Hj. unfold batch_mean. f_equal. apply sum_ext. intros i Hi. apply H. intros E. apply Hj.
  apply Nat.div_unique with i; [auto|]. rewrite Nat.mul_comm. lia.
Qed.

Lemma same_batch tau l l' t0 j k : (0 < tau)%nat -> neighbours l l' t0 ->
  Rabs (batch_mean tau l j k - batch_mean tau l' j k) <= / tau.
Proof.
  intros Ht (H & B & B'). assert (T0 : 0 < INR tau) by (now apply lt_0_INR).
  unfold batch_mean. rewrite <- Rmult_minus_distr_l, Rabs_mult, Rabs_pos_eq by (left; now apply Rinv_0_lt_compat).
  rewrite <- (Rmult_1_r (/ INR tau)) at 2. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
  apply sum_differ with (i := (t0 - 1 - j * tau)%nat).
  - intros i _ Hi. apply H. lia.
  - pose proof (B (j * tau + S (t0 - 1 - j * tau))%nat k). pose proof (B' (j * tau + S (t0 - 1 - j * tau))%nat k).
    unfold Rabs; destruct (Rcase_abs _); lra.
Qed.

(* ---------------------------------------------------------------- proof *)

Section Proof.
Variables (tau : nat) (epsilon : R) (base : bandit) (l l' : table) (t0 : nat).
Hypotheses (Ht : (0 < tau)%nat) (He : 0 < epsilon) (Base : forall h k, 0 <= base h k) (N : neighbours l l' t0).
Notation f := (laplace_density (tau * epsilon)).
Notation changed := ((t0 - 1) / tau)%nat.

Lemma sequences actions : forall history P P',
  plays tau epsilon base l history actions P -> plays tau epsilon base l' history actions P' ->
  0 <= P /\ 0 <= P' /\ P <= exp epsilon * P' /\ ((changed < length history)%nat -> P = P').
Proof.
  assert (T0 : 0 < INR tau) by (now apply lt_0_INR).
  assert (H0 : 0 < INR tau * epsilon) by (now apply Rmult_lt_0_compat).
  assert (E1 : 1 <= exp epsilon) by (rewrite <- exp_0; apply exp_le; lra).
  pose proof (proj1 (laplace_pieces _ H0)) as f0.
  induction actions as [|k others IH]; intros history P P' HP HP'.
  { simpl in *. subst. repeat split; lra. }
  destruct HP as (g & Q & G & I & ->). destruct HP' as (g' & Q' & G' & I' & ->).
  set (j := length history) in *. set (m := batch_mean tau l j k) in *. set (m' := batch_mean tau l' j k) in *.
  assert (J : forall y, length (history ++ [(k, y)]) = S j) by (intros; rewrite app_length; simpl; lia).
  assert (S1 : forall y, 0 <= g y /\ 0 <= g' y /\ g y <= exp epsilon * g' y /\ ((changed < S j)%nat -> g y = g' y)).
  { intros y. rewrite <- (J y). exact (IH _ _ _ (G y) (G' y)). }
  assert (Pos : forall x, 0 <= f (x - m) * g x) by (intros; apply Rmult_le_pos; [apply f0 | apply S1]).
  assert (Pos' : forall x, 0 <= f (x - m') * g' x) by (intros; apply Rmult_le_pos; [apply f0 | apply S1]).
  assert (Q0 : 0 <= Q) by (apply (gen_le _ _ Q Q) with (2 := I) (3 := I); intros; split; [apply Pos | lra]).
  assert (Q0' : 0 <= Q') by (apply (gen_le _ _ Q' Q') with (2 := I') (3 := I'); intros; split; [apply Pos' | lra]).
  assert (Step : forall x, f (x - m) * g x <= exp epsilon * (f (x - m') * g' x)).
  { intros x. destruct (S1 x) as (g0 & g0' & Gle & Geq). destruct (Nat.eq_dec j changed) as [E|E].
    - (* the batch that changed: its noise hides the change, and what follows depends on the noisy mean alone *)
      rewrite Geq, <- Rmult_assoc by lia. apply Rmult_le_compat_r; auto.
      eapply Rle_trans; [now apply laplace_moves with (m' := m')|]. apply Rmult_le_compat_r; [apply f0|]. apply exp_le.
      apply Rle_trans with (INR tau * epsilon * / INR tau); [|right; field; lra].
      apply Rmult_le_compat_l; [lra | now apply same_batch with t0].
    - unfold m, m'. rewrite (other_batch tau l l' t0 j k Ht N E). fold m'.
      replace (exp epsilon * (f (x - m') * g' x)) with (f (x - m') * (exp epsilon * g' x)) by ring.
      apply Rmult_le_compat_l; auto. }
  assert (QQ : Q <= exp epsilon * Q').
  { apply (is_RInt_gen_scal (V := R_NormedModule) _ (exp epsilon)) in I'.
    apply (gen_le _ _ Q (exp epsilon * Q')) with (2 := I) (3 := I'). intros x. split; [apply Pos | apply Step]. }
  pose proof (Base history k) as B0.
  split; [now apply Rmult_le_pos|]. split; [now apply Rmult_le_pos|]. split.
  - replace (exp epsilon * (base history k * Q')) with (base history k * (exp epsilon * Q')) by ring.
    now apply Rmult_le_compat_l.
  - intros C. f_equal.
    assert (I2 : is_RInt_gen (V := R_NormedModule) (fun y => f (y - m) * g y) (Rbar_locally m_infty) (Rbar_locally p_infty) Q').
    { eapply is_RInt_gen_ext; [|exact I']. apply filter_forall. intros ab x _.
      destruct (S1 x) as (_ & _ & _ & Geq). rewrite Geq by lia. f_equal. f_equal.
      unfold m, m'. now rewrite (other_batch tau l l' t0 j k Ht N ltac:(lia)). }
    apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in I.
    apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in I2. now rewrite <- I, <- I2.
Qed.
End Proof.

(* P a and P' a are the chances of the actions a on the two tables; the adversary may be adaptive. *)
Theorem bandits_algorithm_1_private : forall tau epsilon base l l' t0 event P P',
  (0 < tau)%nat -> 0 < epsilon -> (forall h k, 0 <= base h k) ->
  (forall a : list nat, neighbours (l a) (l' a) (t0 a)) ->
  (forall a, In a event -> plays tau epsilon base (l a) [] a (P a)) ->
  (forall a, In a event -> plays tau epsilon base (l' a) [] a (P' a)) ->
  total P event <= exp epsilon * total P' event.
Proof.
  intros tau epsilon base l l' t0 event P P' Ht He Base N. induction event as [|a event IH]; simpl; intros HP HP'; [lra|].
  rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
  - apply (sequences tau epsilon base (l a) (l' a) (t0 a) Ht He Base (N a) a []); auto.
  - apply IH; auto.
Qed.

(* An instance: a bandit algorithm that plays uniformly has these chances, whatever the losses are. *)
Example uniform_plays tau epsilon (K : nat) l history actions : (0 < tau)%nat -> 0 < epsilon ->
  plays tau epsilon (fun _ _ => / K) l history actions ((/ K) ^ length actions).
Proof.
  intros Ht He. revert history. induction actions as [|k others IH]; intros history; [reflexivity|].
  assert (H0 : 0 < INR tau * epsilon) by (apply Rmult_lt_0_compat; [now apply lt_0_INR | auto]).
  exists (fun _ => (/ INR K) ^ length others), ((/ INR K) ^ length others). split; [intros; apply IH|]. split; [|reflexivity].
  pose proof (noise_total _ _ (batch_mean tau l (length history) k) (laplace_law _ H0)) as T.
  apply (is_RInt_gen_scal (V := R_NormedModule) _ ((/ INR K) ^ length others)) in T.
  match type of T with is_RInt_gen _ _ _ ?z => change z with ((/ INR K) ^ length others * 1) in T end.
  rewrite Rmult_1_r in T.
  eapply is_RInt_gen_ext; [|exact T]. apply filter_forall. intros ab x _. unfold scal; simpl; unfold mult; simpl. ring.
Qed.
