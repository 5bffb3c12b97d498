"""Errata of sections 4 and 5: Theorem 10, Table 2, EXP3 after a change."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.bandits.checks import errata as found
from replicate.papers.bandits.checks import privacy, regret
from replicate.papers.bandits.errata.shared import erratum

ERRATA: tuple[Erratum, ...] = (
    erratum(
        id="BA-SLIP-1",
        source="Section 4, before Theorem 7",
        printed="The conversion is private even when the experts' advice is sensitive.",
        true="The losses are private; the advice is not: the released action is drawn from it.",
        effect="broken as printed",
        consequence="Theorem 7 itself speaks of losses and stands.",
        correction="Advice is public input; privacy is stated for the losses.",
        cost="none",
        reading="the sequence of chosen experts, instead of actions, is what is released",
        example=(
            "import numpy as np\n"
            "advice = np.eye(2)  # expert j names action j\n"
            "chosen = 0\n"
            "np.flatnonzero(advice[chosen]) != np.flatnonzero(advice[::-1][chosen])"
        ),
        routes=(
            Route(
                kind="exact",
                how="delta at ε of the actions, and of the experts chosen, when one round's sharp advice is swapped",
                check=privacy.advice_is_released, stated={"released": "actions"},
                control={"released": "chosen experts"},
            ),
            Route(
                kind="sampled",
                how="certified privacy loss of the learner's actions, or of its experts, when one round's blurred advice is swapped",
                check=found.advice_certified, stated={"released": "actions"},
                control={"released": "chosen experts"},
            ),
        ),
        claims=("BA-S7",),
    ),
    erratum(
        id="BA-SLIP-2",
        source="Theorem 10 and its proof",
        printed=r"$\gamma$ without $\log^{1/3}(1/\delta)$ in its first term; constant 100; cube root of $95N\log\frac1\delta$; real $\tau$.",
        true=r"With that factor the proof gives $95U+12V$; without it, the coefficient of $U$ grows like $90\log^{2/3}(1/\delta)$.",
        effect="changed constant",
        consequence=r"Theorem 10 holds with $\log^{1/3}(1/\delta)$ in $\gamma$; the constant 100 is then right up to $12V$.",
        correction=r"$\gamma$ with the factor, $\tau$ rounded up to an integer.",
        cost=r"none: the corrected tuning lowers the bound, from $523U$ to $95U+12V$ at $\delta=10^{-6}$",
        reading=r"$\delta\ge e^{-1}$, where the factor is at most 1",
        example=(
            "from math import log\n"
            "size = log(1e6)\n"
            "coefficient = 3 + size ** (-1 / 3) + 1 + 90 * size ** (2 / 3)\n"
            "coefficient > 100"
        ),
        routes=(
            Route(
                kind="exact", how="the proof's bound at either tuning, over U, for N=10, K=2, T=1e15",
                check=regret.theorem_10_constant, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="symbolic", how="coefficient of its last term, cubed, in rationals",
                check=found.theorem_10_coefficient, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("BA-S10", "BA-T10"),
    ),
    erratum(
        id="BA-SLIP-3",
        source="Theorem 10, privacy",
        printed=r"$(\varepsilon,\delta)$-DP for every $\delta\in(0,1]$.",
        true=r"The noisy expert losses of the proof are $(\varepsilon,\delta)$-DP for $\delta\le e^{-0.908\varepsilon}$, not for $\delta$ near 1.",
        effect="harmless",
        consequence=r"No $\delta$ that anybody would use is affected.",
        correction=r"$\delta\le e^{-0.908\varepsilon}$.",
        cost="none",
        reading=r"$\delta\le e^{-0.908\varepsilon}$, where the proof's composition arithmetic is right",
        example=(
            "from math import log, sqrt\n"
            "from replicate.mechanisms.composition import laplace_composition\n"
            "each = 1 / (3 * sqrt(1000 * log(1 / 0.999)))\n"
            "laplace_composition(1000, epsilon_each=each, epsilon=1.0)[0] > 0.999"
        ),
        routes=(
            Route(
                kind="exact", how="privacy loss distribution of 1,000 Laplace releases, δ=0.999; corrected: δ=0.99",
                check=privacy.near_one, stated={"delta": 0.999}, control={"delta": 0.99},
            ),
            Route(
                kind="sampled", how="certified ε of 30 Laplace releases beyond δ=0.999; corrected: δ=0.99",
                check=found.approximate_certified, stated={"delta": 0.999}, control={"delta": 0.99},
            ),
        ),
        claims=("BA-S10d", "BA-P2"),
    ),
    erratum(
        id="BA-SLIP-4",
        source="Table 2",
        printed=r"Theorem 10 is the algorithm of choice for $N\ge K$, $\varepsilon\le1/\sqrt T$; three rows cover the cases.",
        true=r"Borders $\varepsilon=K/N$, $(NT)^{-1/4}$, $N^2/(K^3T)$; with few experts Corollary 8 is better.",
        effect="broken as printed",
        consequence="No theorem rests on the table; a reader would choose the wrong algorithm.",
        correction="Compare the three rates pairwise.",
        cost=r"none; following the printed row costs a factor 6.6 in the rate at $N=10$, $T=10^{12}$",
        reading=r"$N\ge K^{3/2}T^{1/4}$ at $\varepsilon=1/\sqrt T$, the case that the text discusses",
        example=(
            "k, n, t, inverse_epsilon = 2, 10, 10**12, 10**6\n"
            "theorem_10 = n * k**3 * t**4 * inverse_epsilon**2  # sixth powers of the rates\n"
            "corollary_8 = (n * t * inverse_epsilon) ** 3\n"
            "theorem_10 > 2**6 * corollary_8"
        ),
        routes=(
            Route(
                kind="exact", how="rate of the row's algorithm over the smallest rate, N=10; corrected: N=2,900",
                check=regret.table_2_rows, stated={"n_experts": 10}, control={"n_experts": 2900},
            ),
            Route(
                kind="symbolic", how="sixth powers of the two rates, in rationals",
                check=found.borders_in_integers, stated={"n_experts": 10}, control={"n_experts": 2900},
            ),
        ),
        claims=("BA-Tab2", "BA-STab2"),
    ),
    erratum(
        id="BA-SLIP-5",
        source="Section 5.2",
        printed=r"EXP3 drops a bad arm to probability $O(\gamma)$ within $\log(1/\gamma)/\eta$ rounds.",
        true=r"For $\gamma\ll\eta$ it still plays it hundreds of times $\gamma/2$ after ten times as many rounds.",
        effect="broken as printed",
        consequence="That batched EXP3 satisfies the conditions of Lemma 11 is not shown; the lemma is not touched.",
        correction=r"The statement for $\gamma$ of the order of $\eta$.",
        cost="none",
        reading=r"$\gamma$ of the order of $\eta$, or a far longer wait",
        example=(
            "from replicate.papers.bandits.lemmas import expected_probability\n"
            "expected_probability(0.2, 0.0002, 426) > 100 * 0.0001"
        ),
        routes=(
            Route(
                kind="sampled",
                how="median share of rounds that play the arm, after 10 log(1/γ)/η rounds; corrected: γ=η/10",
                check=regret.late_plays, stated={"rate_over_mixing": 1000}, control={"rate_over_mixing": 10},
            ),
            Route(
                kind="exact", how="law of the log ratio of the weights, carried forward on a grid",
                check=found.still_played, stated={"ratio": 1e-3}, control={"ratio": 0.016},
            ),
        ),
        claims=("BA-S52",),
    ),
)
