(* The chances of the noisy leader's actions add up to 1, for Laplace, Gumbel and exponential noise: the integrals of
   `chance_of_leading` are those of a law. *)

Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums learners noise.
Local Open Scope R_scope.

Notation line g P := (is_RInt_gen (V := R_NormedModule) g (Rbar_locally m_infty) (Rbar_locally p_infty) P).

(* What the chance of action k integrates, and the distribution function of the maximum. *)
Definition leads_at (f F : R -> R) (K : nat) (s : nat -> R) (k : nat) (x : R) : R :=
  f (x + s k) * prod K (fun i => if Nat.eqb i k then 1 else F (x + s i)).
Definition maximum_below (F : R -> R) (K : nat) (s : nat -> R) (x : R) : R := prod K (fun i => F (x + s i)).

Lemma leads_at_sum_succ f F n s x : sum (S n) (fun k => leads_at f F (S n) s k x) =
  sum n (fun k => leads_at f F n s k x) * F (x + s n) + f (x + s n) * prod n (fun i => F (x + s i)).
Proof.
  cbn [sum]. f_equal.
  - rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros k Hk. unfold leads_at. cbn [prod].
    destruct (Nat.eqb_spec n k); [lia | ring].
  - unfold leads_at. cbn [prod]. rewrite Nat.eqb_refl, Rmult_1_r. f_equal.
    assert (E : forall m, (m <= n)%nat -> prod m (fun i => if Nat.eqb i n then 1 else F (x + s i)) = prod m (fun i => F (x + s i))).
    { induction m as [|m IH]; intros H; simpl; [easy|]. rewrite IH by lia. destruct (Nat.eqb_spec m n); [lia | easy]. }
    now apply E.
Qed.

(* Where F has the derivative f, so has the product. *)
Lemma maximum_derive (f F : R -> R) K s (x : R) : (forall q, is_derive F q (f q)) ->
  is_derive (maximum_below F K s) x (sum K (fun k => leads_at f F K s k x)).
Proof.
  intros D. induction K as [|n IH]; [apply (is_derive_const (V := R_NormedModule) 1)|].
  rewrite leads_at_sum_succ, (Rmult_comm (f (x + s n))).
  apply (is_derive_mult (maximum_below F n s) (fun x => F (x + s n)) x); [exact IH | | intros; apply Rmult_comm].
  replace (f (x + s n)) with (scal 1 (f (x + s n))) by (unfold scal; simpl; unfold mult; simpl; ring).
  apply (is_derive_comp F (fun x => x + s n) x); [apply D|].
  auto_derive; auto.
Qed.

Lemma leads_at_continuous f F K s k x : (forall q, continuous f q) -> (forall q, continuous F q) ->
  continuous (leads_at f F K s k) x.
Proof.
  intros Cf CF. apply (continuous_mult (K := R_AbsRing) (fun x => f (x + s k))); [|now apply prod_cont].
  apply (continuous_comp (fun x => x + s k) f); [|apply Cf].
  apply (continuous_plus (V := R_NormedModule) (fun x => x) (fun _ => s k)); [apply continuous_id | apply continuous_const].
Qed.

Lemma sum_continuous n (g : nat -> R -> R) x : (forall k, (k < n)%nat -> continuous (g k) x) ->
  continuous (fun x => sum n (fun k => g k x)) x.
Proof.
  induction n as [|n IH]; intros C; simpl; [apply continuous_const|].
  apply (continuous_plus (V := R_NormedModule) (fun x => sum n (fun k => g k x)) (g n)); auto with arith.
Qed.

(* The maximum is somewhere: its distribution function goes from 0 to 1. *)
Lemma prod_near_one n f d : 0 <= d -> (forall i, (i < n)%nat -> 0 <= f i <= 1 /\ 1 - d <= f i) ->
  0 <= prod n f <= 1 /\ 1 - INR n * d <= prod n f.
Proof.
  intros Hd. induction n as [|n IH]; intros H; [simpl; lra|]. rewrite S_INR. cbn [prod].
  destruct IH as [B C]; [auto with arith|]. destruct (H n ltac:(lia)) as [D E].
  assert (prod n f * d <= 1 * d) by (apply Rmult_le_compat_r; lra).
  assert (prod n f * (1 - d) <= prod n f * f n) by (apply Rmult_le_compat_l; lra).
  repeat split; [apply Rmult_le_pos; lra | | nra].
  rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra.
Qed.

(* If the product grows by the integral of the sum, the sum has integral 1 over the line. *)
Lemma total_of_increments f F K s : noise_law f F -> (0 < K)%nat ->
  (forall a b, a <= b -> is_RInt (fun x => sum K (fun k => leads_at f F K s k x)) a b (maximum_below F K s b - maximum_below F K s a)) ->
  line (fun x => sum K (fun k => leads_at f F K s k x)) 1.
Proof.
  intros N HK I Q [d HQ]. pose proof N as (_ & _ & B & L). pose proof (cond_pos d) as D.
  assert (K0 : 0 < INR K) by (now apply lt_0_INR).
  set (e := d / (2 * INR K)). assert (E0 : 0 < e) by (apply Rdiv_lt_0_compat; lra).
  assert (E1 : INR K * e = d / 2) by (unfold e; field; lra).
  assert (E2 : e <= d / 2).
  { rewrite <- E1. rewrite <- (Rmult_1_l e) at 1. apply Rmult_le_compat_r; [lra|]. apply (le_INR 1); lia. }
  destruct (L e E0) as (a0 & b0 & Ha & Hb).
  (* to the right of all b0 - s i every factor is near 1 *)
  set (m := - sum K (fun i => Rabs (s i))). set (M := sum K (fun i => Rabs (s i))).
  assert (Sm : forall i, (i < K)%nat -> Rabs (s i) <= M) by (intros; apply sum_one with (f := fun i => Rabs (s i)); auto; intros; apply Rabs_pos).
  exists (fun a => a < Rmin a0 b0 - M) (fun b => Rmax a0 b0 + M < b);
    [now exists (Rmin a0 b0 - M) | now exists (Rmax a0 b0 + M) |].
  intros a b Hla Hlb. simpl in *. pose proof (Rmin_l a0 b0). pose proof (Rmin_r a0 b0). pose proof (Rmax_l a0 b0). pose proof (Rmax_r a0 b0).
  assert (M0 : 0 <= M) by (apply sum_nonneg; intros; apply Rabs_pos).
  exists (maximum_below F K s b - maximum_below F K s a). split; [apply I; lra|]. apply HQ.
  assert (Up : 0 <= maximum_below F K s b <= 1 /\ 1 - INR K * e <= maximum_below F K s b).
  { apply prod_near_one; [lra|]. intros i Hi. split; [apply B|].
    specialize (Sm i Hi). pose proof (Rle_abs (- s i)) as R1. rewrite Rabs_Ropp in R1.
    pose proof (noise_rises f F b0 (b + s i) N ltac:(lra)). lra. }
  assert (Low : 0 <= maximum_below F K s a < e).
  { split.
    - apply prod_near_one with (d := 1); [lra|]. intros i Hi. split; [apply B | pose proof (B (a + s i)); lra].
    - destruct K as [|n]; [lia|]. unfold maximum_below. cbn [prod].
      assert (0 <= prod n (fun i => F (a + s i)) <= 1).
      { apply prod_near_one with (d := 1); [lra|]. intros i Hi. split; [apply B | pose proof (B (a + s i)); lra]. }
      specialize (Sm n ltac:(lia)). pose proof (Rle_abs (s n)) as R1.
      pose proof (noise_rises f F (a + s n) a0 N ltac:(lra)). pose proof (B (a + s n)).
      apply Rle_lt_trans with (1 * F (a + s n)); [apply Rmult_le_compat_r; lra | lra]. }
  unfold ball; simpl; unfold AbsRing_ball; simpl; unfold abs, minus, plus, opp; simpl. apply Rabs_def1; lra.
Qed.

(* Integrals over the line add. *)
Lemma line_sum n (g : nat -> R -> R) (P : nat -> R) : (forall k, (k < n)%nat -> line (g k) (P k)) -> (0 < n)%nat ->
  line (fun x => sum n (fun k => g k x)) (sum n P).
Proof.
  intros H Hn. destruct n as [|n]; [lia|]. clear Hn. induction n as [|n IH].
  - simpl. rewrite Rplus_0_l. eapply is_RInt_gen_ext; [|apply (H 0%nat); lia].
    apply filter_forall. intros ab x _. simpl. ring.
  - change (sum (S (S n)) P) with (sum (S n) P + P (S n)).
    eapply is_RInt_gen_ext; [|apply (is_RInt_gen_plus (V := R_NormedModule)); [apply IH; intros; apply H; lia | apply (H (S n)); lia]].
    apply filter_forall. intros ab x _. reflexivity.
Qed.

Lemma chances_total f F K s : noise_law f F -> (0 < K)%nat -> chances_exist f F K ->
  (forall a b, a <= b -> is_RInt (fun x => sum K (fun k => leads_at f F K s k x)) a b (maximum_below F K s b - maximum_below F K s a)) ->
  sum K (leading f F K s) = 1.
Proof.
  intros N HK Ex I. pose proof (total_of_increments f F K s N HK I) as T.
  assert (S1 : line (fun x => sum K (fun k => leads_at f F K s k x)) (sum K (leading f F K s))).
  { apply line_sum; auto. intros k Hk. apply leading_is_chance. now apply Ex. }
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in T.
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in S1. now rewrite <- T, <- S1.
Qed.

(* ---------------------------------------------------------------- continuous densities *)

Lemma noise_derive f F q : noise_law f F -> continuous f q -> is_derive F q (f q).
Proof.
  intros (_ & I & _) C.
  assert (D : is_derive (fun b => F b - F (q - 1)) q (f q)).
  { apply (is_derive_RInt (V := R_NormedModule) f (fun b => F b - F (q - 1)) (q - 1) q); auto.
    exists (mkposreal 1 Rlt_0_1). intros b Hb. apply I.
    unfold ball in Hb; simpl in Hb; unfold AbsRing_ball in Hb; simpl in Hb; unfold abs, minus, plus, opp in Hb; simpl in Hb.
    apply Rabs_def2 in Hb. lra. }
  apply (is_derive_ext (fun b => (F b - F (q - 1)) + F (q - 1))); [intros; lra|].
  replace (f q) with (plus (f q) 0) by (unfold plus; simpl; ring).
  apply (is_derive_plus (V := R_NormedModule) (fun b => F b - F (q - 1)) (fun _ => F (q - 1))); [exact D|].
  apply (is_derive_const (V := R_NormedModule)).
Qed.

Lemma smooth_increments f F K s : (forall q, is_derive F q (f q)) -> (forall q, continuous f q) -> forall a b,
  is_RInt (fun x => sum K (fun k => leads_at f F K s k x)) a b (maximum_below F K s b - maximum_below F K s a).
Proof.
  intros D C a b. apply (is_RInt_derive (V := R_CompleteNormedModule)).
  - intros x _. now apply maximum_derive.
  - intros x _. apply sum_continuous. intros k _. apply leads_at_continuous; auto.
    intros q. apply (ex_derive_continuous (V := R_NormedModule)). exists (f q). apply D.
Qed.

(* ---------------------------------------------------------------- the three noises *)

Lemma exponential_increments eta K s a b : 0 < eta -> (0 < K)%nat -> a <= b ->
  is_RInt (fun x => sum K (fun k => leads_at (exponential_density eta) (exponential_cdf eta) K s k x)) a b
    (maximum_below (exponential_cdf eta) K s b - maximum_below (exponential_cdf eta) K s a).
Proof.
  intros He HK Hab. set (f := exponential_density eta). set (F := exponential_cdf eta).
  set (f2 := fun q => eta * exp (- eta * q)). set (F2 := fun q => 1 - exp (- eta * q)).
  (* the action with the least score is the last one that the maximum waits for *)
  destruct (sorting K s) as (p & (P1 & P2 & _ & _) & Rise).
  set (low := s (p 0%nat)). assert (Low : forall i, (i < K)%nat -> low <= s i).
  { intros i Hi. destruct (P2 i Hi) as (k & Hk & <-). apply Rise. lia. }
  assert (Hp : (p 0%nat < K)%nat) by (apply P1; lia).
  assert (D2 : forall q, is_derive F2 q (f2 q)) by (intros q; unfold F2, f2; auto_derive; auto; ring).
  assert (C2 : forall q, continuous f2 q) by (intros q; apply (ex_derive_continuous (V := R_NormedModule)); unfold f2; auto_derive; auto).
  assert (Left : forall x, x <= - low -> maximum_below F K s x = 0).
  { intros x Hx. unfold maximum_below. rewrite <- (prod_one K (p 0%nat) (fun i => F (x + s i)) Hp).
    replace (F (x + s (p 0%nat))) with 0; [ring|]. unfold F, exponential_cdf. fold low.
    destruct (Rle_dec 0 (x + low)); [|easy]. replace (x + low) with 0 by lra. rewrite Rmult_0_r, exp_0. ring. }
  assert (Right : forall x, - low <= x -> maximum_below F2 K s x = maximum_below F K s x).
  { intros x Hx. unfold maximum_below.
    assert (E : forall n, (n <= K)%nat -> prod n (fun i => F2 (x + s i)) = prod n (fun i => F (x + s i))).
    { induction n as [|n IH]; intros H; simpl; [easy|]. rewrite IH by lia. f_equal. unfold F, F2, exponential_cdf.
      pose proof (Low n ltac:(lia)). destruct (Rle_dec 0 (x + s n)); [easy | lra]. }
    now apply E. }
  pose proof (is_glue (fun x => sum K (fun k => leads_at f F K s k x)) (fun _ => 0) (fun x => sum K (fun k => leads_at f2 F2 K s k x))
    (fun _ => 0) (maximum_below F2 K s) (- low)) as G. cbv beta in G.
  replace (maximum_below F K s b - maximum_below F K s a) with
    ((if Rle_dec b (- low) then 0 else maximum_below F2 K s b) - (if Rle_dec a (- low) then 0 else maximum_below F2 K s a)).
  2:{ assert (E : forall x, (if Rle_dec x (- low) then 0 else maximum_below F2 K s x) = maximum_below F K s x).
      { intros x. destruct (Rle_dec x (- low)); [now rewrite Left | apply Right; lra]. }
      now rewrite !E. }
  apply G; auto.
  - intros x. apply (is_derive_const (V := R_NormedModule)).
  - intros x. now apply maximum_derive.
  - intros x. apply continuous_const.
  - intros x. apply sum_continuous. intros k _. apply leads_at_continuous; auto.
    intros q. apply (ex_derive_continuous (V := R_NormedModule)). exists (f2 q). apply D2.
  - intros x Hx. rewrite (sum_ext K _ (fun _ => 0)); [rewrite sum_const; ring|]. intros k Hk. unfold leads_at.
    destruct (Nat.eq_dec k (p 0%nat)) as [->|Nk].
    + replace (f (x + s (p 0%nat))) with 0; [ring|]. unfold f, exponential_density. fold low.
      destruct (Rle_dec 0 (x + low)); [lra | easy].
    + rewrite <- (prod_one K (p 0%nat) (fun i => if Nat.eqb i k then 1 else F (x + s i)) Hp).
      destruct (Nat.eqb_spec (p 0%nat) k); [congruence|].
      replace (F (x + s (p 0%nat))) with 0; [ring|]. unfold F, exponential_cdf. fold low.
      destruct (Rle_dec 0 (x + low)); [lra | easy].
  - intros x Hx. apply sum_ext. intros k Hk. unfold leads_at. f_equal.
    + unfold f, f2, exponential_density. pose proof (Low k Hk). destruct (Rle_dec 0 (x + s k)); [easy | lra].
    + assert (E : forall n, (n <= K)%nat -> prod n (fun i => if Nat.eqb i k then 1 else F (x + s i)) =
                                          prod n (fun i => if Nat.eqb i k then 1 else F2 (x + s i))).
      { induction n as [|n IH]; intros H; simpl; [easy|]. rewrite IH by lia. f_equal. destruct (Nat.eqb n k); [easy|].
        unfold F, F2, exponential_cdf. pose proof (Low n ltac:(lia)). destruct (Rle_dec 0 (x + s n)); [easy | lra]. }
      now apply E.
  - rewrite Right by lra. now rewrite Left by lra.
Qed.

Theorem chances_add_up : forall eta K s, 0 < eta -> (0 < K)%nat ->
  sum K (leading (laplace_density eta) (laplace_cdf eta) K s) = 1 /\
  sum K (leading (gumbel_density eta) (gumbel_cdf eta) K s) = 1 /\
  sum K (leading (exponential_density eta) (exponential_cdf eta) K s) = 1.
Proof.
  intros eta K s He HK. split; [|split].
  - pose proof (laplace_law eta He) as N. assert (C : forall q, continuous (laplace_density eta) q).
    { intros q. unfold laplace_density. apply (continuous_scal_r (V := R_NormedModule) (eta / 2) (fun q => exp (- eta * Rabs q))).
      apply (continuous_comp (fun q => - eta * Rabs q) exp).
      - apply (continuous_scal_r (V := R_NormedModule) (- eta) Rabs), continuous_Rabs.
      - apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
    apply chances_total; auto; [now apply laplace_exists|]. intros a b _. apply smooth_increments; auto.
    intros q. now apply noise_derive.
  - pose proof (gumbel_law eta He) as N. assert (C : forall q, continuous (gumbel_density eta) q).
    { intros q. apply (ex_derive_continuous (V := R_NormedModule)). unfold gumbel_density. auto_derive; auto. }
    apply chances_total; auto; [now apply gumbel_exists|]. intros a b _. apply smooth_increments; auto.
    intros q. now apply noise_derive.
  - apply chances_total; auto; [now apply exponential_law | now apply exponential_exists|].
    intros a b H. now apply exponential_increments.
Qed.
