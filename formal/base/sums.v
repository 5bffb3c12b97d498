(* Finite sums and products, exponentials and logarithms, and two sums over numbers of rounds.

   Legend, for all files: `S i` is i + 1; `fun k => x` is the function that maps k to x; a whole number stands
   for itself among the reals; `(k < K)%nat` compares whole numbers; `exp` and `ln` are as usual. *)

Require Import Reals Lra Lia List PeanoNat.
Local Open Scope R_scope.

(* A whole number is also a real number. *)
Coercion INR : nat >-> R.

(* f 0 + ... + f (n - 1) and f 0 * ... * f (n - 1) *)
Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => sum m f + f m end.
Fixpoint prod (n : nat) (f : nat -> R) : R :=
  match n with O => 1 | S m => prod m f * f m end.

Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto with arith. Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n; simpl; intros H; [lra|]. apply Rplus_le_compat; auto with arith.
Qed.

Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

Lemma sum_scal n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof. induction n; [simpl; lra|]. rewrite S_INR; simpl sum. rewrite IHn; lra. Qed.

Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros H. apply Rle_trans with (sum n (fun _ => 0)).
  - rewrite sum_const; lra.
  - now apply sum_le.
Qed.

(* One of several terms, none negative, is at most their sum. *)
Lemma sum_one n f i : (forall j, (j < n)%nat -> 0 <= f j) -> (i < n)%nat -> f i <= sum n f.
Proof.
  induction n; simpl; intros H Hi; [lia|].
  assert (0 <= f n) by auto with arith.
  assert (0 <= sum n f) by auto using sum_nonneg with arith.
  destruct (Nat.eq_dec i n) as [->|]; [lra|].
  assert (f i <= sum n f) by (apply IHn; auto with arith; lia). lra.
Qed.

Lemma sum_app n m f : sum (n + m) f = sum n f + sum m (fun i => f (n + i)%nat).
Proof.
  induction m; simpl; [rewrite Nat.add_0_r; lra|].
  rewrite Nat.add_succ_r; simpl. rewrite IHm; lra.
Qed.

(* Sums that differ in one term. *)
Lemma sum_differ n f g i :
  (forall j, (j < n)%nat -> j <> i -> f j = g j) -> Rabs (f i - g i) <= 1 ->
  Rabs (sum n f - sum n g) <= 1.
Proof.
  induction n; simpl; intros H Hi; [rewrite Rminus_0_r, Rabs_R0; lra|].
  destruct (Nat.eq_dec n i) as [->|Hn].
  - rewrite (sum_ext i f g); [|intros; apply H; lia].
    replace (_ - _) with (f i - g i) by lra; easy.
  - rewrite (H n); auto. replace (_ - _) with (sum n f - sum n g) by lra. auto with arith.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros H. destruct H as [H|H]; [left; now apply exp_increasing | rewrite H; lra]. Qed.

(* Products of which at most one factor grows. *)
Lemma prod_differ n f g c j :
  1 <= c -> (forall i, (i < n)%nat -> 0 <= f i) -> (forall i, (i < n)%nat -> 0 <= g i) ->
  (forall i, (i < n)%nat -> f i <= c * g i) ->
  (forall i, (i < n)%nat -> i <> j -> f i = g i) ->
  0 <= prod n f /\ prod n f <= c * prod n g /\ 0 <= prod n g /\
  ((n <= j)%nat -> prod n f = prod n g).
Proof.
  intros Hc. induction n; simpl; intros F G L E; [repeat split; lra|].
  destruct IHn as (P & Q & P' & U); auto with arith.
  assert (0 <= f n) by auto with arith. assert (0 <= g n) by auto with arith.
  assert (f n <= c * g n) by auto with arith.
  destruct (Nat.eq_dec n j) as [<-|Hn].
  - rewrite U in * by auto. repeat split; try nra. lia.
  - rewrite (E n) in * by auto with arith. repeat split; try nra.
    intros; rewrite U by lia; reflexivity.
Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx H. destruct H as [H|H]; [left; now apply ln_increasing | rewrite H; lra]. Qed.

Lemma sum_epochs n (g : nat -> R) :
  sum (2 ^ n - 1) (fun i => g (Nat.log2 (S i))) = sum n (fun r => INR (2 ^ r) * g r).
Proof.
  induction n as [|n IH]; [reflexivity|].
  assert (0 < 2 ^ n)%nat by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  replace (2 ^ S n - 1)%nat with ((2 ^ n - 1) + 2 ^ n)%nat by (rewrite Nat.pow_succ_r'; lia).
  rewrite sum_app, IH. simpl sum at 3. f_equal.
  rewrite <- sum_const. apply sum_ext. intros i Hi. f_equal.
  apply Nat.log2_unique; [lia|]. rewrite Nat.pow_succ_r'. lia.
Qed.

Lemma sum_telescope n f : sum n (fun i => f i - f (S i)) = f O - f n.
Proof. induction n; simpl; [lra|]. rewrite IHn; lra. Qed.

(* More rounds have no less regret. *)
Lemma sum_longer n m f : (n <= m)%nat -> (forall i, 0 <= f i) -> sum n f <= sum m f.
Proof.
  intros H P. replace m with (n + (m - n))%nat by lia. rewrite sum_app.
  assert (0 <= sum (m - n) (fun i => f (n + i)%nat)) by (apply sum_nonneg; auto). lra.
Qed.

Lemma tangent x y : exp y * (1 + (x - y)) <= exp x.
Proof.
  replace (exp x) with (exp y * exp (x - y)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le].
Qed.

Lemma ln_below x A : 0 < x -> 0 < A -> ln x <= ln A + (x - A) / A.
Proof.
  intros Hx HA. replace x with (A * (x / A)) at 1 by (field; lra).
  assert (0 < x / A) by (now apply Rdiv_lt_0_compat).
  rewrite ln_mult by auto. apply Rplus_le_compat_l.
  pose proof (exp_ineq1_le (ln (x / A))) as E. rewrite exp_ln in E by auto.
  replace ((x - A) / A) with (x / A - 1) by (field; lra). lra.
Qed.

Lemma ln_sum_convex K a x :
  (forall k, (k < K)%nat -> 0 <= a k) -> 0 < sum K a ->
  sum K (fun k => a k / sum K a * x k) <= ln (sum K (fun k => a k * exp (x k))) - ln (sum K a).
Proof.
  intros Ha HZ. set (Z := sum K a) in *. set (A := sum K (fun k => a k / Z * x k)).
  assert (One : sum K (fun k => a k / Z) = 1).
  { rewrite (sum_ext _ _ (fun k => / Z * a k)) by (intros; field; lra).
    rewrite sum_scal. fold Z. field; lra. }
  assert (E : Z * exp A <= sum K (fun k => a k * exp (x k))).
  { replace (Z * exp A) with (Z * exp A * sum K (fun k => (1 - A) * (a k / Z) + a k / Z * x k))
      by (rewrite sum_plus, sum_scal, One; fold A; ring).
    rewrite <- sum_scal. apply sum_le. intros k Hk.
    replace (Z * exp A * ((1 - A) * (a k / Z) + a k / Z * x k))
      with (a k * (exp A * (1 + (x k - A)))) by (field; lra).
    apply Rmult_le_compat_l; auto. apply tangent. }
  apply ln_le in E; [|apply Rmult_lt_0_compat; auto; apply exp_pos].
  rewrite ln_mult, ln_exp in E by (auto; apply exp_pos). lra.
Qed.

Section Tail.
Variables (B c : R).
Hypotheses (HB : 1 <= B) (Hc : 0 < c).
Let x0 := ln B / c.
Let h x := Rmin 1 (B * exp (- c * x)).
(* The integral of h from 0 to x. *)
Let A x := if Rle_dec x x0 then x else x0 + (1 - exp (- c * (x - x0))) / c.

Lemma x0_nonneg : 0 <= x0.
Proof.
  apply Rle_mult_inv_pos; auto. rewrite <- ln_1. apply ln_le; lra.
Qed.

Lemma h_tail x : h x <= exp (- c * (x - x0)).
Proof.
  unfold h. eapply Rle_trans; [apply Rmin_r|]. right.
  replace (- c * (x - x0)) with (ln B + - c * x) by (unfold x0; field; lra).
  rewrite exp_plus, exp_ln by lra. reflexivity.
Qed.

Lemma A_step a b : 0 <= a <= b -> (b - a) * h b <= A b - A a.
Proof.
  intros H. assert (h b <= 1) by apply Rmin_l. pose proof (h_tail b) as T.
  unfold A. destruct (Rle_dec b x0); destruct (Rle_dec a x0); try lra.
  - nra.
  - pose proof (tangent 0 (- c * (b - x0))) as E. rewrite exp_0 in E.
    set (e := exp (- c * (b - x0))) in *.
    assert (e <= 1). { apply Rle_trans with (exp 0); [apply exp_le; nra | rewrite exp_0; lra]. }
    assert ((b - x0) * e <= (1 - e) / c).
    { apply Rmult_le_reg_r with c; auto. replace ((1 - e) / c * c) with (1 - e) by (field; lra). lra. }
    apply Rle_trans with ((x0 - a) * 1 + (b - x0) * e); [|lra].
    apply Rle_trans with ((b - a) * e); [apply Rmult_le_compat_l; lra|].
    replace ((b - a) * e) with ((x0 - a) * e + (b - x0) * e) by ring.
    apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
  - pose proof (tangent (- c * (a - x0)) (- c * (b - x0))) as E.
    apply Rle_trans with ((b - a) * exp (- c * (b - x0))); [apply Rmult_le_compat_l; lra|].
    set (ea := exp (- c * (a - x0))) in *. set (eb := exp (- c * (b - x0))) in *.
    apply Rmult_le_reg_r with c; auto.
    replace ((x0 + (1 - eb) / c - (x0 + (1 - ea) / c)) * c) with (ea - eb) by (field; lra). lra.
Qed.

Lemma A_bounds x : 0 <= x -> 0 <= A x <= (ln B + 1) / c.
Proof.
  intros Hx. pose proof x0_nonneg. assert (0 < / c) by (now apply Rinv_0_lt_compat).
  replace ((ln B + 1) / c) with (x0 + / c) by (unfold x0; field; lra).
  unfold A. destruct (Rle_dec x x0); [lra|].
  pose proof (exp_pos (- c * (x - x0))). set (e := exp _) in *.
  assert (e <= 1). { apply Rle_trans with (exp 0); [apply exp_le; nra | rewrite exp_0; lra]. }
  unfold Rdiv. split; nra.
Qed.

Lemma tail_sum n : sum n (fun q => INR (2 ^ S q) * h (INR (2 ^ q))) <= 4 * ((ln B + 1) / c).
Proof.
  apply Rle_trans with (sum n (fun q => 4 * (- A (INR (2 ^ q) / 2) - - A (INR (2 ^ S q) / 2)))).
  - apply sum_le. intros q _. pose proof (pos_INR (2 ^ q)).
    rewrite Nat.pow_succ_r', mult_INR. change (INR 2) with 2. set (N := INR (2 ^ q)) in *.
    replace (2 * N / 2) with N by field.
    pose proof (A_step (N / 2) N ltac:(lra)). lra.
  - rewrite sum_scal, (sum_telescope n (fun q => - A (INR (2 ^ q) / 2))).
    apply Rmult_le_compat_l; [lra|].
    pose proof (pos_INR (2 ^ n)). pose proof (pos_INR (2 ^ 0)).
    pose proof (A_bounds (INR (2 ^ n) / 2) ltac:(lra)). pose proof (A_bounds (INR (2 ^ 0) / 2) ltac:(lra)). lra.
Qed.
End Tail.

Lemma sum_swap n k (f : nat -> nat -> R) :
  sum n (fun i => sum k (fun j => f i j)) = sum k (fun j => sum n (fun i => f i j)).
Proof.
  induction n; simpl; [rewrite sum_const; ring|]. rewrite IHn, <- sum_plus. reflexivity.
Qed.

Lemma sum_steps n (g : nat -> R) : g 0%nat = 0 -> sum n (fun j => g j - g (j - 1)%nat) = g (n - 1)%nat.
Proof.
  intros G. induction n as [|n IH]; simpl; [easy|]. rewrite IH, Nat.sub_0_r. ring.
Qed.

(* Summation by parts. *)
Lemma abel n (p g : nat -> R) : g 0%nat = 0 ->
  sum n (fun k => p k * g k) =
  sum n (fun j => (g j - g (j - 1)%nat) * sum (n - j) (fun i => p (j + i)%nat)).
Proof.
  intros G. induction n as [|n IH]; [easy|].
  cbn [sum]. rewrite IH.
  rewrite (sum_ext n (fun j => (g j - g (j - 1)%nat) * sum (S n - j) (fun i => p (j + i)%nat))
     (fun j => (g j - g (j - 1)%nat) * sum (n - j) (fun i => p (j + i)%nat) + p n * (g j - g (j - 1)%nat))).
  - rewrite sum_plus, sum_scal, sum_steps by auto.
    replace (sum (S n - n) (fun i => p (n + i)%nat)) with (p n).
    + pose proof (sum_steps (S n) g G) as T. cbn [sum] in T. rewrite sum_steps in T by auto.
      replace (S n - 1)%nat with n in T by lia. rewrite <- T at 1. ring.
    + replace (S n - n)%nat with 1%nat by lia. simpl. rewrite Nat.add_0_r. ring.
  - intros j Hj. replace (S n - j)%nat with (S (n - j)) by lia. cbn [sum].
    replace (j + (n - j))%nat with n by lia. ring.
Qed.

Lemma gaps_sum n (g : nat -> R) Delta :
  0 < Delta -> g 0%nat = 0 -> (forall j k, (j <= k < n)%nat -> g j <= g k) ->
  (forall k, (k < n)%nat -> g k = 0 \/ Delta <= g k) ->
  sum n (fun j => (g j - g (j - 1)%nat) / (g j * g j)) <= 2 / Delta.
Proof.
  intros HD G Mono Gap.
  assert (S : (g (n - 1)%nat = 0 /\ sum n (fun j => (g j - g (j - 1)%nat) / (g j * g j)) <= 0) \/
              (Delta <= g (n - 1)%nat /\
               sum n (fun j => (g j - g (j - 1)%nat) / (g j * g j)) <= 2 / Delta - / g (n - 1)%nat)).
  { induction n as [|n IH]; [left; simpl; split; [auto | lra]|].
    cbn [sum]. replace (S n - 1)%nat with n by lia.
    destruct IH as [[Z IH]|[Z IH]]; [intros; apply Mono; lia | intros; apply Gap; lia | |].
    - destruct (Gap n ltac:(lia)) as [Hn|Hn].
      + left. split; auto. rewrite Hn, Z. unfold Rdiv. lra.
      + right. split; auto. rewrite Z.
        replace ((g n - 0) / (g n * g n)) with (/ g n) by (field; lra).
        assert (/ g n <= / Delta) by (apply Rinv_le_contravar; lra).
        unfold Rdiv. lra.
    - right. assert (M : g (n - 1)%nat <= g n) by (apply Mono; lia). split; [lra|].
      assert ((g n - g (n - 1)%nat) / (g n * g n) <= / g (n - 1)%nat - / g n); [|lra].
      set (a := g (n - 1)%nat) in *. set (b := g n) in *.
      replace (/ a - / b) with ((b - a) / (a * b)) by (field; lra).
      unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; nra. }
  assert (0 < / Delta) by (now apply Rinv_0_lt_compat).
  destruct S as [[_ S]|[Z S]].
  - unfold Rdiv in *. lra.
  - assert (0 < / g (n - 1)%nat) by (apply Rinv_0_lt_compat; lra). lra.
Qed.

Lemma prod_le n f g : (forall i, (i < n)%nat -> 0 <= f i <= g i) -> 0 <= prod n f <= prod n g.
Proof.
  induction n; simpl; intros H; [lra|].
  pose proof (H n ltac:(lia)). destruct IHn as [A B]; [intros; apply H; lia|].
  split; [apply Rmult_le_pos; lra | apply Rmult_le_compat; lra].
Qed.

Lemma exp_below_1 x : x <= 0 -> exp x <= 1.
Proof. intros. apply Rle_trans with (exp 0); [now apply exp_le | rewrite exp_0; lra]. Qed.

Lemma pow_exp y n : exp y ^ n = exp (INR n * y).
Proof.
  induction n as [|n IH]; simpl pow; [now rewrite Rmult_0_l, exp_0|].
  rewrite S_INR, IH, <- exp_plus. f_equal. ring.
Qed.

Lemma prod_exp n (g : nat -> R) : prod n (fun i => exp (- g i)) = exp (- sum n g).
Proof.
  induction n; simpl; [now rewrite Ropp_0, exp_0|]. rewrite IHn, <- exp_plus. f_equal. ring.
Qed.

Lemma prod_one n k (g : nat -> R) : (k < n)%nat ->
  g k * prod n (fun i => if Nat.eqb i k then 1 else g i) = prod n g.
Proof.
  induction n; intros H; [lia|]. cbn [prod]. destruct (Nat.eqb_spec n k) as [->|].
  - rewrite Rmult_1_r, Rmult_comm. f_equal.
    clear. assert (E : forall m, (m <= k)%nat -> prod m (fun i => if Nat.eqb i k then 1 else g i) = prod m g).
    { induction m; intros; simpl; [easy|]. rewrite IHm by lia. destruct (Nat.eqb_spec m k); [lia | easy]. }
    now apply E.
  - rewrite <- Rmult_assoc, IHn by lia. reflexivity.
Qed.

Lemma prod_split n m (f : nat -> R) : prod (n + m) f = prod n f * prod m (fun i => f (n + i)%nat).
Proof. induction m; simpl; [rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHm. ring. Qed.

(* Sums over all numbers of rounds. *)
Lemma tail_sum_all B c n : 1 <= B -> 0 < c ->
  sum n (fun i => Rmin 1 (B * exp (- c * INR (S i)))) <= (ln B + 1) / c.
Proof.
  intros HB Hc.
  pose proof (fun i => A_step B c HB Hc (INR i) (INR (S i))
    ltac:(split; [apply pos_INR | apply le_INR; lia])) as St.
  pose proof (A_bounds B c HB Hc (INR n) (pos_INR n)) as U.
  pose proof (A_bounds B c HB Hc (INR 0) (pos_INR 0)) as U0. cbv zeta in *.
  set (A := fun x => if Rle_dec x (ln B / c) then x else ln B / c + (1 - exp (- c * (x - ln B / c))) / c).
  apply Rle_trans with (sum n (fun i => - A (INR i) - - A (INR (S i)))).
  - apply sum_le. intros i _. specialize (St i). rewrite S_INR in *.
    replace (INR i + 1 - INR i) with 1 in St by ring. unfold A. lra.
  - rewrite (sum_telescope n (fun i => - A (INR i))). unfold A. lra.
Qed.

(* ---------------------------------------------------------------- sorting *)

(* p is a permutation of 0, ..., n - 1: it reaches each number once, and sums do not change. *)
Definition permutes (n : nat) (p : nat -> nat) : Prop :=
  (forall k, (k < n)%nat -> (p k < n)%nat) /\ (forall b, (b < n)%nat -> exists k, (k < n)%nat /\ p k = b) /\
  (forall j k, (j < n)%nat -> (k < n)%nat -> j <> k -> p j <> p k) /\
  (forall h : nat -> R, sum n (fun k => h (p k)) = sum n h).

(* Numbers of rising size: the first j are at most x, the others at least x. *)
Lemma split_rising n (g : nat -> R) x : (forall j k, (j <= k < n)%nat -> g j <= g k) ->
  exists j, (j <= n)%nat /\ (forall k, (k < j)%nat -> g k <= x) /\ (forall k, (j <= k < n)%nat -> x <= g k).
Proof.
  intros Rise. induction n as [|n IH]; [exists 0%nat; repeat split; intros; lia|].
  destruct IH as (j & Hj & Small & Large); [intros; apply Rise; lia|].
  destruct (Rle_dec x (g n)) as [H|H].
  - exists j. repeat split; auto. intros k Hk. destruct (Nat.eq_dec k n) as [->|]; auto. apply Large; lia.
  - exists (S n). repeat split; auto; intros k Hk; [|lia]. pose proof (Rise k n ltac:(lia)). lra.
Qed.

Lemma sorting n (g : nat -> R) : exists p, permutes n p /\ forall j k, (j <= k < n)%nat -> g (p j) <= g (p k).
Proof.
  induction n as [|n (p & (P1 & P2 & I & P3) & Rise)].
  { exists (fun k => k). repeat split; intros; try lia. }
  destruct (split_rising n (fun k => g (p k)) (g n) Rise) as (j & Hj & Small & Large).
  set (q := fun k => if Nat.ltb k j then p k else if Nat.eqb k j then n else p (k - 1)%nat).
  assert (Q1 : forall k, (k < j)%nat -> q k = p k) by (intros; unfold q; destruct (Nat.ltb_spec k j); [easy | lia]).
  assert (Q2 : q j = n).
  { unfold q. destruct (Nat.ltb_spec j j); [lia|]. now rewrite Nat.eqb_refl. }
  assert (Q3 : forall i, q (j + S i)%nat = p (j + i)%nat).
  { intros i. unfold q. destruct (Nat.ltb_spec (j + S i) j); [lia|]. destruct (Nat.eqb_spec (j + S i) j); [lia|].
    f_equal. lia. }
  assert (Split : forall k, (k < S n)%nat -> (k < j)%nat \/ k = j \/ exists i, k = (j + S i)%nat /\ (j + i < n)%nat).
  { intros k Hk. destruct (Nat.lt_trichotomy k j) as [H|[H|H]]; auto. right. right. exists (k - j - 1)%nat. lia. }
  clearbody q. exists q. repeat split.
  - intros k Hk. destruct (Split k Hk) as [H|[->|(i & -> & H)]].
    + rewrite Q1 by auto. pose proof (P1 k ltac:(lia)). lia.
    + rewrite Q2. lia.
    + rewrite Q3. pose proof (P1 (j + i)%nat H). lia.
  - intros b Hb. destruct (Nat.eq_dec b n) as [->|]; [exists j; split; [lia | easy]|].
    destruct (P2 b ltac:(lia)) as (k & Hk & E). destruct (Nat.le_gt_cases j k).
    + exists (j + S (k - j))%nat. rewrite Q3. split; [lia|]. now replace (j + (k - j))%nat with k by lia.
    + exists k. rewrite Q1 by auto. split; [lia | easy].
  - intros a b Ha Hb N. destruct (Split a Ha) as [A|[A|(i & A & A')]]; destruct (Split b Hb) as [B|[B|(u & B & B')]];
      subst; rewrite ?Q2, ?Q3, ?(Q1 a), ?(Q1 b) by auto; try lia; try (apply I; lia).
    + pose proof (P1 a ltac:(lia)). lia.
    + pose proof (P1 b ltac:(lia)). lia.
    + pose proof (P1 (j + u)%nat B'). lia.
    + pose proof (P1 (j + i)%nat A'). lia.
  - intros h. transitivity (sum j (fun k => h (p k)) + (h n + sum (n - j) (fun i => h (p (j + i)%nat)))).
    + replace (S n) with (j + (1 + (n - j)))%nat by lia. rewrite !sum_app. f_equal.
      * apply sum_ext. intros. now rewrite Q1.
      * f_equal; [simpl; rewrite Nat.add_0_r, Q2; ring | apply sum_ext; intros; f_equal; apply Q3].
    + cbn [sum]. rewrite <- P3. replace n with (j + (n - j))%nat at 3 by lia. rewrite sum_app. ring.
  - intros a b Hab. destruct (Split a ltac:(lia)) as [H|[H|(i & H & H')]]; destruct (Split b ltac:(lia)) as [J|[J|(u & J & J')]];
      subst; try lia; rewrite ?Q2, ?Q3, ?(Q1 a), ?(Q1 b) by auto; try lra.
    + apply Rise. lia.
    + now apply Small.
    + apply Rise. lia.
    + apply Large. lia.
    + apply Rise. lia.
Qed.
