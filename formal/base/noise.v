(* The noisy leader: arg max of noise minus scores, for noise that has a density; Gumbel, Laplace and exponential
   noise; the chances of the leader exist; with Gumbel noise the noisy leader is softmax. *)

Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums learners.
Local Open Scope R_scope.

(* ---------------------------------------------------------------- definitions *)

(* Noise with density f and distribution function F: f is not negative, and F grows by the integral of f,
   from 0 to 1. *)
Definition noise_law (f F : R -> R) : Prop :=
  (forall q, 0 <= f q) /\ (forall a b, a <= b -> is_RInt f a b (F b - F a)) /\
  (forall q, 0 <= F q <= 1) /\ (forall d, 0 < d -> exists a b, F a < d /\ 1 - d < F b).

(* The condition ( * ) of the page. *)
Definition has_star (eta : R) (f : R -> R) : Prop := forall q h, 0 <= h -> f (q - h) <= exp (eta * h) * f q.

(* P is the chance that Q k - s k is the largest of all Q i - s i, where the Q i are independent with
   density f and distribution function F: the integral over x = Q k - s k of f (x + s k) times the
   product of the chances F (x + s i) of Q i <= x + s i. *)
Definition chance_of_leading (f F : R -> R) (K : nat) (s : nat -> R) (k : nat) (P : R) : Prop :=
  is_RInt_gen (V := R_NormedModule) (fun x => f (x + s k) * prod K (fun i => if Nat.eqb i k then 1 else F (x + s i)))
    (Rbar_locally m_infty) (Rbar_locally p_infty) P.

(* The same as a number, where the integral exists, which is the second condition. *)
Definition leading (f F : R -> R) (K : nat) (s : nat -> R) (k : nat) : R :=
  RInt_gen (V := R_CompleteNormedModule) (fun x => f (x + s k) * prod K (fun i => if Nat.eqb i k then 1 else F (x + s i)))
    (Rbar_locally m_infty) (Rbar_locally p_infty).
Definition chances_exist (f F : R -> R) (K : nat) : Prop :=
  forall s k, (k < K)%nat -> exists P, chance_of_leading f F K s k P.

(* The law `first` in epoch 0, then the noisy leader of the last epoch's sums. *)
Definition noisy_choice (f F : R -> R) (K : nat) (first : nat -> R) : choice := fun l r =>
  match r with O => first | S q => leading f F K (sums l q) end.

(* ---------------------------------------------------------------- distribution functions *)

Lemma noise_rises f F q q' : noise_law f F -> q <= q' -> F q <= F q'.
Proof.
  intros (P & I & _) H. specialize (I q q' H).
  assert (0 <= F q' - F q); [|lra].
  rewrite <- (is_RInt_unique f q q' _ I). apply RInt_ge_0; auto. now exists (F q' - F q).
Qed.


(* The integral over the line does not change under a shift. *)
Lemma integral_shift (g : R -> R) (l : R) :
  is_RInt_gen (V := R_NormedModule) g (Rbar_locally m_infty) (Rbar_locally p_infty) l ->
  is_RInt_gen (V := R_NormedModule) (fun x => g (x + 1)) (Rbar_locally m_infty) (Rbar_locally p_infty) l.
Proof.
  intros H Q HQ. destruct (H Q HQ) as [A B [M HM] [N HN] HI].
  exists (fun a => A (a + 1)) (fun b => B (b + 1)).
  - exists (M - 1). intros x Hx. apply HM. lra.
  - exists N. intros x Hx. apply HN. lra.
  - intros a b Ha Hb. destruct (HI _ _ Ha Hb) as (y & Hy & HQy). exists y. split; [|exact HQy].
    simpl in *.
    apply (is_RInt_ext (V := R_NormedModule) (fun x => scal 1 (g (1 * x + 1)))).
    + intros x _. unfold scal; simpl; unfold mult; simpl. now rewrite !Rmult_1_l.
    + apply (is_RInt_comp_lin (V := R_NormedModule)). now rewrite !Rmult_1_l.
Qed.

(* ---------------------------------------------------------------- the three noises *)

Definition laplace_density eta q := eta / 2 * exp (- eta * Rabs q).
Definition laplace_cdf eta q := if Rle_dec q 0 then exp (eta * q) / 2 else 1 - exp (- eta * q) / 2.
Definition exponential_density eta q := if Rle_dec 0 q then eta * exp (- eta * q) else 0.
Definition exponential_cdf eta q := if Rle_dec 0 q then 1 - exp (- eta * q) else 0.
Definition gumbel_density eta q := eta * exp (- eta * q) * exp (- exp (- eta * q)).
Definition gumbel_cdf eta q := exp (- exp (- eta * q)).

Lemma laplace_pieces eta : 0 < eta -> (forall q, 0 <= laplace_density eta q) /\ has_star eta (laplace_density eta) /\
  (forall q, 0 <= laplace_cdf eta q) /\ (forall q q', q <= q' -> laplace_cdf eta q <= laplace_cdf eta q').
Proof.
  intros He. unfold has_star, laplace_density, laplace_cdf. repeat split.
  - intros q. apply Rmult_le_pos; [lra | left; apply exp_pos].
  - intros q h Hh. replace (exp (eta * h) * (eta / 2 * exp (- eta * Rabs q)))
      with (eta / 2 * exp (eta * h + - eta * Rabs q)) by (rewrite exp_plus; ring).
    apply Rmult_le_compat_l; [lra|]. apply exp_le.
    assert (Rabs q - Rabs (q - h) <= h) by (unfold Rabs; destruct (Rcase_abs _); destruct (Rcase_abs _); lra). nra.
  - intros q. destruct (Rle_dec q 0); [pose proof (exp_pos (eta * q)); lra|].
    assert (exp (- eta * q) <= 1) by (apply exp_below_1; nra). lra.
  - intros q q' H. destruct (Rle_dec q 0); destruct (Rle_dec q' 0); try lra.
    + assert (exp (eta * q) <= exp (eta * q')) by (apply exp_le; nra). lra.
    + assert (exp (eta * q) <= 1) by (apply exp_below_1; nra).
      assert (exp (- eta * q') <= 1) by (apply exp_below_1; nra). lra.
    + assert (exp (- eta * q') <= exp (- eta * q)) by (apply exp_le; nra). lra.
Qed.

Lemma exponential_pieces eta : 0 < eta -> (forall q, 0 <= exponential_density eta q) /\ has_star eta (exponential_density eta) /\
  (forall q, 0 <= exponential_cdf eta q) /\ (forall q q', q <= q' -> exponential_cdf eta q <= exponential_cdf eta q').
Proof.
  intros He. unfold has_star, exponential_density, exponential_cdf. repeat split.
  - intros q. destruct (Rle_dec 0 q); [|lra]. apply Rmult_le_pos; [lra | left; apply exp_pos].
  - intros q h Hh. destruct (Rle_dec 0 (q - h)); destruct (Rle_dec 0 q); try lra.
    + replace (exp (eta * h) * (eta * exp (- eta * q))) with (eta * exp (eta * h + - eta * q)) by (rewrite exp_plus; ring).
      right. f_equal. f_equal. ring.
    + apply Rmult_le_pos; [left; apply exp_pos|]. apply Rmult_le_pos; [lra | left; apply exp_pos].
  - intros q. destruct (Rle_dec 0 q); [|lra]. assert (exp (- eta * q) <= 1) by (apply exp_below_1; nra). lra.
  - intros q q' H. destruct (Rle_dec 0 q); destruct (Rle_dec 0 q'); try lra.
    + assert (exp (- eta * q') <= exp (- eta * q)) by (apply exp_le; nra). lra.
    + assert (exp (- eta * q') <= 1) by (apply exp_below_1; nra). lra.
Qed.

Lemma gumbel_pieces eta : 0 < eta -> (forall q, 0 <= gumbel_density eta q) /\ has_star eta (gumbel_density eta) /\
  (forall q, 0 <= gumbel_cdf eta q) /\ (forall q q', q <= q' -> gumbel_cdf eta q <= gumbel_cdf eta q').
Proof.
  intros He. unfold has_star, gumbel_density, gumbel_cdf. repeat split.
  - intros q. repeat apply Rmult_le_pos; [lra | left; apply exp_pos | left; apply exp_pos].
  - intros q h Hh.
    replace (exp (eta * h) * (eta * exp (- eta * q) * exp (- exp (- eta * q))))
      with (eta * exp (- eta * (q - h)) * exp (- exp (- eta * q))).
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra | left; apply exp_pos]|].
      apply exp_le. apply Ropp_le_contravar. apply exp_le. nra.
    + replace (- eta * (q - h)) with (eta * h + - eta * q) by ring. rewrite exp_plus. ring.
  - intros q. left. apply exp_pos.
  - intros q q' H. apply exp_le, Ropp_le_contravar, exp_le. nra.
Qed.

(* With Gumbel noise the noisy leader is softmax. *)

Lemma gumbel_leads eta K s k : 0 < eta -> (k < K)%nat ->
  chance_of_leading (gumbel_density eta) (gumbel_cdf eta) K s k (softmax eta K s k).
Proof.
  intros He Hk. unfold chance_of_leading. set (Z := sum K (weight eta s)).
  assert (HZ : 0 < Z) by (apply total_pos; lia).
  set (G := fun x => softmax eta K s k * exp (- (Z * exp (- eta * x)))).
  assert (D : forall x, is_derive G x
     (gumbel_density eta (x + s k) * prod K (fun i => if Nat.eqb i k then 1 else gumbel_cdf eta (x + s i)))).
  { intros x.
    replace (gumbel_density eta (x + s k) * _) with (softmax eta K s k * (exp (- (Z * exp (- eta * x))) * (Z * eta * exp (- eta * x)))).
    - unfold G. auto_derive; auto. ring.
    - pose proof (prod_one K k (fun i => gumbel_cdf eta (x + s i)) Hk) as PO. cbv beta in PO.
      set (others := prod K (fun i => if Nat.eqb i k then 1 else gumbel_cdf eta (x + s i))) in *.
      replace (gumbel_density eta (x + s k) * others)
        with (eta * exp (- eta * (x + s k)) * (gumbel_cdf eta (x + s k) * others))
        by (unfold gumbel_density, gumbel_cdf; ring).
      rewrite PO. unfold gumbel_cdf. rewrite prod_exp.
      rewrite (sum_ext K (fun i => exp (- eta * (x + s i))) (fun i => exp (- eta * x) * weight eta s i)).
      2:{ intros i _. unfold weight. rewrite <- exp_plus. f_equal. ring. }
      rewrite sum_scal. fold Z. unfold softmax. fold Z.
      replace (exp (- eta * (x + s k))) with (exp (- eta * x) * weight eta s k)
        by (unfold weight; rewrite <- exp_plus; f_equal; ring).
      rewrite (Rmult_comm Z). field. lra. }
  apply (is_RInt_gen_ext (V := R_NormedModule) (Derive G)).
  { apply filter_forall. intros ab x _. apply is_derive_unique, D. }
  replace (softmax eta K s k) with (softmax eta K s k - 0) at 1 by ring.
  apply is_RInt_gen_Derive.
  - apply filter_forall. intros ab x _. eexists. apply D.
  - apply filter_forall. intros ab x _.
    apply (continuous_ext (fun x => softmax eta K s k * (exp (- (Z * exp (- eta * x))) * (Z * eta * exp (- eta * x))))).
    + intros y. symmetry. apply is_derive_unique. unfold G. auto_derive; auto. ring.
    + apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. auto.
  - (* G tends to 0 at minus infinity *)
    replace 0 with (softmax eta K s k * 0) by ring.
    apply (filterlim_comp _ _ _ (fun x => exp (- (Z * exp (- eta * x)))) (fun y => softmax eta K s k * y) _ (locally 0)).
    + intros Q [d HQ].
      exists (- (/ eta * ln (/ Z * (1 + / d)))). intros x Hx. apply HQ.
      unfold ball; simpl; unfold AbsRing_ball; simpl; unfold abs, minus, plus, opp; simpl.
      rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by (left; apply exp_pos).
      assert (Hd : 0 < / d) by (apply Rinv_0_lt_compat, cond_pos).
      assert (HZ' : 0 < / Z) by (now apply Rinv_0_lt_compat).
      assert (A : 1 + / d < Z * exp (- eta * x)).
      { apply Rmult_lt_reg_l with (/ Z); auto.
        replace (/ Z * (Z * exp (- eta * x))) with (exp (- eta * x)) by (field; lra).
        rewrite <- (exp_ln (/ Z * (1 + / d))) by (apply Rmult_lt_0_compat; lra).
        apply exp_increasing. apply Rmult_lt_reg_l with (/ eta); [now apply Rinv_0_lt_compat|].
        replace (/ eta * (- eta * x)) with (- x) by (field; lra). lra. }
      rewrite exp_Ropp. rewrite <- (Rinv_inv d).
      apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; [auto | apply exp_pos]|].
      pose proof (exp_ineq1_le (Z * exp (- eta * x))). lra.
    + apply (continuous_scal_r (V := R_NormedModule) (softmax eta K s k) (fun y => y)). apply continuous_id.
  - (* and to the chance of softmax at plus infinity *)
    assert (E : softmax eta K s k * exp (- (Z * 0)) = softmax eta K s k) by (rewrite Rmult_0_r, Ropp_0, exp_0; ring).
    rewrite <- E. clear E D. subst G.
    apply (filterlim_comp _ _ _ (fun x => exp (- eta * x)) (fun y => softmax eta K s k * exp (- (Z * y))) _ (locally 0)).
    + intros Q [d HQ]. exists (- (/ eta * ln d)). intros x Hx. apply HQ.
      unfold ball; simpl; unfold AbsRing_ball; simpl; unfold abs, minus, plus, opp; simpl.
      rewrite Ropp_0, Rplus_0_r, Rabs_pos_eq by (left; apply exp_pos).
      rewrite <- (exp_ln d) by apply cond_pos. apply exp_increasing.
      apply Rmult_lt_reg_l with (/ eta); [now apply Rinv_0_lt_compat|].
      replace (/ eta * (- eta * x)) with (- x) by (field; lra). lra.
    + apply (ex_derive_continuous (V := R_NormedModule) (fun y => softmax eta K s k * exp (- (Z * y)))). auto_derive. auto.
Qed.

Lemma leads_nonneg f F K s k P : noise_law f F -> chance_of_leading f F K s k P -> 0 <= P.
Proof.
  intros (f0 & _ & F0 & _) H.
  assert (N : norm (V := R_NormedModule) P <= P).
  { eapply (RInt_gen_norm (V := R_CompleteNormedModule) (Fa := Rbar_locally m_infty) (Fb := Rbar_locally p_infty));
      [| |exact H|exact H].
    - exists (fun x => x < 0) (fun x => 0 < x); [now exists 0 | now exists 0 |]. simpl; intros; lra.
    - apply filter_forall. intros ab x _. unfold norm; simpl; unfold abs; simpl.
      destruct (prod_le K (fun i => if Nat.eqb i k then 1 else F (x + s i)) (fun i => if Nat.eqb i k then 1 else F (x + s i))) as [A _].
      { intros i _. destruct (Nat.eqb i k); [lra|]. split; [apply F0 | lra]. }
      rewrite Rabs_pos_eq by (apply Rmult_le_pos; auto). lra. }
  unfold norm in N; simpl in N; unfold abs in N; simpl in N. pose proof (Rabs_pos P). lra.
Qed.

Lemma leads_unique f F K s s' k P P' :
  (forall i, s i = s' i) -> chance_of_leading f F K s k P -> chance_of_leading f F K s' k P' -> P = P'.
Proof.
  intros E H H'. unfold chance_of_leading in *.
  assert (H2 : is_RInt_gen (V := R_NormedModule) (fun x => f (x + s k) * prod K (fun i => if Nat.eqb i k then 1 else F (x + s i)))
    (Rbar_locally m_infty) (Rbar_locally p_infty) P').
  { eapply is_RInt_gen_ext; [|exact H']. apply filter_forall. intros ab x _. rewrite E. f_equal.
    clear - E. induction K; simpl; [easy|]. now rewrite IHK, E. }
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in H.
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in H2. now rewrite <- H, <- H2.
Qed.

(* A function that is not negative, with bounded integrals, has an integral over the line. *)
Lemma ex_gen (h : R -> R) B : (forall a b, a <= b -> ex_RInt h a b) -> (forall x, 0 <= h x) ->
  (forall a b, a <= b -> RInt h a b <= B) ->
  exists P, is_RInt_gen (V := R_NormedModule) h (Rbar_locally m_infty) (Rbar_locally p_infty) P.
Proof.
  intros EX P0 HB.
  destruct (completeness (fun y => exists a b, a <= b /\ y = RInt h a b)) as (P & U & Lst).
  - exists B. intros y (a & b & H & ->). auto.
  - exists (RInt h 0 0). exists 0, 0. split; [lra | easy].
  - exists P. intros Q [d HQ].
    assert (X : exists a0 b0, a0 <= b0 /\ P - d < RInt h a0 b0).
    { destruct (Classical_Prop.classic (exists a0 b0, a0 <= b0 /\ P - d < RInt h a0 b0)) as [Y|N]; auto.
      assert (P <= P - d); [|pose proof (cond_pos d); lra].
      apply Lst. intros y (a & b & H & ->). apply Rnot_lt_le. intros Z. apply N. now exists a, b. }
    destruct X as (a0 & b0 & Hab & X).
    exists (fun a => a < a0) (fun b => b0 < b); [now exists a0 | now exists b0|].
    intros a b Ha Hb. simpl in *. exists (RInt h a b). split; [apply (RInt_correct (V := R_CompleteNormedModule)); apply EX; lra|].
    apply HQ.
    assert (RInt h a b <= P) by (apply U; exists a, b; split; [lra | easy]).
    assert (RInt h a0 b0 <= RInt h a b).
    { rewrite <- (RInt_Chasles h a a0 b), <- (RInt_Chasles h a0 b0 b) by (apply EX; lra). unfold plus; simpl.
      assert (0 <= RInt h a a0) by (apply RInt_ge_0; [lra | apply EX; lra | auto]).
      assert (0 <= RInt h b0 b) by (apply RInt_ge_0; [lra | apply EX; lra | auto]). lra. }
    unfold ball; simpl; unfold AbsRing_ball; simpl; unfold abs, minus, plus, opp; simpl.
    apply Rabs_def1; lra.
Qed.

Lemma prod_cont (F : R -> R) n k s x : (forall q, continuous F q) ->
  continuous (fun x : R => prod n (fun i => if Nat.eqb i k then 1 else F (x + s i))) x.
Proof.
  intros C. induction n; simpl; [apply continuous_const|].
  apply (continuous_mult (K := R_AbsRing) (fun x => prod n (fun i => if Nat.eqb i k then 1 else F (x + s i)))
     (fun x => if Nat.eqb n k then 1 else F (x + s n))); auto.
  destruct (Nat.eqb n k); [apply continuous_const|].
  apply (continuous_comp (fun x => x + s n) F); [|apply C].
  apply (continuous_plus (V := R_NormedModule) (fun x => x) (fun _ => s n)); [apply continuous_id | apply continuous_const].
Qed.

(* For continuous f and F the chance exists. *)
Lemma leads_exists (f F : R -> R) K s k B :
  (forall q, continuous f q) -> (forall q, continuous F q) -> (forall q, 0 <= f q) -> (forall q, 0 <= F q <= 1) ->
  (forall a b, a <= b -> RInt (fun x => f (x + s k)) a b <= B) -> exists P, chance_of_leading f F K s k P.
Proof.
  intros Cf CF f0 F01 HB.
  assert (Cfs : forall x, continuous (fun x => f (x + s k)) x).
  { intros x. apply (continuous_comp (fun x => x + s k) f); [|apply Cf].
    apply (continuous_plus (V := R_NormedModule) (fun x => x) (fun _ => s k)); [apply continuous_id | apply continuous_const]. }
  assert (P01 : forall x, 0 <= prod K (fun i => if Nat.eqb i k then 1 else F (x + s i)) <= 1).
  { intros x. clear - F01. induction K as [|n IH]; simpl; [lra|]. cbv beta in IH.
    destruct (Nat.eqb n k); [rewrite Rmult_1_r; exact IH|].
    specialize (F01 (x + s n)). split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra | lra]. }
  assert (C : forall x, continuous (fun x => f (x + s k) * prod K (fun i => if Nat.eqb i k then 1 else F (x + s i))) x).
  { intros x. apply (continuous_mult (K := R_AbsRing) (fun x => f (x + s k))); [apply Cfs | now apply prod_cont]. }
  apply ex_gen with B; auto.
  - intros a b _. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); auto.
  - intros x. apply Rmult_le_pos; [auto | apply P01].
  - intros a b H. eapply Rle_trans; [|apply HB; exact H]. apply RInt_le; auto.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)); auto.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)); auto.
    + intros x _. rewrite <- (Rmult_1_r (f (x + s k))) at 2. apply Rmult_le_compat_l; [auto | apply P01].
Qed.

Lemma laplace_leads eta K s k : 0 < eta -> exists P, chance_of_leading (laplace_density eta) (laplace_cdf eta) K s k P.
Proof.
  intros He. destruct (laplace_pieces eta He) as (f0 & _ & F0 & Fm).
  assert (Abs : forall q, continuous Rabs q) by (intros; apply continuous_Rabs).
  assert (Cexp : forall (g : R -> R) q, continuous g q -> continuous (fun x => exp (g x)) q).
  { intros g q C. apply (continuous_comp g exp); auto. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
  assert (Cf : forall q, continuous (laplace_density eta) q).
  { intros q. unfold laplace_density. apply (continuous_scal_r (V := R_NormedModule) (eta / 2) (fun q => exp (- eta * Rabs q))).
    apply Cexp. apply (continuous_scal_r (V := R_NormedModule) (- eta) Rabs). apply Abs. }
  apply leads_exists with (B := PI); auto.
  - intros q. assert (X : forall x : R, exp (eta * ((x - Rabs x) / 2)) / 2 + (/ 2 + - / 2 * exp (- eta * ((x + Rabs x) / 2))) = laplace_cdf eta x).
    { intros x. unfold laplace_cdf. destruct (Rle_dec x 0).
      * rewrite Rabs_left1 by lra. replace ((x + - x) / 2) with 0 by lra. replace ((x - - x) / 2) with x by lra.
        rewrite Rmult_0_r, exp_0. field.
      * rewrite Rabs_right by lra. replace ((x - x) / 2) with 0 by lra. replace ((x + x) / 2) with x by lra.
        rewrite Rmult_0_r, exp_0. field. }
    apply (continuous_ext _ _ q X). clear X.
    + assert (C1 : forall c d q, continuous (fun x => c * ((x + d * Rabs x) / 2)) q).
      { intros c d q0. assert (Y : forall x : R, (c / 2) * x + (c * d / 2) * Rabs x = c * ((x + d * Rabs x) / 2)) by (intros; field).
          apply (continuous_ext _ _ q0 Y).
        apply (continuous_plus (V := R_NormedModule) (fun x => c / 2 * x)).
        - apply (continuous_scal_r (V := R_NormedModule) (c / 2) (fun x => x)). apply continuous_id.
        - apply (continuous_scal_r (V := R_NormedModule) (c * d / 2) Rabs). apply Abs. }
      apply (continuous_plus (V := R_NormedModule) (fun q => exp (eta * ((q - Rabs q) / 2)) / 2)).
      * apply (continuous_ext (fun q => / 2 * exp (eta * ((q + -1 * Rabs q) / 2)))).
        { intros x. replace (x + -1 * Rabs x) with (x - Rabs x) by ring. apply Rmult_comm. }
        apply (continuous_scal_r (V := R_NormedModule) (/ 2) (fun q => exp (eta * ((q + -1 * Rabs q) / 2)))). apply Cexp, C1.
      * apply (continuous_plus (V := R_NormedModule) (fun _ => / 2)); [apply continuous_const|].
        apply (continuous_ext (fun q => - / 2 * exp (- eta * ((q + 1 * Rabs q) / 2)))).
        { intros x. now rewrite Rmult_1_l. }
        apply (continuous_scal_r (V := R_NormedModule) (- / 2) (fun q => exp (- eta * ((q + 1 * Rabs q) / 2)))). apply Cexp, C1.
  - intros q. split; [apply F0|]. unfold laplace_cdf. destruct (Rle_dec q 0).
    + assert (exp (eta * q) <= 1) by (apply exp_below_1; nra). lra.
    + pose proof (exp_pos (- eta * q)). lra.
  - intros a b H. set (A := fun x => atan (exp (eta * (x + s k)))).
    set (g := fun x => eta * exp (eta * (x + s k)) / (1 + exp (eta * (x + s k)) * exp (eta * (x + s k)))).
    assert (D : forall x, is_derive A x (g x)).
    { intros x. unfold A, g. auto_derive; auto. pose proof (exp_pos (eta * (x + s k))). unfold Rsqr. field. nra. }
    assert (Cg : forall x, continuous g x).
    { intros x. apply (ex_derive_continuous (V := R_NormedModule)). unfold g. auto_derive.
      pose proof (exp_pos (eta * (x + s k))). nra. }
    assert (I : is_RInt g a b (A b - A a)).
    { apply (is_RInt_derive (V := R_CompleteNormedModule)); intros; auto. }
    apply Rle_trans with (RInt g a b).
    + apply RInt_le; auto.
      * apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
        apply (continuous_comp (fun x => x + s k) (laplace_density eta)); [|apply Cf].
        apply (continuous_plus (V := R_NormedModule) (fun x => x) (fun _ => s k)); [apply continuous_id | apply continuous_const].
      * now exists (A b - A a).
      * intros x _. unfold laplace_density, g. set (y := x + s k).
        assert (E : exp (- eta * y) * exp (eta * y) = 1) by (rewrite <- exp_plus; replace (- eta * y + eta * y) with 0 by ring; apply exp_0).
        pose proof (exp_pos (eta * y)) as P1. pose proof (exp_pos (- eta * y)) as P2.
        set (u := exp (eta * y)) in *.
        apply Rmult_le_reg_r with (1 + u * u); [nra|].
        replace (eta * u / (1 + u * u) * (1 + u * u)) with (eta * u) by (field; nra).
        destruct (Rle_dec 0 y) as [Y|Y].
        { rewrite Rabs_right by lra. set (z := exp (- eta * y)) in *.
          assert (z <= 1) by (unfold z; apply exp_below_1; nra).
          assert (z <= u) by (unfold z, u; apply exp_le; nra).
          replace (eta / 2 * z * (1 + u * u)) with (eta / 2 * (z + u * (z * u))) by ring. rewrite E.
          assert (0 <= eta * (u - z)) by (apply Rmult_le_pos; lra). nra. }
        { rewrite Rabs_left by lra. replace (- eta * - y) with (eta * y) by ring. fold u.
          assert (u <= 1) by (unfold u; apply exp_below_1; nra).
          assert (u * u <= 1) by nra. assert (0 <= eta * u * (1 - u * u)) by (repeat apply Rmult_le_pos; lra). nra. }
    + rewrite (is_RInt_unique g a b _ I). unfold A.
      pose proof (atan_bound (exp (eta * (b + s k)))). pose proof (atan_bound (exp (eta * (a + s k)))). lra.
Qed.

(* glue two functions with integrals at c *)
Lemma is_glue (h g1 g2 : R -> R) (G1 G2 : R -> R) c :
  (forall x, is_derive G1 x (g1 x)) -> (forall x, is_derive G2 x (g2 x)) ->
  (forall x, continuous g1 x) -> (forall x, continuous g2 x) ->
  (forall x, x < c -> h x = g1 x) -> (forall x, c < x -> h x = g2 x) -> G1 c = G2 c ->
  forall a b, a <= b -> is_RInt h a b ((if Rle_dec b c then G1 b else G2 b) - (if Rle_dec a c then G1 a else G2 a)).
Proof.
  intros D1 D2 C1 C2 H1 H2 E a b Hab.
  assert (I1 : forall a b, a <= b -> b <= c -> is_RInt h a b (G1 b - G1 a)).
  { intros x y Hxy Hy. apply (is_RInt_ext (V := R_NormedModule) g1).
    - intros z Hz. rewrite Rmax_right in Hz by lra. symmetry. apply H1. lra.
    - apply (is_RInt_derive (V := R_CompleteNormedModule)); intros; auto. }
  assert (I2 : forall a b, a <= b -> c <= a -> is_RInt h a b (G2 b - G2 a)).
  { intros x y Hxy Hy. apply (is_RInt_ext (V := R_NormedModule) g2).
    - intros z Hz. rewrite Rmin_left in Hz by lra. symmetry. apply H2. lra.
    - apply (is_RInt_derive (V := R_CompleteNormedModule)); intros; auto. }
  destruct (Rle_dec b c); destruct (Rle_dec a c); try (apply I1; lra); try (apply I2; lra); try lra.
  replace (G2 b - G1 a) with (plus (G1 c - G1 a) (G2 b - G2 c)) by (unfold plus; simpl; lra).
  apply (is_RInt_Chasles (V := R_NormedModule)) with c; [apply I1 | apply I2]; lra.
Qed.

(* F is the distribution function: increments are integrals of f (the limits 0 and 1 are elementary). *)
Lemma laplace_cdf_right eta a b : 0 < eta -> a <= b ->
  is_RInt (laplace_density eta) a b (laplace_cdf eta b - laplace_cdf eta a).
Proof.
  intros He H.
  apply (is_glue (laplace_density eta) (fun q => eta / 2 * exp (eta * q)) (fun q => eta / 2 * exp (- eta * q))
    (fun q => exp (eta * q) / 2) (fun q => 1 - exp (- eta * q) / 2) 0); auto.
  - intros x. auto_derive; auto. field.
  - intros x. auto_derive; auto. field.
  - intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
  - intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
  - intros x Hx. unfold laplace_density. rewrite Rabs_left by lra. do 2 f_equal. ring.
  - intros x Hx. unfold laplace_density. rewrite Rabs_right by lra. reflexivity.
  - rewrite !Rmult_0_r, exp_0. field.
Qed.
Lemma exponential_cdf_right eta a b : 0 < eta -> a <= b ->
  is_RInt (exponential_density eta) a b (exponential_cdf eta b - exponential_cdf eta a).
Proof.
  intros He H.
  pose proof (is_glue (exponential_density eta) (fun _ => 0) (fun q => eta * exp (- eta * q))
    (fun _ => 0) (fun q => 1 - exp (- eta * q)) 0) as G. cbv beta in G.
  replace (exponential_cdf eta b - exponential_cdf eta a) with
    ((if Rle_dec b 0 then 0 else 1 - exp (- eta * b)) - (if Rle_dec a 0 then 0 else 1 - exp (- eta * a))).
  - apply G; auto.
    + intros x. auto_derive; auto.
    + intros x. auto_derive; auto. field.
    + intros x. apply continuous_const.
    + intros x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto.
    + intros x Hx. unfold exponential_density. destruct (Rle_dec 0 x); lra.
    + intros x Hx. unfold exponential_density. destruct (Rle_dec 0 x); lra.
    + rewrite !Rmult_0_r, exp_0. field.
  - unfold exponential_cdf.
    assert (Z : forall x, (if Rle_dec x 0 then 0 else 1 - exp (- eta * x)) = (if Rle_dec 0 x then 1 - exp (- eta * x) else 0)).
    { intros x. destruct (Rle_dec x 0); destruct (Rle_dec 0 x); try lra. replace x with 0 by lra. rewrite Rmult_0_r, exp_0. lra. }
    now rewrite !Z.
Qed.
Lemma gumbel_cdf_right eta a b : 0 < eta -> is_RInt (gumbel_density eta) a b (gumbel_cdf eta b - gumbel_cdf eta a).
Proof.
  intros He. apply (is_RInt_derive (V := R_CompleteNormedModule)).
  - intros x _. unfold gumbel_cdf, gumbel_density. auto_derive; auto. ring.
  - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). unfold gumbel_density. auto_derive; auto.
Qed.

Lemma exponential_leads eta K s k : 0 < eta -> exists P, chance_of_leading (exponential_density eta) (exponential_cdf eta) K s k P.
Proof.
  intros He. unfold chance_of_leading.
  set (p := fun x : R => prod K (fun i => if Nat.eqb i k then 1 else exponential_cdf eta (x + s i))).
  assert (CF : forall q, continuous (exponential_cdf eta) q).
  { intros q. assert (X : forall x : R, 1 - exp (- eta * ((x + Rabs x) / 2)) = exponential_cdf eta x).
    { intros x. unfold exponential_cdf. destruct (Rle_dec 0 x).
      - rewrite Rabs_right by lra. do 3 f_equal. lra.
      - rewrite Rabs_left by lra. replace ((x + - x) / 2) with 0 by lra. rewrite Rmult_0_r, exp_0. ring. }
    apply (continuous_ext _ _ q X).
    apply (continuous_minus (V := R_NormedModule) (fun _ => 1)); [apply continuous_const|].
    apply (continuous_comp (fun x => - eta * ((x + Rabs x) / 2)) exp).
    - assert (Y : forall x : R, - eta / 2 * (x + Rabs x) = - eta * ((x + Rabs x) / 2)) by (intros; field).
      apply (continuous_ext _ _ q Y). apply (continuous_scal_r (V := R_NormedModule) (- eta / 2) (fun x => x + Rabs x)).
      apply (continuous_plus (V := R_NormedModule) (fun x => x)); [apply continuous_id | apply continuous_Rabs].
    - apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
  assert (Cp : forall x, continuous p x) by (intros; now apply prod_cont).
  destruct (exponential_pieces eta He) as (f0 & _ & F0 & Fm).
  assert (F1 : forall q, exponential_cdf eta q <= 1).
  { intros q. unfold exponential_cdf. destruct (Rle_dec 0 q); [pose proof (exp_pos (- eta * q)); lra | lra]. }
  assert (P01 : forall x, 0 <= p x <= 1).
  { intros x. unfold p. clear - F0 F1. induction K as [|n IH]; simpl; [lra|]. cbv beta in IH.
    destruct (Nat.eqb n k); [rewrite Rmult_1_r; exact IH|].
    specialize (F0 (x + s n)). specialize (F1 (x + s n)). split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra | lra]. }
  set (h := fun x => exponential_density eta (x + s k) * p x). set (c := - s k).
  assert (Sh : forall a b, a <= b -> is_RInt (fun x => exponential_density eta (x + s k)) a b
      (exponential_cdf eta (b + s k) - exponential_cdf eta (a + s k))).
  { intros a b H. apply (is_RInt_ext (V := R_NormedModule) (fun x => scal 1 (exponential_density eta (1 * x + s k)))).
    - intros x _. unfold scal; simpl; unfold mult; simpl. now rewrite !Rmult_1_l.
    - apply (is_RInt_comp_lin (V := R_NormedModule)). rewrite !Rmult_1_l. apply exponential_cdf_right; lra. }
  assert (L0 : forall a b, a <= b -> b <= c -> ex_RInt h a b).
  { intros a b H Hb. apply (ex_RInt_ext (V := R_NormedModule) (fun _ => 0)).
    - intros x Hx. rewrite Rmax_right in Hx by lra. unfold h, exponential_density, c in *. destruct (Rle_dec 0 (x + s k)); [lra | now rewrite Rmult_0_l].
    - apply (ex_RInt_const (V := R_NormedModule)). }
  assert (R0 : forall a b, a <= b -> c <= a -> ex_RInt h a b).
  { intros a b H Ha. apply (ex_RInt_ext (V := R_NormedModule) (fun x => eta * exp (- eta * (x + s k)) * p x)).
    - intros x Hx. rewrite Rmin_left in Hx by lra. unfold h, exponential_density, c in *. destruct (Rle_dec 0 (x + s k)); [reflexivity | lra].
    - apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
      apply (continuous_mult (K := R_AbsRing) (fun x => eta * exp (- eta * (x + s k)))); auto.
      apply (ex_derive_continuous (V := R_NormedModule)). auto_derive; auto. }
  assert (EX : forall a b, a <= b -> ex_RInt h a b).
  { intros a b H. destruct (Rle_dec b c); [apply L0; lra|]. destruct (Rle_dec c a); [apply R0; lra|].
    apply (ex_RInt_Chasles (V := R_NormedModule)) with c; [apply L0; lra | apply R0; lra]. }
  apply ex_gen with 1; auto.
  - intros x. apply Rmult_le_pos; [auto | apply P01].
  - intros a b H. apply Rle_trans with (RInt (fun x => exponential_density eta (x + s k)) a b).
    + apply RInt_le; auto; [eexists; now apply Sh|].
      intros x _. unfold h. pose proof (P01 x) as [A1 A2]. pose proof (f0 (x + s k)) as A3. eapply Rle_trans; [apply Rmult_le_compat_l; [exact A3 | exact A2] | rewrite Rmult_1_r; apply Rle_refl].
    + rewrite (is_RInt_unique _ _ _ _ (Sh a b H)). pose proof (F1 (b + s k)). pose proof (F0 (a + s k)). lra.
Qed.

(* ---------------------------------------------------------------- the three noises are noises *)

Lemma exp_small d : 0 < d -> exp (- / d) < d.
Proof.
  intros H. assert (H' : 0 < / d) by now apply Rinv_0_lt_compat.
  rewrite exp_Ropp. rewrite <- (Rinv_inv d) at 2. apply Rinv_lt_contravar.
  - apply Rmult_lt_0_compat; [auto | apply exp_pos].
  - pose proof (exp_ineq1_le (/ d)). lra.
Qed.

Lemma laplace_law eta : 0 < eta -> noise_law (laplace_density eta) (laplace_cdf eta).
Proof.
  intros He. destruct (laplace_pieces eta He) as (f0 & _ & F0 & _). repeat split; auto.
  - intros. now apply laplace_cdf_right.
  - unfold laplace_cdf. destruct (Rle_dec q 0).
    + pose proof (exp_below_1 (eta * q) ltac:(nra)). lra.
    + pose proof (exp_pos (- eta * q)). lra.
  - intros d Hd. set (y := / d / eta). assert (Hy : 0 < y) by (apply Rdiv_lt_0_compat; [now apply Rinv_0_lt_compat | auto]).
    assert (E : eta * y = / d) by (unfold y; field; lra). pose proof (exp_small d Hd) as S. pose proof (exp_pos (- / d)).
    exists (- y), y. unfold laplace_cdf. destruct (Rle_dec (- y) 0); [|lra]. destruct (Rle_dec y 0); [lra|].
    replace (eta * - y) with (- / d) by lra. replace (- eta * y) with (- / d) by lra. lra.
Qed.

Lemma exponential_law eta : 0 < eta -> noise_law (exponential_density eta) (exponential_cdf eta).
Proof.
  intros He. destruct (exponential_pieces eta He) as (f0 & _ & F0 & _). repeat split; auto.
  - intros. now apply exponential_cdf_right.
  - unfold exponential_cdf. destruct (Rle_dec 0 q); [pose proof (exp_pos (- eta * q)); lra | lra].
  - intros d Hd. set (y := / d / eta). assert (Hy : 0 < y) by (apply Rdiv_lt_0_compat; [now apply Rinv_0_lt_compat | auto]).
    assert (E : eta * y = / d) by (unfold y; field; lra). pose proof (exp_small d Hd) as S. pose proof (exp_pos (- / d)).
    exists (- y), y. unfold exponential_cdf. destruct (Rle_dec 0 (- y)); [lra|]. destruct (Rle_dec 0 y); [|lra].
    replace (- eta * y) with (- / d) by lra. lra.
Qed.

Lemma gumbel_law eta : 0 < eta -> noise_law (gumbel_density eta) (gumbel_cdf eta).
Proof.
  intros He. destruct (gumbel_pieces eta He) as (f0 & _ & F0 & _). repeat split; auto.
  - intros. now apply gumbel_cdf_right.
  - unfold gumbel_cdf. apply exp_below_1. pose proof (exp_pos (- eta * q)). lra.
  - intros d Hd. assert (Hd' : 0 < / d) by now apply Rinv_0_lt_compat.
    exists (- (ln (/ d) / eta)), (- (ln d / eta)). unfold gumbel_cdf.
    replace (- eta * - (ln (/ d) / eta)) with (ln (/ d)) by (field; lra).
    replace (- eta * - (ln d / eta)) with (ln d) by (field; lra).
    rewrite !exp_ln by auto. split; [now apply exp_small|].
    assert (1 + - d < exp (- d)) by (apply exp_ineq1; lra). lra.
Qed.

(* Their chances exist. *)
Lemma gumbel_exists eta K : 0 < eta -> chances_exist (gumbel_density eta) (gumbel_cdf eta) K.
Proof. intros He s k Hk. exists (softmax eta K s k). now apply gumbel_leads. Qed.
Lemma laplace_exists eta K : 0 < eta -> chances_exist (laplace_density eta) (laplace_cdf eta) K.
Proof. intros He s k _. now apply laplace_leads. Qed.
Lemma exponential_exists eta K : 0 < eta -> chances_exist (exponential_density eta) (exponential_cdf eta) K.
Proof. intros He s k _. now apply exponential_leads. Qed.

Lemma leading_is_chance f F K s k : (exists P, chance_of_leading f F K s k P) -> chance_of_leading f F K s k (leading f F K s k).
Proof.
  intros [P H]. replace (leading f F K s k) with P; auto. symmetry.
  now apply (is_RInt_gen_unique (V := R_CompleteNormedModule)).
Qed.

(* Integrals over the line of functions that are not negative. *)
Lemma gen_le (g h : R -> R) (P Q : R) : (forall x, 0 <= g x <= h x) ->
  is_RInt_gen (V := R_NormedModule) g (Rbar_locally m_infty) (Rbar_locally p_infty) P ->
  is_RInt_gen (V := R_NormedModule) h (Rbar_locally m_infty) (Rbar_locally p_infty) Q -> 0 <= P <= Q.
Proof.
  intros H HP HQ.
  assert (A : forall k X, (forall x, g x <= k x) ->
    is_RInt_gen (V := R_NormedModule) k (Rbar_locally m_infty) (Rbar_locally p_infty) X -> Rabs P <= X).
  { intros k X Hk HX.
    assert (N : norm (V := R_NormedModule) P <= X); [|exact N].
    eapply (RInt_gen_norm (V := R_CompleteNormedModule) (Fa := Rbar_locally m_infty) (Fb := Rbar_locally p_infty));
      [| |exact HP|exact HX].
    - exists (fun x => x < 0) (fun x => 0 < x); [now exists 0 | now exists 0 |]. simpl; intros; lra.
    - apply filter_forall. intros ab x _. unfold norm; simpl; unfold abs; simpl.
      rewrite Rabs_pos_eq by apply H. apply Hk. }
  pose proof (A g P ltac:(intros; lra) HP) as B. pose proof (A h Q ltac:(intros; apply H) HQ) as C.
  pose proof (Rabs_pos P). pose proof (Rle_abs P). lra.
Qed.

(* The density of a noise has total mass 1, wherever it is centred. *)
Lemma noise_total f F m : noise_law f F ->
  is_RInt_gen (V := R_NormedModule) (fun y => f (y - m)) (Rbar_locally m_infty) (Rbar_locally p_infty) 1.
Proof.
  intros N. pose proof N as (_ & I & B & L). intros Q [d HQ].
  destruct (L (d / 2) ltac:(pose proof (cond_pos d); lra)) as (a0 & b0 & Ha & Hb).
  exists (fun a => a < Rmin a0 b0 + m) (fun b => Rmax a0 b0 + m < b); [now exists (Rmin a0 b0 + m) | now exists (Rmax a0 b0 + m) |].
  intros a b Ha' Hb'. simpl in *. exists (F (b - m) - F (a - m)). split.
  - apply (is_RInt_ext (V := R_NormedModule) (fun x => scal 1 (f (1 * x + - m)))).
    + intros x _. unfold scal; simpl; unfold mult; simpl. rewrite !Rmult_1_l. reflexivity.
    + apply (is_RInt_comp_lin (V := R_NormedModule)). rewrite !Rmult_1_l.
      replace (a + - m) with (a - m) by ring. replace (b + - m) with (b - m) by ring. apply I.
      pose proof (Rmin_l a0 b0). pose proof (Rmax_l a0 b0). lra.
  - apply HQ. pose proof (Rmin_l a0 b0). pose proof (Rmax_r a0 b0).
    pose proof (noise_rises f F (a - m) a0 N ltac:(lra)). pose proof (noise_rises f F b0 (b - m) N ltac:(lra)).
    pose proof (B (a - m)). pose proof (B (b - m)).
    unfold ball; simpl; unfold AbsRing_ball; simpl; unfold abs, minus, plus, opp; simpl. apply Rabs_def1; lra.
Qed.
