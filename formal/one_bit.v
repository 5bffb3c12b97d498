(* Theorem "one-bit", its privacy, and steps (ii) and (iii): the total variation of the predictions.

   Printed: for every class of K laws there is an epsilon-LDP scheme of one bit a label, without interaction, with
   averaged total variation at most 1/tanh(epsilon/2) sqrt(kappa log K / (2 T)) in the mean. The user draws one of N
   public tests phi_k of the label, values 1 and -1, and sends k and phi_k of the label as a bit that is right with
   probability e^epsilon / (1 + e^epsilon); Bayes' rule reads the messages. Tests are such that |u|_1^2 is at most kappa
   times the mean of <phi, u>^2 over tests, for all u in the span of the differences of the laws. *)

Require Import Reals Lra Lia List PeanoNat.
From Coquelicot Require Import Coquelicot.
From Formal.base Require Import sums hoeffding laws.
Local Open Scope R_scope.
Import ListNotations.

(* A message: the number of a test, and a bit. Contexts may be chosen after earlier messages: all that a context
   determines is a function of the history of messages. *)
Definition message := (nat * bool)%type.
Definition history := list message.

(* A class of K laws of n labels, and N public tests that are drawn with weights: under hypothesis j label y has chance
   `law h j y`; test i has weight `weight h i`, and its value on label y is 1 if `test h i y`, else -1. *)
Record class := {
  K : nat; labels : nat; law : history -> nat -> nat -> R;
  tests : nat; weight : history -> nat -> R; test : history -> nat -> nat -> bool
}.
Definition are_laws (c : class) : Prop := forall h,
  (forall j, (j < K c)%nat -> (forall y, (y < labels c)%nat -> 0 <= law c h j y) /\ sum (labels c) (law c h j) = 1) /\
  (forall i, (i < tests c)%nat -> 0 < weight c h i) /\ sum (tests c) (weight c h) = 1.

Definition sign (b : bool) : R := if b then 1 else -1.
(* <phi_i, u> *)
Definition product (c : class) (h : history) (i : nat) (u : nat -> R) : R := sum (labels c) (fun y => sign (test c h i y) * u y).
(* The condition on the tests. *)
Definition price (c : class) (kappa : R) : Prop := forall h a, sum (K c) a = 0 ->
  let u := fun y => sum (K c) (fun j => a j * law c h j y) in
  (sum (labels c) (fun y => Rabs (u y))) ^ 2 <= kappa * sum (tests c) (fun i => weight c h i * product c h i u ^ 2).

(* The chance of a message given the label, and if the label has the law p. *)
Definition sends (c : class) (epsilon : R) (h : history) (m : message) (y : nat) : R :=
  weight c h (fst m) * (if Bool.eqb (test c h (fst m) y) (snd m) then exp epsilon / (1 + exp epsilon) else 1 / (1 + exp epsilon)).
Definition message_law (c : class) (epsilon : R) (h : history) (p : nat -> R) (m : message) : R :=
  sum (labels c) (fun y => p y * sends c epsilon h m y).

(* The learner has weights pi j of the hypotheses, predicts by their mixture, and learns by Bayes' rule. *)
Definition prediction (c : class) (h : history) (pi : nat -> R) (y : nat) : R := sum (K c) (fun j => pi j * law c h j y).
Definition bayes (c : class) (epsilon : R) (h : history) (pi : nat -> R) (m : message) (j : nat) : R :=
  pi j * message_law c epsilon h (law c h j) m / sum (K c) (fun i => pi i * message_law c epsilon h (law c h i) m).

(* The mean, if hypothesis `truth` is true, of the sum over T rounds of a cost D of the learner's state. *)
Fixpoint mean_cost (c : class) (epsilon : R) (truth : nat) (D : history -> (nat -> R) -> R) (T : nat)
    (h : history) (pi : nat -> R) : R :=
  match T with
  | O => 0
  | S T => D h pi + sum (tests c) (fun i =>
      message_law c epsilon h (law c h truth) (i, true) * mean_cost c epsilon truth D T (h ++ [(i, true)]) (bayes c epsilon h pi (i, true)) +
      message_law c epsilon h (law c h truth) (i, false) * mean_cost c epsilon truth D T (h ++ [(i, false)]) (bayes c epsilon h pi (i, false)))
  end.

(* The total variation of the true law and the prediction. *)
Definition total_variation (c : class) (truth : nat) (h : history) (pi : nat -> R) : R :=
  / 2 * sum (labels c) (fun y => Rabs (law c h truth y - prediction c h pi y)).
(* tanh (epsilon / 2) *)
Definition tanh_half (epsilon : R) : R := (exp epsilon - 1) / (exp epsilon + 1).

(* ---------------------------------------------------------------- privacy *)

Theorem one_bit_private : forall c epsilon h m y y', 0 <= epsilon -> are_laws c -> (fst m < tests c)%nat ->
  sends c epsilon h m y <= exp epsilon * sends c epsilon h m y'.
Proof.
  intros c epsilon h m y y' He A Hm. destruct (A h) as (_ & W & _). specialize (W _ Hm).
  assert (1 <= exp epsilon) by (rewrite <- exp_0; apply exp_le; lra). set (e := exp epsilon) in *.
  unfold sends. fold e.
  assert (S0 : 0 < 1 / (1 + e)) by (apply Rdiv_lt_0_compat; lra).
  replace (e / (1 + e)) with (e * (1 / (1 + e))) by (field; lra). set (s := 1 / (1 + e)) in *.
  assert (s <= e * s) by nra. assert (e * s <= e * (e * s)) by (apply Rmult_le_compat_l; lra).
  match goal with |- ?w * _ <= e * (?w * ?b) => replace (e * (w * b)) with (w * (e * b)) by ring end.
  apply Rmult_le_compat_l; [lra|].
  destruct (Bool.eqb (test c h (fst m) y) (snd m)), (Bool.eqb (test c h (fst m) y') (snd m)); lra.
Qed.

(* ---------------------------------------------------------------- Pinsker's inequality for one bit *)

Lemma pinsker p q : 0 < p < 1 -> 0 < q < 1 -> 2 * (p - q) ^ 2 <= p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).
Proof.
  intros Hp Hq. set (x := 4 * (p - q)). set (A := 1 - q + q * exp x).
  pose proof (exp_pos x) as E. assert (HA : 0 < A) by (unfold A; nra).
  assert (L : ln A <= q * x + x * x / 8).
  { rewrite <- (ln_exp (q * x + x * x / 8)). apply ln_le; auto. apply two_points. lra. }
  assert (P1 : 0 < q * exp x / p) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (P2 : 0 < (1 - q) / (1 - p)) by (apply Rdiv_lt_0_compat; lra).
  pose proof (ln_below (q * exp x / p) A P1 HA) as B1. pose proof (ln_below ((1 - q) / (1 - p)) A P2 HA) as B2.
  assert (C1 : ln (q * exp x / p) = x - ln (p / q)).
  { unfold Rdiv. rewrite !ln_mult, ln_exp, !ln_Rinv; try lra; try (apply Rinv_0_lt_compat; lra).
    apply Rmult_lt_0_compat; lra. }
  assert (C2 : ln ((1 - q) / (1 - p)) = - ln ((1 - p) / (1 - q))).
  { unfold Rdiv. rewrite !ln_mult, !ln_Rinv; try lra; apply Rinv_0_lt_compat; lra. }
  rewrite C1 in B1. rewrite C2 in B2.
  assert (M : p * (x - ln (p / q)) + (1 - p) * - ln ((1 - p) / (1 - q)) <= ln A).
  { apply Rle_trans with (p * (ln A + (q * exp x / p - A) / A) + (1 - p) * (ln A + ((1 - q) / (1 - p) - A) / A)).
    - apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
    - right. unfold A in *. field. lra. }
  unfold x in *. simpl. nra.
Qed.

(* ---------------------------------------------------------------- one message *)

Section Proof.
Variables (c : class) (epsilon kappa : R) (truth : nat).
Hypotheses (HE : 0 < epsilon) (A : are_laws c) (HT : (truth < K c)%nat) (HK : price c kappa) (k0 : 0 < kappa).
Notation tau := (tanh_half epsilon).

Lemma tau_bounds : 0 < tau < 1.
Proof.
  unfold tanh_half. assert (1 < exp epsilon) by (rewrite <- exp_0; now apply exp_increasing). split.
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_lt_reg_r with (exp epsilon + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Definition is_law (p : nat -> R) : Prop := (forall y, (y < labels c)%nat -> 0 <= p y) /\ sum (labels c) p = 1.

Lemma product_bounds h i p : is_law p -> -1 <= product c h i p <= 1.
Proof.
  intros [P One]. unfold product. rewrite <- One. split.
  - apply Rle_trans with (sum (labels c) (fun y => -1 * p y)); [rewrite sum_scal, One; lra|].
    apply sum_le. intros y Hy. specialize (P y Hy). unfold sign. destruct (test c h i y); lra.
  - apply sum_le. intros y Hy. specialize (P y Hy). unfold sign. destruct (test c h i y); lra.
Qed.

Lemma message_is h i b p : is_law p ->
  message_law c epsilon h p (i, b) = weight c h i * ((1 + sign b * (tau * product c h i p)) / 2).
Proof.
  intros [_ One]. pose proof (exp_pos epsilon) as E. unfold message_law, sends, product. cbn [fst snd].
  rewrite (sum_ext _ _ (fun y => weight c h i / 2 * p y + weight c h i / 2 * sign b * tau * (sign (test c h i y) * p y))).
  - rewrite sum_plus, !sum_scal, One. field.
  - intros y _. unfold tanh_half, sign. destruct (test c h i y), b; simpl; field; lra.
Qed.

Lemma prediction_is_law h pi : (forall j, (j < K c)%nat -> 0 <= pi j) -> sum (K c) pi = 1 -> is_law (prediction c h pi).
Proof.
  intros P One. destruct (A h) as (L & _). unfold prediction. split.
  - intros y Hy. apply sum_nonneg. intros j Hj. apply Rmult_le_pos; auto. now apply L.
  - rewrite sum_swap, (sum_ext _ _ pi); auto. intros j Hj. rewrite sum_scal. destruct (L j Hj) as [_ ->]. ring.
Qed.

Lemma message_of_prediction h pi m :
  sum (K c) (fun j => pi j * message_law c epsilon h (law c h j) m) = message_law c epsilon h (prediction c h pi) m.
Proof.
  unfold message_law, prediction.
  rewrite (sum_ext _ _ (fun j => sum (labels c) (fun y => pi j * (law c h j y * sends c epsilon h m y)))) by (intros; now rewrite sum_scal).
  rewrite sum_swap. apply sum_ext. intros y _.
  rewrite Rmult_comm, <- sum_scal. apply sum_ext. intros. ring.
Qed.

(* The weights stay a law, and the truth keeps a weight. *)
Definition good (pi : nat -> R) : Prop := (forall j, (j < K c)%nat -> 0 <= pi j) /\ sum (K c) pi = 1 /\ 0 < pi truth.

Lemma message_pos h i b p : (i < tests c)%nat -> is_law p -> 0 < message_law c epsilon h p (i, b).
Proof.
  intros Hi P. rewrite message_is by auto. pose proof (product_bounds h i p P). pose proof tau_bounds.
  destruct (A h) as (_ & W & _). specialize (W i Hi). apply Rmult_lt_0_compat; auto.
  unfold sign. destruct b; nra.
Qed.

Lemma law_is_law h j : (j < K c)%nat -> is_law (law c h j).
Proof. intros. now apply A. Qed.

Lemma bayes_good h pi i b : (i < tests c)%nat -> good pi -> good (bayes c epsilon h pi (i, b)).
Proof.
  intros Hi (P & One & PT).
  pose proof (message_pos h i b _ Hi (prediction_is_law h pi P One)) as Q. rewrite <- message_of_prediction in Q.
  split; [|split].
  - intros j Hj. unfold bayes. apply Rle_mult_inv_pos; auto. apply Rmult_le_pos; auto. left. apply message_pos; auto using law_is_law.
  - unfold bayes, Rdiv. set (Z := sum (K c) (fun j => pi j * message_law c epsilon h (law c h j) (i, b))) in *.
    rewrite (sum_ext _ _ (fun j => / Z * (pi j * message_law c epsilon h (law c h j) (i, b)))) by (intros; ring).
    rewrite sum_scal. fold Z. field. lra.
  - unfold bayes. apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. apply message_pos; auto using law_is_law.
Qed.

(* What a message tells, by Pinsker's inequality. *)
Definition told h pi : R := tau ^ 2 / 2 *
  sum (tests c) (fun i => weight c h i * (product c h i (law c h truth) - product c h i (prediction c h pi)) ^ 2).

Lemma message_tells h pi : good pi ->
  told h pi <= sum (tests c) (fun i =>
    message_law c epsilon h (law c h truth) (i, true) * (ln (bayes c epsilon h pi (i, true) truth) - ln (pi truth)) +
    message_law c epsilon h (law c h truth) (i, false) * (ln (bayes c epsilon h pi (i, false) truth) - ln (pi truth))).
Proof.
  intros (P & One & PT). unfold told. rewrite <- sum_scal. apply sum_le. intros i Hi.
  pose proof (law_is_law h truth HT) as LT. pose proof (prediction_is_law h pi P One) as LP.
  assert (R1 : forall b, ln (bayes c epsilon h pi (i, b) truth) - ln (pi truth) =
     ln (((1 + sign b * (tau * product c h i (law c h truth))) / 2) / ((1 + sign b * (tau * product c h i (prediction c h pi))) / 2))).
  { intros b. pose proof (message_pos h i b _ Hi LT) as M1. pose proof (message_pos h i b _ Hi LP) as M2.
    unfold bayes. rewrite message_of_prediction.
    rewrite !(message_is h i b) in * by auto. destruct (A h) as (_ & W & _). specialize (W i Hi).
    set (a := (1 + sign b * (tau * product c h i (law c h truth))) / 2) in *.
    set (z := (1 + sign b * (tau * product c h i (prediction c h pi))) / 2) in *.
    assert (0 < a) by (apply Rmult_lt_reg_l with (weight c h i); lra).
    assert (0 < z) by (apply Rmult_lt_reg_l with (weight c h i); lra).
    replace (pi truth * (weight c h i * a) / (weight c h i * z)) with (pi truth * (a / z)) by (field; lra).
    rewrite ln_mult; [ring | auto | now apply Rdiv_lt_0_compat]. }
  rewrite !R1, !(message_is h i) by auto. unfold sign.
  pose proof (product_bounds h i _ LT) as B1. pose proof (product_bounds h i _ LP) as B2. pose proof tau_bounds as TB.
  set (a := product c h i (law c h truth)) in *. set (z := product c h i (prediction c h pi)) in *.
  pose proof (pinsker ((1 + tau * a) / 2) ((1 + tau * z) / 2) ltac:(split; nra) ltac:(split; nra)) as Pi.
  replace (1 - (1 + tau * a) / 2) with ((1 + -1 * (tau * a)) / 2) in Pi by field.
  replace (1 - (1 + tau * z) / 2) with ((1 + -1 * (tau * z)) / 2) in Pi by field.
  rewrite !Rmult_1_l. destruct (A h) as (_ & W & _). specialize (W i Hi).
  replace (tau ^ 2 / 2 * (weight c h i * (a - z) ^ 2)) with (weight c h i * (2 * ((1 + tau * a) / 2 - (1 + tau * z) / 2) ^ 2)) by field.
  rewrite !Rmult_assoc, <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra.
Qed.

Lemma messages_total h : sum (tests c) (fun i =>
  message_law c epsilon h (law c h truth) (i, true) + message_law c epsilon h (law c h truth) (i, false)) = 1.
Proof.
  destruct (A h) as (_ & _ & One). rewrite <- One. apply sum_ext. intros i _.
  rewrite !message_is by now apply law_is_law. unfold sign. field.
Qed.

(* Step (ii): all messages together tell no more than log K, in whatever order contexts come. *)
Lemma told_in_all T : forall h pi, good pi -> mean_cost c epsilon truth told T h pi <= - ln (pi truth).
Proof.
  induction T as [|T IH]; intros h pi G; cbn [mean_cost].
  { destruct G as (P & One & PT). assert (pi truth <= 1) by (rewrite <- One; apply sum_one with (f := pi); auto).
    pose proof (ln_le (pi truth) 1 PT ltac:(lra)) as B. rewrite ln_1 in B. lra. }
  pose proof (message_tells h pi G) as M.
  eapply Rle_trans; [apply Rplus_le_compat; [exact M | apply sum_le; intros i Hi; apply Rplus_le_compat]|].
  - apply Rmult_le_compat_l; [left; apply message_pos; auto using law_is_law|]. apply IH. now apply bayes_good.
  - apply Rmult_le_compat_l; [left; apply message_pos; auto using law_is_law|]. apply IH. now apply bayes_good.
  - rewrite <- sum_plus. right. transitivity (- ln (pi truth) * 1); [|ring]. rewrite <- (messages_total h), <- sum_scal.
    apply sum_ext. intros i _. ring.
Qed.

(* Step (iii): the tests see the total variation. *)
Lemma variation_is_told h pi : good pi -> total_variation c truth h pi ^ 2 <= kappa / (2 * tau ^ 2) * told h pi.
Proof.
  intros (P & One & PT). pose proof tau_bounds as TB.
  set (a := fun j => (if Nat.eqb j truth then 1 else 0) - pi j).
  assert (Single : forall f : nat -> R, sum (K c) (fun j => (if Nat.eqb j truth then 1 else 0) * f j) = f truth).
  { intros f. clear - HT. induction (K c) as [|n IH]; [lia|]. cbn [sum]. destruct (Nat.eqb_spec n truth) as [->|N].
    - rewrite (sum_ext truth _ (fun _ => 0)); [rewrite sum_const; ring|].
      intros i Hi. destruct (Nat.eqb_spec i truth); [lia | ring].
    - rewrite IH by lia. ring. }
  assert (U : forall y, sum (K c) (fun j => a j * law c h j y) = law c h truth y - prediction c h pi y).
  { intros y. unfold a, prediction. rewrite <- (Single (fun j => law c h j y)).
    rewrite (sum_ext _ _ (fun j => (if Nat.eqb j truth then 1 else 0) * law c h j y + -1 * (pi j * law c h j y))) by (intros; ring).
    rewrite sum_plus, sum_scal. ring. }
  assert (Z : sum (K c) a = 0).
  { unfold a. rewrite (sum_ext _ _ (fun j => (if Nat.eqb j truth then 1 else 0) * 1 + -1 * pi j)) by (intros; ring).
    rewrite sum_plus, sum_scal, (Single (fun _ => 1)), One. ring. }
  pose proof (HK h a Z) as Q. cbv zeta in Q.
  rewrite (sum_ext _ (fun y => Rabs (sum (K c) (fun j => a j * law c h j y))) (fun y => Rabs (law c h truth y - prediction c h pi y))) in Q
    by (intros; now rewrite U).
  rewrite (sum_ext (tests c) _ (fun i => weight c h i * (product c h i (law c h truth) - product c h i (prediction c h pi)) ^ 2)) in Q.
  2:{ intros i _. do 2 f_equal. unfold product.
      rewrite (sum_ext _ _ (fun y => sign (test c h i y) * law c h truth y + -1 * (sign (test c h i y) * prediction c h pi y))).
      - rewrite sum_plus, sum_scal. ring.
      - intros y _. rewrite U. ring. }
  unfold total_variation, told. set (V := sum (labels c) _) in *. set (W := sum (tests c) _) in *.
  replace (kappa / (2 * tau ^ 2) * (tau ^ 2 / 2 * W)) with (kappa * W / 4) by (field; lra). simpl in *. lra.
Qed.

(* Costs are compared state by state. *)
Lemma mean_cost_le x z D D' : (forall h pi, good pi -> D h pi <= x * D' h pi + z) -> forall T h pi, good pi ->
  mean_cost c epsilon truth D T h pi <= x * mean_cost c epsilon truth D' T h pi + INR T * z.
Proof.
  intros H. induction T as [|T IH]; intros h pi G; [simpl; lra|]. rewrite S_INR. cbn [mean_cost].
  rewrite Rmult_plus_distr_l, <- sum_scal.
  assert (S1 : INR T * z = sum (tests c) (fun i => (message_law c epsilon h (law c h truth) (i, true) +
     message_law c epsilon h (law c h truth) (i, false)) * (INR T * z))).
  { rewrite (sum_ext _ _ (fun i => INR T * z * (message_law c epsilon h (law c h truth) (i, true) +
     message_law c epsilon h (law c h truth) (i, false)))) by (intros; ring).
    rewrite sum_scal, messages_total. ring. }
  specialize (H h pi G).
  match goal with |- ?d + ?s <= _ + ?s' + _ => assert (s <= s' + INR T * z) end.
  { rewrite S1, <- sum_plus. apply sum_le. intros i Hi.
    pose proof (IH (h ++ [(i, true)]) _ (bayes_good h pi i true Hi G)) as I1.
    pose proof (IH (h ++ [(i, false)]) _ (bayes_good h pi i false Hi G)) as I2.
    pose proof (message_pos h i true _ Hi (law_is_law h truth HT)) as M1.
    pose proof (message_pos h i false _ Hi (law_is_law h truth HT)) as M2.
    apply (Rmult_le_compat_l _ _ _ (Rlt_le _ _ M1)) in I1. apply (Rmult_le_compat_l _ _ _ (Rlt_le _ _ M2)) in I2. lra. }
  lra.
Qed.

Lemma uniform_good : good (fun _ => / INR (K c)).
Proof.
  assert (0 < / INR (K c)) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
  split; [intros; lra|]. split; [|auto]. rewrite sum_const. field. apply Rgt_not_eq, lt_0_INR. lia.
Qed.

Lemma squares T : mean_cost c epsilon truth (fun h pi => total_variation c truth h pi ^ 2) T [] (fun _ => / INR (K c))
  <= kappa * ln (INR (K c)) / (2 * tau ^ 2).
Proof.
  pose proof tau_bounds as TB.
  eapply Rle_trans; [apply (mean_cost_le (kappa / (2 * tau ^ 2)) 0 _ told); [intros h pi G; pose proof (variation_is_told h pi G); lra | apply uniform_good]|].
  pose proof (told_in_all T [] _ uniform_good) as B. cbv beta in B.
  assert (K0 : 0 < INR (K c)) by (apply lt_0_INR; lia). rewrite ln_Rinv, Ropp_involutive in B by auto.
  assert (0 < tau ^ 2) by (simpl; nra).
  assert (0 <= kappa / (2 * tau ^ 2)) by (left; apply Rdiv_lt_0_compat; lra).
  apply (Rmult_le_compat_l (kappa / (2 * tau ^ 2))) in B; auto.
  replace (kappa * ln (INR (K c)) / (2 * tau ^ 2)) with (kappa / (2 * tau ^ 2) * ln (INR (K c))) by (field; nra). lra.
Qed.
End Proof.

Theorem one_bit_squares : forall c epsilon kappa truth T,
  0 < epsilon -> 0 < kappa -> are_laws c -> price c kappa -> (truth < K c)%nat ->
  mean_cost c epsilon truth (fun h pi => total_variation c truth h pi ^ 2) T [] (fun _ => / K c)
  <= kappa * ln (K c) / (2 * tanh_half epsilon ^ 2).
Proof. intros. now apply squares. Qed.

Theorem one_bit_total_variation : forall c epsilon kappa truth T,
  0 < epsilon -> 0 < kappa -> are_laws c -> price c kappa -> (truth < K c)%nat -> (2 <= K c)%nat -> (1 <= T)%nat ->
  / T * mean_cost c epsilon truth (total_variation c truth) T [] (fun _ => / K c)
  <= 1 / tanh_half epsilon * sqrt (kappa * ln (K c) / (2 * T)).
Proof.
  intros c epsilon kappa truth T HE k0 A HP HT HK H1.
  pose proof (tau_bounds epsilon HE) as TB. set (tau := tanh_half epsilon) in *.
  pose proof (one_bit_squares c epsilon kappa truth T HE k0 A HP HT) as B. fold tau in B.
  assert (T0 : 0 < INR T) by (apply lt_0_INR; lia).
  assert (K2 : 1 < INR (K c)) by (apply (lt_INR 1); lia).
  assert (L : 0 < ln (INR (K c))) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (X := kappa * ln (INR (K c)) / (2 * INR T)).
  assert (X0 : 0 < X) by (apply Rdiv_lt_0_compat; nra).
  pose proof (sqrt_lt_R0 X X0) as S0. pose proof (sqrt_sqrt X (Rlt_le _ _ X0)) as SS. set (r := sqrt X) in *.
  (* v <= v^2 / (2 y) + y / 2 with y = r / tau *)
  set (y := r / tau). assert (Y0 : 0 < y) by (apply Rdiv_lt_0_compat; lra).
  pose proof (mean_cost_le c epsilon truth HE A HT (/ (2 * y)) (y / 2) (total_variation c truth)
    (fun h pi => total_variation c truth h pi ^ 2)) as M.
  assert (Pt : forall h pi, good c truth pi -> total_variation c truth h pi <= / (2 * y) * total_variation c truth h pi ^ 2 + y / 2).
  { intros h pi _. set (v := total_variation c truth h pi). apply Rmult_le_reg_l with (2 * y); [lra|].
    replace (2 * y * (/ (2 * y) * v ^ 2 + y / 2)) with (v ^ 2 + y * y) by (field; lra).
    assert (0 <= (v - y) ^ 2) by apply pow2_ge_0. lra. }
  specialize (M Pt T [] _ (uniform_good c truth HT)). cbv beta in M.
  apply Rmult_le_reg_l with (INR T); auto.
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. eapply Rle_trans; [exact M|].
  replace (INR T * (1 / tau * r)) with (/ (2 * y) * (INR T * (y * y)) + INR T * (y / 2)) by (unfold y; field; lra).
  apply Rplus_le_compat_r. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|].
  eapply Rle_trans; [exact B|]. right. unfold y.
  replace (INR T * (r / tau * (r / tau))) with (INR T * (r * r) / tau ^ 2) by (field; lra). rewrite SS. unfold X. field. lra.
Qed.

(* ---------------------------------------------------------------- step (iv): risk *)

(* Kullback-Leibler divergence of the true law from the prediction. *)
Definition divergence (c : class) (truth : nat) (h : history) (pi : nat -> R) : R :=
  sum (labels c) (fun y => law c h truth y * ln (law c h truth y / prediction c h pi y)).

(* e^x - 1 - x is at least x^2 / 2 for x >= 0, and e^(-z) - 1 + z at least z^2 / (2 (1 + z)) for z >= 0. *)
Lemma exp_square x : 0 <= x -> 0 <= exp x - 1 - x - x * x / 2.
Proof.
  apply (grows (fun x => exp x - 1 - x - x * x / 2) (fun x => exp x - 1 - x)).
  - intros y _. auto_derive; auto. field.
  - intros y _. pose proof (exp_ineq1_le y). lra.
  - rewrite exp_0. field.
Qed.

Lemma exp_square_below z : 0 <= z -> 0 <= (exp (- z) - 1 + z) * (2 * (1 + z)) - z * z.
Proof.
  apply (grows (fun z => (exp (- z) - 1 + z) * (2 * (1 + z)) - z * z) (fun z => 2 * z * (1 - exp (- z)))).
  - intros y _. auto_derive; auto. ring.
  - intros y Hy. assert (exp (- y) <= 1) by (rewrite <- exp_0; apply exp_le; lra). apply Rmult_le_pos; lra.
  - rewrite Ropp_0, exp_0. ring.
Qed.

(* (1 + ln r)^2 is concave for r >= 1: it lies below its tangent. *)
Lemma square_of_log r k : 1 <= r -> 1 <= k -> (1 + ln r) ^ 2 <= (1 + ln k) ^ 2 + 2 * (1 + ln k) * (r / k - 1).
Proof.
  intros Hr Hk. set (a := ln k). set (x := ln r - ln k).
  assert (A0 : 0 <= a) by (unfold a; rewrite <- ln_1; apply ln_le; lra).
  assert (R0 : 0 <= ln r) by (rewrite <- ln_1; apply ln_le; lra).
  assert (E : r / k = exp x).
  { unfold x, Rminus. rewrite exp_plus, exp_Ropp, !exp_ln by lra. reflexivity. }
  replace (ln r) with (a + x) in * by (unfold a, x; ring). rewrite E.
  assert (Q : x * x <= 2 * (1 + a) * (exp x - 1 - x)); [|simpl; nra].
  destruct (Rle_dec 0 x) as [X|X].
  - pose proof (exp_square x X). assert (0 <= a * (exp x - 1 - x)) by (apply Rmult_le_pos; [lra | pose proof (exp_ineq1_le x); lra]). lra.
  - pose proof (exp_square_below (- x) ltac:(lra)) as Z. rewrite Ropp_involutive in Z.
    assert (0 <= (a + x) * (exp x - 1 - x)) by (apply Rmult_le_pos; [lra | pose proof (exp_ineq1_le x); lra]). lra.
Qed.

Section Risk.
Variables (c : class) (epsilon : R) (truth : nat).
Hypotheses (HE : 0 < epsilon) (A : are_laws c) (HT : (truth < K c)%nat).
Notation good := (good c truth).

Lemma weight_below_one pi : good pi -> 0 < pi truth <= 1.
Proof. intros (P & One & PT). split; auto. rewrite <- One. apply sum_one with (f := pi); auto. Qed.

(* The truth's inverse weight has mean K in every round. *)
Lemma inverse_weights T : forall h pi, good pi ->
  mean_cost c epsilon truth (fun _ pi => / pi truth) T h pi <= INR T * / pi truth.
Proof.
  induction T as [|T IH]; intros h pi G; [simpl; lra|]. rewrite S_INR. cbn [mean_cost].
  assert (B : sum (tests c) (fun i =>
      message_law c epsilon h (law c h truth) (i, true) * mean_cost c epsilon truth (fun _ pi => / pi truth) T (h ++ [(i, true)]) (bayes c epsilon h pi (i, true)) +
      message_law c epsilon h (law c h truth) (i, false) * mean_cost c epsilon truth (fun _ pi => / pi truth) T (h ++ [(i, false)]) (bayes c epsilon h pi (i, false)))
    <= INR T * / pi truth); [|lra].
  pose proof G as (P & One & PT). pose proof (prediction_is_law c A h pi P One) as LP.
  assert (Z : forall i b, (i < tests c)%nat -> message_law c epsilon h (law c h truth) (i, b) *
      mean_cost c epsilon truth (fun _ pi => / pi truth) T (h ++ [(i, b)]) (bayes c epsilon h pi (i, b))
      <= INR T * / pi truth * message_law c epsilon h (prediction c h pi) (i, b)).
  { intros i b Hi. pose proof (message_pos c epsilon HE A h i b _ Hi (law_is_law c A h truth HT)) as M1.
    pose proof (message_pos c epsilon HE A h i b _ Hi LP) as M2.
    eapply Rle_trans; [apply Rmult_le_compat_l; [lra | apply IH; now apply bayes_good]|].
    right. unfold bayes. rewrite message_of_prediction. field. repeat split; lra. }
  eapply Rle_trans; [apply sum_le; intros i Hi; apply Rplus_le_compat; apply Z; auto|].
  right. rewrite (sum_ext _ _ (fun i => INR T * / pi truth * (weight c h i))).
  - rewrite sum_scal. destruct (A h) as (_ & _ & ->). ring.
  - intros i _. rewrite !message_is by auto. unfold sign. field. lra.
Qed.

Lemma squared_logs T : (2 <= K c)%nat ->
  mean_cost c epsilon truth (fun _ pi => (1 + ln (/ pi truth)) ^ 2) T [] (fun _ => / INR (K c)) <= INR T * (1 + ln (INR (K c))) ^ 2.
Proof.
  intros HK. assert (K2 : 2 <= INR (K c)) by (apply (le_INR 2); lia).
  assert (L : 0 <= ln (INR (K c))) by (rewrite <- ln_1; apply ln_le; lra).
  set (s := 2 * (1 + ln (INR (K c))) / INR (K c)).
  assert (s0 : 0 <= s) by (apply Rle_mult_inv_pos; lra).
  pose proof (mean_cost_le c epsilon truth HE A HT s ((1 + ln (INR (K c))) ^ 2 - 2 * (1 + ln (INR (K c))))
    (fun _ pi => (1 + ln (/ pi truth)) ^ 2) (fun _ pi => / pi truth)) as M.
  assert (Pt : forall (h : history) pi, good pi -> (1 + ln (/ pi truth)) ^ 2 <= s * / pi truth + ((1 + ln (INR (K c))) ^ 2 - 2 * (1 + ln (INR (K c))))).
  { intros _ pi G. pose proof (weight_below_one pi G) as W.
    assert (1 <= / pi truth) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    pose proof (square_of_log (/ pi truth) (INR (K c)) ltac:(lra) ltac:(lra)) as Q.
    replace (s * / pi truth) with (2 * (1 + ln (INR (K c))) * (/ pi truth / INR (K c))) by (unfold s; field; lra). lra. }
  specialize (M Pt T [] _ (uniform_good c truth HT)). cbv beta in M.
  pose proof (inverse_weights T [] _ (uniform_good c truth HT)) as I. cbv beta in I. rewrite Rinv_inv in I.
  apply (Rmult_le_compat_l s) in I; auto.
  replace (s * (INR T * INR (K c))) with (INR T * (2 * (1 + ln (INR (K c))))) in I by (unfold s; field; lra). lra.
Qed.

Lemma divergence_below h pi : good pi ->
  divergence c truth h pi <= total_variation c truth h pi * (1 + ln (/ pi truth)).
Proof.
  intros G. pose proof (weight_below_one pi G) as W. destruct G as (P & One & PT).
  destruct (law_is_law c A h truth HT) as [LP LO]. destruct (prediction_is_law c A h pi P One) as [QP QO].
  set (l := ln (/ pi truth)).
  assert (l0 : 0 <= l) by (unfold l; rewrite <- ln_1; apply ln_le; [lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  apply Rle_trans with (sum (labels c) (fun y => (1 + l) * (/ 2 * (law c h truth y - prediction c h pi y) +
                                               / 2 * Rabs (law c h truth y - prediction c h pi y)))).
  - apply sum_le. intros y Hy. specialize (LP y Hy). specialize (QP y Hy).
    set (p := law c h truth y) in *. set (q := prediction c h pi y) in *.
    destruct (Rle_lt_or_eq_dec _ _ LP) as [P0|P0].
    2:{ rewrite <- P0, Rmult_0_l. apply Rmult_le_pos; [lra|]. unfold Rabs. destruct (Rcase_abs _); lra. }
    assert (Q0 : pi truth * p <= q).
    { unfold p, q, prediction. apply sum_one with (f := fun j => pi j * law c h j y); auto.
      intros j Hj. apply Rmult_le_pos; auto. now apply (law_is_law c A h j Hj). }
    assert (Q1 : 0 < q) by nra.
    assert (D : 0 < p / q) by (now apply Rdiv_lt_0_compat).
    destruct (Rle_dec p q) as [C|C].
    + apply Rle_trans with 0.
      * assert (ln (p / q) <= 0); [|nra]. rewrite <- ln_1. apply ln_le; auto.
        apply Rmult_le_reg_r with q; auto. replace (p / q * q) with p by (field; lra). lra.
      * apply Rmult_le_pos; [lra|]. unfold Rabs. destruct (Rcase_abs _); lra.
    + rewrite Rabs_right by lra. replace (/ 2 * (p - q) + / 2 * (p - q)) with (p - q) by field.
      assert (B1 : ln (p / q) <= l).
      { apply ln_le; auto. apply Rmult_le_reg_r with q; auto. replace (p / q * q) with p by (field; lra).
        apply Rmult_le_reg_l with (pi truth); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
      assert (B2 : q * ln (p / q) <= p - q).
      { pose proof (exp_ineq1_le (ln (p / q))) as E. rewrite exp_ln in E by auto.
        apply Rle_trans with (q * (p / q - 1)); [apply Rmult_le_compat_l; lra | right; field; lra]. }
      replace (p * ln (p / q)) with ((p - q) * ln (p / q) + q * ln (p / q)) by ring.
      assert ((p - q) * ln (p / q) <= (p - q) * l) by (apply Rmult_le_compat_l; lra). lra.
  - right. unfold total_variation. rewrite sum_scal, sum_plus, !sum_scal.
    rewrite (sum_ext _ (fun y => law c h truth y - prediction c h pi y) (fun y => law c h truth y + -1 * prediction c h pi y)) by (intros; ring).
    rewrite sum_plus, sum_scal, LO, QO. ring.
Qed.
End Risk.

(* Sharper than printed: 1 + log K for the root of (2 + log K)^2 + 1. *)
Theorem one_bit_risk_sharper : forall c epsilon kappa truth T,
  0 < epsilon -> 0 < kappa -> are_laws c -> price c kappa -> (truth < K c)%nat -> (2 <= K c)%nat -> (1 <= T)%nat ->
  mean_cost c epsilon truth (divergence c truth) T [] (fun _ => / K c)
  <= 1 / tanh_half epsilon * sqrt (/ 2 * kappa * T * ln (K c)) * (1 + ln (K c)).
Proof.
  intros c epsilon kappa truth T HE k0 A HP HT HK H1.
  pose proof (tau_bounds epsilon HE) as TB. set (tau := tanh_half epsilon) in *.
  pose proof (one_bit_squares c epsilon kappa truth T HE k0 A HP HT) as B. fold tau in B.
  pose proof (squared_logs c epsilon truth HE A HT T HK) as B2.
  assert (T0 : 0 < INR T) by (apply lt_0_INR; lia).
  assert (K2 : 1 < INR (K c)) by (apply (lt_INR 1); lia).
  assert (L : 0 < ln (INR (K c))) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (X := / 2 * kappa * INR T * ln (INR (K c))).
  assert (X0 : 0 < X) by (unfold X; repeat apply Rmult_lt_0_compat; lra).
  pose proof (sqrt_lt_R0 X X0) as S0. pose proof (sqrt_sqrt X (Rlt_le _ _ X0)) as SS. set (r := sqrt X) in *.
  assert (g0 : 0 < 1 + ln (INR (K c))) by lra. set (g := 1 + ln (INR (K c))) in *.
  (* v w <= v^2 / (2 y) + y w^2 / 2 *)
  set (y := r / (tau * INR T * g)). assert (Y0 : 0 < y).
  { apply Rdiv_lt_0_compat; [exact S0|]. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
  pose proof (mean_cost_le c epsilon truth HE A HT 1 0 (divergence c truth)
    (fun h pi => / (2 * y) * total_variation c truth h pi ^ 2 + y / 2 * (1 + ln (/ pi truth)) ^ 2)) as M.
  assert (Pt : forall h pi, good c truth pi -> divergence c truth h pi <=
    1 * (/ (2 * y) * total_variation c truth h pi ^ 2 + y / 2 * (1 + ln (/ pi truth)) ^ 2) + 0).
  { intros h pi G. eapply Rle_trans; [now apply divergence_below|]. set (v := total_variation c truth h pi). set (w := 1 + ln (/ pi truth)).
    rewrite Rplus_0_r, Rmult_1_l. apply Rmult_le_reg_l with (2 * y); [lra|].
    replace (2 * y * (/ (2 * y) * v ^ 2 + y / 2 * w ^ 2)) with (v ^ 2 + (y * w) ^ 2) by (field; lra).
    pose proof (pow2_ge_0 (v - y * w)) as Sq.
    replace ((v - y * w) ^ 2) with (v ^ 2 + (y * w) ^ 2 - 2 * y * (v * w)) in Sq by ring. lra. }
  specialize (M Pt T [] _ (uniform_good c truth HT)).
  assert (Lin : forall n h pi, mean_cost c epsilon truth (fun h pi => / (2 * y) * total_variation c truth h pi ^ 2 + y / 2 * (1 + ln (/ pi truth)) ^ 2) n h pi
    = / (2 * y) * mean_cost c epsilon truth (fun h pi => total_variation c truth h pi ^ 2) n h pi
      + y / 2 * mean_cost c epsilon truth (fun _ pi => (1 + ln (/ pi truth)) ^ 2) n h pi).
  { clear. induction n as [|n IH]; intros h pi; cbn [mean_cost]; [ring|].
    rewrite !Rmult_plus_distr_l, <- !sum_scal.
    match goal with |- _ + ?s = _ + ?s1 + (_ + ?s2) => cut (s = s1 + s2); [intros E; rewrite E; ring|] end.
    rewrite <- sum_plus. apply sum_ext. intros i _. rewrite !IH. ring. }
  rewrite Lin in M. eapply Rle_trans; [exact M|]. rewrite Rmult_1_l, Rmult_0_r, Rplus_0_r.
  replace (1 / tau * r * g) with (/ (2 * y) * (r * r / (tau ^ 2 * INR T)) + y / 2 * (INR T * g ^ 2)).
  - apply Rplus_le_compat; (apply Rmult_le_compat_l; [|]); auto.
    + left. apply Rinv_0_lt_compat. lra.
    + eapply Rle_trans; [exact B|]. right. rewrite SS. unfold X. field. lra.
    + lra.
  - unfold y. unfold g in *. field. repeat split; lra.
Qed.

Theorem one_bit_risk : forall c epsilon kappa truth T,
  0 < epsilon -> 0 < kappa -> are_laws c -> price c kappa -> (truth < K c)%nat -> (2 <= K c)%nat -> (1 <= T)%nat ->
  mean_cost c epsilon truth (divergence c truth) T [] (fun _ => / K c)
  <= 1 / tanh_half epsilon * sqrt (/ 2 * kappa * T * ln (K c)) * sqrt ((2 + ln (K c)) ^ 2 + 1).
Proof.
  intros c epsilon kappa truth T HE k0 A HP HT HK H1.
  eapply Rle_trans; [now apply (one_bit_risk_sharper c epsilon kappa truth T)|].
  pose proof (tau_bounds epsilon HE) as TB.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra | apply sqrt_pos]|].
  assert (L : 0 <= ln (INR (K c))) by (rewrite <- ln_1; apply ln_le; [lra | apply (le_INR 1); lia]).
  rewrite <- (sqrt_pow2 (1 + ln (INR (K c)))) by lra. apply sqrt_le_1_alt. simpl. nra.
Qed.

(* An instance: two coins, and the one test that shows the label. Its price is 1 = K - 1. *)
Definition coins : class := {|
  K := 2; labels := 2; law := fun _ j y => if Nat.eqb j y then 3 / 4 else 1 / 4;
  tests := 1; weight := fun _ _ => 1; test := fun _ _ y => Nat.eqb y 0 |}.
Example coins_are_laws : are_laws coins.
Proof.
  intros h. split.
  - intros j Hj. simpl in *. destruct j as [|[|j]]; try lia; (split; [|simpl; lra]); intros y Hy; destruct y as [|[|y]]; simpl; lra || lia.
  - split; intros; simpl; lra.
Qed.
Example coins_have_price_1 : price coins 1.
Proof.
  intros h a Z. unfold product, sign. simpl in *. rewrite !Rplus_0_l in *. rewrite !Rmult_1_r.
  replace (a 1%nat) with (- a 0%nat) by lra.
  set (u := a 0%nat * (3 / 4) + - a 0%nat * (1 / 4)).
  replace (a 0%nat * (1 / 4) + - a 0%nat * (3 / 4)) with (- u) by (unfold u; field).
  rewrite Rabs_Ropp. replace (Rabs u + Rabs u) with (2 * Rabs u) by ring.
  replace (2 * Rabs u * (2 * Rabs u)) with (4 * (Rabs u * Rabs u)) by ring.
  rewrite <- Rabs_mult, Rabs_pos_eq by nra. lra.
Qed.
