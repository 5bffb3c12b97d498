(* Privacy of the noisy leader (Wu and Wang 2025, Algorithm 1, B = 0; claim NL-P), for every noise with ( * ).

   Printed: with Laplace, Gumbel or exponential noise of scale 2 / epsilon Algorithm 1 is epsilon-differentially
   private (exponential noise with its scale corrected from 1 / epsilon, see NL-S1). *)

Require Import Reals Lra Lia List PeanoNat.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums learners noise.
Local Open Scope R_scope.

(* One choice: scores that move by at most 1 each. *)
Lemma leading_private : forall eta f F K s s' k P P', 0 <= eta -> noise_law f F -> has_star eta f ->
  (forall i, (i < K)%nat -> Rabs (s i - s' i) <= 1) -> (k < K)%nat ->
  chance_of_leading f F K s k P -> chance_of_leading f F K s' k P' -> P <= exp (2 * eta) * P'.
Proof.
  intros eta f F K s s' k P P' He N0 fh Hs Hk HP HP'. pose proof N0 as (f0 & _ & F0 & _).
  pose proof (fun q q' => noise_rises f F q q' N0) as Fm.
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
      { intros i Hi. destruct (Nat.eqb i k); [lra|]. split; [apply F0|]. apply Fm. specialize (S1 i Hi). lra. }
      rewrite Rabs_pos_eq by (apply Rmult_le_pos; auto).
      rewrite <- Rmult_assoc. apply Rmult_le_compat; auto.
      replace (x + s k) with (x + 1 + s' k - (1 + s' k - s k)) by ring.
      specialize (S1 k Hk).
      eapply Rle_trans; [apply fh; lra|]. apply Rmult_le_compat_r; auto. apply exp_le. nra. }
  unfold norm in N; simpl in N; unfold abs in N; simpl in N.
  eapply Rle_trans; [apply Rle_abs | exact N].
Qed.

(* All choices together, whatever law the first action has. *)
Theorem noisy_leader_private_every_noise : forall eta f F K first,
  0 <= eta -> noise_law f F -> has_star eta f -> chances_exist f F K -> (forall k, 0 <= first k) ->
  private_sequence (2 * eta) K (noisy_choice f F K first).
Proof.
  intros eta f F K first He N Star Ex F0.
  assert (One : 1 <= exp (2 * eta)) by (rewrite <- exp_0; apply exp_le; lra).
  apply choices_private; [lra|..].
  - intros l r k Hk. destruct r as [|q]; simpl; [apply F0|].
    apply (leads_nonneg f F K (sums l q) k); auto. apply leading_is_chance. now apply Ex.
  - intros l l' t0 r k Nb Hk. destruct r as [|q]; simpl.
    + specialize (F0 k). nra.
    + apply (leading_private eta f F K (sums l q) (sums l' q) k); auto; try (apply leading_is_chance; now apply Ex).
      intros i _. now apply same_epoch with t0.
  - intros l l' t0 r k Nb Hk Hr. destruct r as [|q]; simpl; [easy|].
    apply (leads_unique f F K (sums l q) (sums l' q) k); try (apply leading_is_chance; now apply Ex).
    intros i. apply other_epoch with t0; auto.
Qed.

(* The three noises of scale 1 / eta = 2 / epsilon, first action uniform. *)
Theorem noisy_leader_private : forall epsilon K, 0 < epsilon -> let eta := epsilon / 2 in
  private_sequence epsilon K (noisy_choice (laplace_density eta) (laplace_cdf eta) K (fun _ => / K)) /\
  private_sequence epsilon K (noisy_choice (gumbel_density eta) (gumbel_cdf eta) K (fun _ => / K)) /\
  private_sequence epsilon K (noisy_choice (exponential_density eta) (exponential_cdf eta) K (fun _ => / K)).
Proof.
  intros epsilon K He eta. assert (H : 0 < eta) by (unfold eta; lra).
  replace epsilon with (2 * eta) by (unfold eta; lra).
  assert (U : nat -> 0 <= / INR K).
  { intros _. destruct K; [simpl; rewrite Rinv_0; lra | left; now apply uniform_pos, Nat.lt_0_succ]. }
  split; [|split]; apply noisy_leader_private_every_noise; try exact U; try (unfold eta; lra).
  - exact (laplace_law eta H).
  - exact (proj1 (proj2 (laplace_pieces eta H))).
  - exact (laplace_exists eta K H).
  - exact (gumbel_law eta H).
  - exact (proj1 (proj2 (gumbel_pieces eta H))).
  - exact (gumbel_exists eta K H).
  - exact (exponential_law eta H).
  - exact (proj1 (proj2 (exponential_pieces eta H))).
  - exact (exponential_exists eta K H).
Qed.

(* With Gumbel noise the noisy leader is softmax, so that the theorems on softmax are on it. *)
Theorem gumbel_is_softmax : forall eta K s k, 0 < eta -> (k < K)%nat ->
  leading (gumbel_density eta) (gumbel_cdf eta) K s k = softmax eta K s k.
Proof.
  intros eta K s k He Hk. apply (is_RInt_gen_unique (V := R_CompleteNormedModule)). now apply gumbel_leads.
Qed.

(* The density and the distribution function belong together. *)
Theorem noises_are_noises : forall eta, 0 < eta ->
  noise_law (laplace_density eta) (laplace_cdf eta) /\ noise_law (gumbel_density eta) (gumbel_cdf eta) /\
  noise_law (exponential_density eta) (exponential_cdf eta).
Proof. intros eta He. split; [now apply laplace_law | split; [now apply gumbel_law | now apply exponential_law]]. Qed.
