(* Numbers that the tests hold against the Python learners: epochs, prefix lengths, and laws of actions.

   At eta = ln 2 and losses 0 and 1 the weights e^(- eta s) are powers of 1/2, so that laws of actions are rational.
   They are computed in rationals; `softmax_numbers` and `prefix_numbers` prove that the rationals are the
   chances of softmax_choice and prefix_choice. *)

Require Import Reals Lra Lia List PeanoNat QArith Qreals.
From Formal.base Require Import sums learners.
From Formal Require Import prefix.
Import ListNotations.
Local Open Scope Q_scope.

(* ---------------------------------------------------------------- the learners in rationals *)

Fixpoint nat_sum (n : nat) (f : nat -> nat) : nat := match n with O => O | S m => (nat_sum m f + f m)%nat end.
Fixpoint q_sum (n : nat) (f : nat -> Q) : Q := match n with O => 0 | S m => Qred (q_sum m f + f m) end.
Fixpoint half_to (n : nat) : Q := match n with O => 1 | S m => (1 # 2) * half_to m end.
Definition q_softmax (K : nat) (s : nat -> nat) (k : nat) : Q :=
  Qred (half_to (s k) / q_sum K (fun i => half_to (s i))).
Definition q_of_nat (n : nat) : Q := inject_Z (Z.of_nat n).

(* The law of the action of epoch q + 1 on the table l of losses 0 and 1. *)
Definition q_whole (K : nat) (l : nat -> nat -> nat) (q k : nat) : Q :=
  q_softmax K (fun i => nat_sum (2 ^ q) (fun u => l (2 ^ q + u)%nat i)) k.
Definition q_prefix (K : nat) (l : nat -> nat -> nat) (q k : nat) : Q :=
  Qred (/ q_of_nat (prefix_count q) * q_sum (prefix_count q)
    (fun i => q_softmax K (fun j => nat_sum (prefix_length q i) (fun u => l (2 ^ q + u)%nat j)) k)).

(* ---------------------------------------------------------------- they are the learners *)

Local Open Scope R_scope.

Lemma Q2R_red x : Q2R (Qred x) = Q2R x.
Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R. simpl. lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R. simpl. lra. Qed.

Lemma Q2R_sum n f : Q2R (q_sum n f) = sum n (fun i => Q2R (f i)).
Proof. induction n; cbn [q_sum sum]; [apply Q2R_0|]. rewrite Q2R_red, Q2R_plus, IHn. reflexivity. Qed.

Lemma INR_sum n f : INR (nat_sum n f) = sum n (fun i => INR (f i)).
Proof. induction n; cbn [nat_sum sum]; [reflexivity|]. rewrite plus_INR, IHn. reflexivity. Qed.

Lemma half_to_weight n : Q2R (half_to n) = exp (- ln 2 * INR n).
Proof.
  induction n as [|n IH]; [simpl half_to; rewrite Q2R_1, Rmult_0_r, exp_0; reflexivity|].
  rewrite S_INR. cbn [half_to]. rewrite Q2R_mult, IH, Rmult_plus_distr_l, exp_plus, Rmult_1_r.
  rewrite (exp_Ropp (ln 2)), exp_ln by lra. replace (Q2R (1 # 2)) with (/ 2) by (unfold Q2R; simpl; lra). ring.
Qed.

Lemma Q2R_softmax K s k : (0 < K)%nat -> Q2R (q_softmax K s k) = softmax (ln 2) K (fun i => INR (s i)) k.
Proof.
  intros HK. pose proof (total_pos (ln 2) K (fun i => INR (s i)) HK) as P.
  assert (E : Q2R (q_sum K (fun i => half_to (s i))) = sum K (weight (ln 2) (fun i => INR (s i)))).
  { rewrite Q2R_sum. apply sum_ext. intros. apply half_to_weight. }
  unfold q_softmax. rewrite Q2R_red, Q2R_div.
  - rewrite E, half_to_weight. reflexivity.
  - intros Z. apply Qeq_eqR in Z. rewrite E, Q2R_0 in Z. lra.
Qed.

Theorem softmax_numbers : forall K l q k, (0 < K)%nat ->
  Q2R (q_whole K l q k) = softmax_choice (ln 2) K (fun t k => INR (l t k)) (S q) k.
Proof.
  intros K l q k HK. unfold q_whole. rewrite Q2R_softmax by auto. apply softmax_ext. intros i. apply INR_sum.
Qed.

Theorem prefix_numbers : forall K l q k, (0 < K)%nat ->
  Q2R (q_prefix K l q k) = prefix_choice (ln 2) K (fun t k => INR (l t k)) (S q) k.
Proof.
  intros K l q k HK. pose proof (prefix_count_pos q) as P.
  assert (C : Q2R (q_of_nat (prefix_count q)) = INR (prefix_count q)).
  { unfold q_of_nat, Q2R, inject_Z. simpl. rewrite <- INR_IZR_INZ. field. }
  unfold q_prefix. rewrite Q2R_red, Q2R_mult, Q2R_inv, C, Q2R_sum.
  - simpl. f_equal. apply sum_ext. intros i _. rewrite Q2R_softmax by auto. apply softmax_ext. intros j. apply INR_sum.
  - intros Z. apply Qeq_eqR in Z. rewrite C, Q2R_0 in Z. lra.
Qed.

(* ---------------------------------------------------------------- the numbers *)

(* Digit i K + k of the code is the loss of action k in round 2^q + i. *)
Definition coded (K q code t k : nat) : nat := if Nat.testbit code ((t - 2 ^ q) * K + k) then 1 else 0.
Definition show (x : Q) : Z * Z := (Qnum x, Zpos (Qden x)).
Definition laws (c : nat -> (nat -> nat -> nat) -> nat -> nat -> Q) (K q : nat) : list (list (Z * Z)) :=
  map (fun code => map (fun k => show (c K (coded K q code) q k)) (seq 0 K)) (seq 0 (2 ^ (2 ^ q * K))).

Local Open Scope Z_scope.
(* epochs of rounds 1, ..., 64 *)
Compute map (fun t => Z.of_nat (Nat.log2 t)) (seq 1 64).
(* prefix lengths of epochs 0, ..., 5 *)
Compute map (fun q => map (fun i => Z.of_nat (prefix_length q i)) (seq 0 (prefix_count q))) (seq 0 6).
(* laws of the action of epochs 1 and 2, K = 2, then K = 3, and of epoch 3, K = 2; first whole epochs, then prefixes *)
Compute laws q_whole 2 0.
Compute laws q_whole 2 1.
Compute laws q_whole 3 0.
Compute laws q_whole 3 1.
Compute laws q_whole 2 2.
Compute laws q_prefix 2 0.
Compute laws q_prefix 2 1.
Compute laws q_prefix 3 0.
Compute laws q_prefix 3 1.
Compute laws q_prefix 2 2.
