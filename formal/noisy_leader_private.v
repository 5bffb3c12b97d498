Require Import Reals Lra Lia List PeanoNat.
Local Open Scope R_scope.

Definition noisy_leader_private_statement := forall eta f F K s s' k P P',
  0 <= eta -> has_star eta f F -> (forall i, (i < K)%nat -> Rabs (s i - s' i) <= 1) -> (k < K)%nat ->
  chance_of_leading f F K s k P -> chance_of_leading f F K s' k P' -> P <= exp (2 * eta) * P'.

Theorem noisy_leader_private : noisy_leader_private_statement.
Proof.
  intros eta f F K s s' k P P' He (f0 & fh & F0 & Fm) Hs Hk HP HP'.
  apply integral_shift in HP'.
  apply (is_RInt_gen_scal (V := R_NormedModule) _ (exp (2 * eta))) in HP'.
  unfold chance_of_leading in HP.
  assert (N : norm (V := R_NormedModule) P <= exp (2 * eta) * P').
  { eapply (RInt_gen_norm (V := R_CompleteNormedModule) (Fa := Rbar_locally m_infty) (Fb := Rbar_locally p_infty)); [| |exact HP|exact HP'].
    - exists (fun x => x < 0) (fun x => 0 < x); [now exists 0 | now exists 0 |]. simpl; intros; lra.
    - apply filter_forall. intros ab x _. cbv beta.
      unfold norm, scal; simpl; unfold mult, abs; simpl.
      assert (S1 : forall i, (i < K)%nat -> -1 <= s i - s' i <= 1).
      { intros i Hi. specialize (Hs i Hi). unfold Rabs in Hs. destruct (Rcase_abs _); lra. }
      destruct (prod_le K (fun i => if Nat.eqb i k then 1 else F (x + s i))
                          (fun i => if Nat.eqb i k then 1 else F (x + 1 + s' i))) as [A B].
      { intros i Hi. destruct (Nat.eqb i k); [lra|]. split; [auto|]. apply Fm. specialize (S1 i Hi). lra. }
      rewrite Rabs_pos_eq by (apply Rmult_le_pos; auto).
      rewrite <- Rmult_assoc. apply Rmult_le_compat; auto.
      replace (x + s k) with (x + 1 + s' k - (1 + s' k - s k)) by ring.
      specialize (S1 k Hk).
      eapply Rle_trans; [apply fh; lra|]. apply Rmult_le_compat_r; auto. apply exp_le. nra. }
  unfold norm in N; simpl in N; unfold abs in N; simpl in N.
  eapply Rle_trans; [apply Rle_abs | exact N].
Qed.

(* ---------------------------------------------------------------- the sequence of actions *)

(* P is the chance of action k in epoch r: uniform in epoch 0, then the noisy leader of the last epoch. *)
Definition noisy_epoch (f F : R -> R) (K : nat) (l : table) (r k : nat) (P : R) : Prop :=
  match r with O => P = / INR K | S q => chance_of_leading f F K (sums l q) k P end.

(* For every sequence of actions a 0, ..., a (n - 1) of epochs 0, ..., n - 1; the table may react to it. *)
Definition noisy_sequence_private_statement := forall eta f F K l l' t0 n a P P',
  0 <= eta -> has_star eta f F -> neighbours l l' t0 -> (forall r, (r < n)%nat -> (a r < K)%nat) ->
  (forall r, (r < n)%nat -> noisy_epoch f F K l r (a r) (P r)) ->
  (forall r, (r < n)%nat -> noisy_epoch f F K l' r (a r) (P' r)) ->
  prod n P <= exp (2 * eta) * prod n P'.

Theorem noisy_sequence_private : noisy_sequence_private_statement.
Proof.
  intros eta f F K l l' t0 n a P P' He HN N A HP HP'.
  assert (Pos : forall l r k Q, (k < K)%nat -> noisy_epoch f F K l r k Q -> 0 <= Q).
  { intros l0 r k Q Hk H. destruct r; simpl in H; [|exact (leads_nonneg eta f F K _ k Q HN H)].
    rewrite H. left. apply Rinv_0_lt_compat, lt_0_INR. lia. }
  apply prod_differ with (j := S (Nat.log2 t0)).
  - rewrite <- exp_0; apply exp_le; lra.
  - intros r Hr. eapply Pos; [apply A | apply HP]; auto.
  - intros r Hr. eapply Pos; [apply A | apply HP']; auto.
  - intros r Hr. specialize (HP r Hr). specialize (HP' r Hr). specialize (A r Hr). destruct r as [|q]; simpl in *.
    + rewrite HP, HP'. assert (0 < / INR K) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
      assert (1 <= exp (2 * eta)) by (rewrite <- exp_0; apply exp_le; lra). nra.
    + apply (noisy_leader_private eta f F K (sums l q) (sums l' q) (a (S q))); auto.
      intros i _. now apply same_epoch with t0.
  - intros r Hr Hn. specialize (HP r Hr). specialize (HP' r Hr). destruct r as [|q]; simpl in *.
    + now rewrite HP, HP'.
    + eapply leads_unique; [|exact HP|exact HP']. intros i. apply other_epoch with t0; auto.
Qed.
