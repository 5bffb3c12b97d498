Require Import Reals.
From Formal Require Import lower_bound prefix paper1.
Check @lower_bound. Print Assumptions lower_bound. Print Assumptions prefix_regret.
