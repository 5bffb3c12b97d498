(* Controls: statements that are a little stronger than proved ones, and false. *)

Require Import Reals Lra Lia List PeanoNat.
From Interval Require Import Tactic.
From Formal.base Require Import sums learners.
Local Open Scope R_scope.

(* 1.9 eta for the 2 eta of `softmax_private`. *)
Theorem not_1_9_eta : ~ (forall eta K s s' k,
  0 <= eta -> (forall i, (i < K)%nat -> Rabs (s i - s' i) <= 1) -> (k < K)%nat ->
  softmax eta K s k <= exp (1.9 * eta) * softmax eta K s' k).
Proof.
  intros H. specialize (H 1 2%nat (fun k => match k with O => 10 | _ => 1 end) (fun k => match k with O => 11 | _ => 0 end) 0%nat).
  unfold softmax, weight in H. simpl in H.
  assert (X : exp (- (1) * 10) / (0 + exp (- (1) * 10) + exp (- (1) * 1)) <=
     exp (1.9 * 1) * (exp (- (1) * 11) / (0 + exp (- (1) * 11) + exp (- (1) * 0)))).
  { apply H; [lra | | lia]. intros i Hi. destruct i; unfold Rabs; destruct (Rcase_abs _); lra. }
  revert X. apply Rlt_not_le. interval.
Qed.
