"""Claims of our own: audits of every learner."""

from __future__ import annotations

from typing import Any

from replicate.claims import Claim
from replicate.claims.scope import measured, named
from replicate.papers.bandits.checks import privacy
from replicate.papers.bandits.claims.shared import OURS


def _audit(*, learners: tuple[str, ...], control: float, **about: Any) -> Claim:
    """Return the claim that two actions of each of these learners lose at most epsilon; the control divides the noise."""
    return Claim(
        **about, **OURS, kind="privacy", grade="exact",
        check=privacy.audited, stated={"learners": learners, "noise_divisor": 1.0},
        control={"noise_divisor": control}, control_name=f"the noise divided by {control:g}",
    )  # fmt: skip


CLAIMS: tuple[Claim, ...] = (
    _audit(
        id="BA-A1", source="Algorithm 1; Lemma 3", section="3.1",
        statement=r"Audit of Algorithm 1 over HTINF, EXP3 and FTPL: the first two actions lose at most $\varepsilon$.",
        learners=("htinf", "exp3", "ftpl"), control=1.16,
        remark="At learning rates so large that the second action says whether a noisy mean was above 0 (HTINF without skipping); at the rates of the corollaries the actions reveal far less.",
        new="the audit",
        scope=(named("rounds", "each of the two that are played"), measured("epsilon", 0.5), measured("pairs", "neighbouring first batches of 0/1 losses, the first two actions"),),
    ),
    _audit(
        id="BA-A2", source="Table 1, prior work", section="1",
        statement=r"Audit of EXP3 with Laplace$(1/\varepsilon)$ noise on every round: the first two actions lose at most $\varepsilon$.",
        learners=("per_round_exp3",), control=1.12,
        new="the audit",
        scope=(named("rounds", "each of the two that are played"), measured("epsilon", 0.5), measured("pairs", "neighbouring first batches of 0/1 losses, the first two actions"),),
    ),
    _audit(
        id="BA-A3", source="Algorithm 5; Theorem 7", section="4",
        statement=r"Audit of Algorithm 5 over Algorithm 1 with EXP3, blurred advice: the first two actions lose at most $\varepsilon$.",
        learners=("experts",), control=1.5,
        new="the audit",
        scope=(named("rounds", "each of the two that are played"), measured("epsilon", 0.5), measured("pairs", "neighbouring first batches of 0/1 losses, the first two actions"),),
    ),
    _audit(
        id="BA-A4", source="Algorithm 6; Theorem 9", section="4",
        statement=r"Audit of Algorithm 6, experts that name an action each: the first two actions lose at most $\varepsilon$.",
        learners=("local_exp4",), control=1.115,
        new="the audit",
        scope=(named("rounds", "each of the two that are played"), measured("epsilon", 0.5), measured("pairs", "neighbouring first batches of 0/1 losses, the first two actions"),),
    ),
    _audit(
        id="BA-A5", source="Algorithm 2; Theorem 10", section="4",
        statement=r"Audit of Algorithm 2, $N=K=2$, $\tau=1$, $\delta=10^{-6}$: the first two actions lose at most $\varepsilon$.",
        learners=("batched_exp4",), control=162.0,
        remark="The actions lose less than a hundredth of the declared level: the noise serves all experts at once, and the worst importance weight.",
        new="the audit",
        scope=(named("rounds", "each of the two that are played"), measured("epsilon", 0.5), measured("pairs", "neighbouring first batches of 0/1 losses, the first two actions"),),
    ),
    Claim(
        id="BA-A6", source="Appendix G.1", kind="privacy", **OURS,
        section="G.1", grade="certified",
        statement=r"EXP3 with mixing and without noise is not $1$-DP: eight actions on Figure 1's neighbouring sequences lose more.",
        check=privacy.figure_1_in_actions, stated={"noise": 0.0}, control={"noise": 0.8},
        control_name="Laplace(0.8) noise on every loss",
        remark="The loss of the whole sequence is 0.54 after 2 rounds, 2.3 after 4, 6.6 after 8 and 13 after 12.",
        known=("talwar2025: the same of probabilities, actions held equal",), new="the audit from actions",
        scope=(measured("runs", r"$\eta=0.5$, $\gamma=0.1$, eight rounds, declared $\varepsilon=1$"),),
    ),
)
