"""The claims about the limit: values, what meets them, what does not."""

from __future__ import annotations

from typing import Any

from replicate.claims import Claim
from replicate.claims.scope import for_all, measured, named
from replicate.studies.price_of_privacy import checks


def _found(name: str, source: str, statement: str, **rest: Any) -> Claim:
    """Return a claim of ours."""
    about: dict[str, Any] = {"constants": "derived", "verdict": "our finding", "kind": "regret lower"} | rest
    return Claim(id=f"MM-{name}", source=source, statement=statement, **about)


CLAIMS: tuple[Claim, ...] = (
    _found(
        "R", "this workbook",
        r"Every certificate proves its value within $10^{-9}$. It consists of a learner, private in exact arithmetic, and an adversary with multipliers.",
        kind="table", grade="proved",
        check=checks.certificates, stated={"tampered": "nothing"}, control={"tampered": "policy"},
        control_name="one probability of each learner changed by 1/1000",
        remark="In four of five certificates the change breaks privacy, and the checker says so; in most others it costs regret.",
        new="the certificates",
        scope=(named("games", "those of the table"),),
    ),
    _found(
        "LBc", "paper 2, Theorem 3",
        r"$\ln K/\varepsilon$ is not the constant: with two actions and $\varepsilon=\ln2/m$, $m=1,2,\dots$, every private learner has a regret of at least $1.06/\varepsilon$, which is $1.53\ln2/\varepsilon$, on deterministic losses from $T=7m$ on.",
        grade="proved",
        check=checks.scaled_constant, stated={"horizon": 8}, control={"horizon": 4}, control_name="the same from the value at T = 4, not 8",
        remark=r"It follows from $V_{mT}(\varepsilon/m)\ge m(V_{T+1}(\varepsilon)-\frac12)$, which is proved in `lemmas.scaled`, and from the certificate of $V_8(\ln2)$.",
        known=("wu2025: the order ln K/ε",), new="the constant, and the step from short games to long ones",
        scope=(named("learners", "every private one"), named("epsilon", r"$\ln2/m$, $m=1,2,\dots$"),),
    ),
    _found(
        "CL", "paper 2, Theorem 3",
        r"For two actions and deterministic losses, $\varepsilon V_\infty(\varepsilon)$ tends to a constant above $\frac32\ln2$ as $\varepsilon\to0$.",
        grade="proved",
        check=checks.limit_lower, stated={"looks": 2}, control={"looks": 1}, control_name="one look, not two",
        remark=r"The computation is in fractions; the proof is in `lemmas`. Six windows and eight looks give 1.263, that is $1.82\ln2$, in minutes.",
        known=("wu2025: ln 2, by group privacy",), new="the limit, and its lower bound",
        scope=(named("learners", "every private one"), measured("n_actions", 2),),
    ),
    _found(
        "CU", "this workbook",
        r"The constant of MM-CL is less than 2.02: a lazy leader without forgetting, whose blocks depend on its lead, attains less on losses $(0,1)$.",
        kind="lemma", grade="exact",
        check=checks.limit_upper, stated={"blocks": "by the lead"}, control={"blocks": "doubling"},
        control_name="blocks that double",
        remark=r"The constant $C$ satisfies $C\le(e^E-1)V_\infty(E)$ for every $E$ (`lemmas.limit_bounds`). On smaller gaps the learner would read letters, as in MM-LZv; the game has no other losses.",
        new="the learner, and the upper bound of the limit",
        scope=(measured("epsilon", 0.02), measured("n_actions", 2),),
    ),
    _found(
        "LZ", "papers 1 and 2",
        r"The lazy leader, a learner for long games of two actions, has regret at most $3/\varepsilon$ on fixed losses at every gap from $2^{-8}$ to 1, at $\varepsilon=0.1$, 1 and $1.17$.",
        kind="figure", grade="exact",
        check=checks.long_games, stated={"forget": True}, control={"forget": False},
        control_name="leads that add up, without forgetting",
        remark=r"The regrets are exact, and the probability of an error falls as the gap grows, so gaps between those of the grid are covered at the price of 4%. On the grid itself the largest is $2.80/\varepsilon$, at $\varepsilon=1.17$ and gap $2^{-7.5}$. As gap and $\varepsilon$ fall it tends to 2.64. Exponential noise has 2.84 to 2.885, Gumbel noise 4.0; the least possible lies between $1.04/\varepsilon$ and $2.02/\varepsilon$ at gap 1. Above $\varepsilon=1.17$ the first block costs a constant. Leads that add up are better by 4% at gap 1 and have 4.7 at gap 0.005.",
        scope=(for_all("gap", 2**-8, 1, tried=[0.3, 0.05]), measured("epsilon", 0.1, 1, 1.17), measured("n_actions", 2)),
        at=checks.long_game,
    ),
    _found(
        "LZt", "this workbook",
        r"For every $T$, $\varepsilon>0$ and gap $\Delta\in(0,1]$ of fixed losses the lazy leader has regret at most $6/(1-e^{-\varepsilon})+3+\frac\Delta2\lceil1.4/\varepsilon\rceil$, and at most $\frac{4.33}\varepsilon(1+O(\varepsilon))+\frac{3\Delta}2\lceil1.4/\varepsilon\rceil$, explicit in theorem “lazy-leader”; on i.i.d. loss vectors at most twice the terms without $\lceil1.4/\varepsilon\rceil$, and $37/\Delta$ more.",
        kind="regret upper", grade="exact",
        check=checks.every_gap, stated={"divisor": 1}, control={"divisor": 4}, control_name="the learner at ε/4",
        remark="This is theorem “lazy-leader” of reports/theorems.md. The measured regret is at most 0.6 of the bound. Losses that are coins are measured by an upper confidence limit.",
        known=("cesari2026: the rate for every number of actions", "wu2025: the rate on fixed losses",), new="the learner, and a constant for every gap",
        scope=(for_all("epsilon", 0, tried=[1e-3, 0.7, 1.39, 50]), for_all("gap", 0, 1, tried=[1e-3, 0.1]), named("losses", "fixed", "i.i.d."), named("horizon", "any"), measured("n_actions", 2)),
        at=checks.every_gap_at,
    ),
    _found(
        "LZv", "this workbook",
        r"The sizes of losses count: if action 0 is better by 0.1 with probability 0.6 and worse by 1 with probability 0.4, the lazy leader plays action 0 in less than 1% of $2^{20}$ rounds at $\varepsilon=1$.",
        kind="figure", grade="nominal",
        check=checks.votes, stated={"reads": "losses"}, control={"reads": "letters"},
        control_name="the leader by votes, whose regret is 0.34 T for ever",
        remark="On fixed losses counting votes would be enough: each gap then costs what gap 1 costs, times the gap. So a game of letters has its worst gap at 1, and yet its learner does not work for general losses.",
        scope=(measured("epsilon", 1), measured("horizon", 2**20), measured("losses", "the distribution of the statement")),
    ),
    _found(
        "LZp", "this workbook",
        r"On any losses every block of the lazy leader is $\varepsilon$-private, and a round lies in one block. So the sequence of actions is $\varepsilon$-private too, because what the learner keeps of a lead is computed from released sums.",
        kind="privacy", grade="exact", proof="by hand, ours",
        check=checks.block_privacy, stated={"level": 1.0}, control={"level": 1.03}, control_name="noise for 1.03",
        new="the learner",
        scope=(for_all("epsilon", 0, tried=[1e-3, 1, 20]), for_all("rounds", 1, tried=[2, 14]), named("losses", "any in $[0,1]$, adaptive ones included")),
        at=checks.block_privacy_at,
    ),
    _found(
        "UP", "all papers",
        r"No listed private learner falls below the limit: this compares worst-case regrets over all tables of losses 01 and 10 for two actions.",
        kind="figure", grade="certified",
        check=checks.above_the_limit, stated={"learner": "all"}, control={"learner": "optimum for 2 epsilon"},
        control_name="the optimal learner for twice the privacy level",
        remark="Learners on blocks have exact regrets, the others upper confidence limits. Approximate privacy is compared with the value of the (ε, δ) program.",
        scope=(named("learners", "the listed private ones"), measured("sizes", "$K=2$, the levels and horizons of the table, losses 01 and 10"),),
    ),
    _found(
        "B", "this workbook",
        r"A policy for $T$ rounds at level $\varepsilon'$ plays $mT$ rounds in batches at level $\ln(1+(e^{\varepsilon'}-1)/m)$, with at most $m$ times the regret.",
        kind="privacy", grade="exact", proof="by hand, ours",
        check=checks.batches, stated={"batch": 2}, control={"batch": 1}, control_name="no batches",
        remark="The proof is in `OptimalLearner`: the learner sees one uniformly drawn round of a batch.",
        new="the reduction; that a uniform round of a batch amplifies privacy is standard",
        scope=(named("policies", "any"), named("m", "any, by the proof"), measured("sizes", r"$m=2$, $K=2$, $T=2$, $\varepsilon'=1$, 2"),),
    ),
)
