"""Claims on privacy."""

from __future__ import annotations

from replicate.claims import Claim
from replicate.claims.scope import for_all, measured, named
from replicate.papers.noisy_leader.checks import corners, privacy, proofs

_EPSILON = for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1])
CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="NL-P", source="Section 2; Theorems 1, 2, 4", kind="privacy", constants="corrected",
        scope=(for_all("n_actions", 2, tried=[3]), for_all("epsilon", 0, tried=[1e-2, 10], inside=[1]), for_all("n_rounds", 1, tried=[64], inside=[2], letter="n"), named("losses", "in $[0,1]$, any table")), at=corners.privacy,
        verdict="reproduced with correction",
        section="2", error="NL-SLIP-5", grade="proved",
        statement=r"Printed: Algorithm 1 is $\varepsilon$-differentially private with noise Lap$(2/\varepsilon)$, Gumbel$(2/\varepsilon)$ or Exp$(1/\varepsilon)$, with $B=0$ or $1$. True: with Exp$(2/\varepsilon)$ all six variants are.",
        check=proofs.exact_losses, stated={"divisor": 1}, control={"divisor": 1.02},
        control_name="noise divided by 1.02",
        remark=r"One whole loss vector may be replaced (Definition 1). Exp$(1/\varepsilon)$ is $2\varepsilon$-private (NL-S1). Laplace and Gumbel noise of scale $2/\varepsilon$ are right as printed: the supremum is exactly $\varepsilon$.",
    ),
    Claim(
        id="NL-S1", source="Section 2, Table 2", kind="privacy", verdict="fails as printed",
        scope=(_EPSILON, measured("tables", "two rounds of two actions")), at=corners.exponential_loss,
        section="2", error="NL-SLIP-5", grade="exact",
        stands_by=("NL-P",),
        statement=r"Printed: with exponential noise of scale $1/\varepsilon$ the learner is $\varepsilon$-differentially private.",
        check=privacy.exponential_loss, stated={"calibration": "printed"}, control={"calibration": "corrected"},
        control_name=r"scale 2/ε",
        remark=r"$K=2$, a block of two rounds, losses $(1,0)$ then $(0,1)$ or $(1,0)$: the sums are $(1,1)$ or $(2,0)$, the first action has probability $1/2$ or $e^{-2\varepsilon}/2$, the loss is $2\varepsilon$. One round, $(0,1)$ or $(1,0)$: $\ln(2e^{\varepsilon}-1)$. `audit.report_noisy_max_privacy_loss(2, noise='exponential', scale=1.0, n_rounds=2)` gives 2. The claim survives when all scores move the same way, as counts do when a record is added.",
    ),
    Claim(
        id="NL-A2", source="Section 2, Table 2", kind="privacy", verdict="fails as printed",
        scope=(measured("n_actions", 2), measured("epsilon", 1.0), measured("tables", "one pair of four rounds")),
        section="2", error="NL-SLIP-5", grade="certified",
        stands_by=("NL-P",),
        statement=r"Printed: with exponential noise of scale $1/\varepsilon$ the actions of the learner, with or without resampling, are $\varepsilon$-differentially private.",
        check=privacy.exponential_by_sampling, stated={"calibration": "printed"},
        control={"calibration": "corrected"}, control_name=r"scale 2/ε",
        remark=r"The counterexample of NL-S1, four rounds, $\varepsilon = 1$: samples of the learner's actions alone certify a loss near 2, and a few thousand runs of the literal learner suffice to certify more than 1.",
    ),
)
