"""Errors in print, in the order of the paper: two routes to each, a counterexample, a correction and its cost."""

from __future__ import annotations

import math

from replicate.claims.errata import Erratum, route
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.bandits.checks import errata as checks
from replicate.papers.bandits.checks import privacy, regret
from replicate.papers.bandits.errata.appendices import APPENDICES

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="BA-SLIP-17", source="Section 1, first separation, and section 2.2", section="1",
        effect="unproved as printed", claims=("BA-OBL",),
        scope=(
            for_all("horizon", 1, tried=[2, 10**9]),
            for_all("n_actions", Border("2T", lambda horizon: 2 * horizon), tried=[10**12]),
            named("learners", "every bandit learner at $K\\ge2T$"),
            measured("private learners", "batched Fixed Share, two experts, all losses seen, $T=10^{12}$"),
        ),
        at=checks.hidden_arm_at,
        definition="bandit feedback; adaptive adversaries choose losses after seeing the earlier actions",
        shown_at="K = 2T: every bandit learner, private or not, has regret (3T - 1)/4 on some fixed losses. No learner is known that refutes the separation at fixed K.",
        printed=r"Against adaptive adversaries no sublinear regret is possible at $\varepsilon=o(1/\sqrt T)$, by lower bounds for all losses seen, which carry over: so oblivious and adaptive adversaries differ for bandits.",
        true=r"As quoted in Asi, Raman & Saha (2025, Proposition 2), that lower bound asks for $N\ge2T$ experts. At $K\ge2T$ arms no bandit learner has sublinear regret even on fixed losses, and at fixed $K$ the bound says nothing. With full information on two experts, private learners do have sublinear regret against adaptive adversaries at $\varepsilon=T^{-0.6}$.",
        consequence="The separation under bandit feedback is not shown. Algorithm 1 itself has it (BA-OBL).",
        correction=r"The separation holds for full information and $N\ge2T$; for bandits it is a question.",
        reading=r"all losses seen, $N\ge2T$, where the cited paper has both sides; we know its bounds from the quotation only",
        example=(
            "from fractions import Fraction as F\n"
            "T = 100\n"
            "K = 2 * T  # one random arm of K loses 0: t plays find it with probability t / K at most\n"
            "sum(1 - F(t, K) for t in range(1, T + 1)) > F(7, 10) * T"
        ),
        routes=(
            route("symbolic", checks.hidden_arm, n_actions=(128, 64),
                  how="least regret of any bandit learner, T=64, one good arm hidden among K=128, over T/2; corrected: K=64"),
            route("sampled", checks.hidden_arm_sampled, arms=("two per round", "two"),
                  how="the same of EXP3, from runs; corrected: two arms"),
            route("exact", checks.few_experts, experts=("two", "a million"),
                  how="T over a proved bound for adaptive losses, all seen, two experts, ε=T^-0.6; corrected: a million experts"),
        ),
    ),
    Erratum(
        id="BA-SLIP-1", source="Section 4, before Theorem 7", section="4", effect="wording", claims=("BA-S7",),
        scope=(named("learners", "every private base learner, by Theorem 7"), measured("epsilon", 0.5), measured("sizes", "two experts, two rounds")),
        definition="Definition 4 read literally: all actions, and two sequences of advice that differ in one round as neighbours, too",
        shown_at="the released actions at ε = 0.5: two experts that name an action each, one round's advice swapped",
        printed="The conversion is private even when the experts' advice is sensitive.",
        true="The action of a round is drawn from its advice and reveals it; the actions of all other rounds are ε-private in that advice.",
        consequence="Theorem 7 itself speaks of losses and holds.",
        correction="Joint privacy, as is usual for private contexts: what the other rounds' users see (BA-S7).",
        reading="joint privacy: the actions of the other rounds are what is released; or the sequence of chosen experts",
        example=(
            "import numpy as np\n"
            "advice = np.eye(2)  # expert j names action j\n"
            "chosen = 0\n"
            "np.flatnonzero(advice[chosen]) != np.flatnonzero(advice[::-1][chosen])"
        ),
        routes=(
            route("exact", privacy.advice_is_released, released=("actions", "chosen experts"),
                  how="delta at ε of the actions, and of the experts chosen, when one round's sharp advice is swapped"),
            route("sampled", checks.advice_certified, released=("actions", "chosen experts"),
                  how="certified privacy loss of the learner's actions, or of its experts, when one round's blurred advice is swapped"),
        ),
    ),
    Erratum(
        id="BA-SLIP-2", source="Theorem 10 and its proof", section="4", effect="unproved as printed",
        claims=("BA-S10", "BA-T10", "BA-T10u"),
        scope=(
            for_all("n_actions", 2, tried=[1000]), for_all("n_experts", 2, tried=[10**6]),
            for_all("epsilon", 0, 1, tried=[1e-3]), for_all("delta", 0, 0.999, tried=[1e-50], inside=[0.5]),
            for_all("horizon", 2, tried=[10**6, 10**9, 10**12, 10**15]),
        ),
        at=regret.proof_of_theorem_10_at,
        definition="worst-case expected regret, by the bound that the proof arrives at",
        shown_at="its value at the printed γ, ε = 1, δ = 10⁻⁶, N = 10, K = 2, T = 10¹⁵",
        printed=r"The regret bound holds for a $\gamma$ without $\log^{1/3}(1/\delta)$ in its first term.",
        true=r"With that factor the proof gives $95U+12V$; without it the proof gives $90\log^{2/3}(1/\delta)\,U$ and more, which is another rate in $\delta$.",
        consequence=r"Theorem 10 holds with $\log^{1/3}(1/\delta)$ in $\gamma$, with the printed constant 100 (BA-T10u). With the printed $\gamma$ it is neither proved nor refuted.",
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
            route("exact", regret.theorem_10_constant, calibration=("printed", "corrected"),
                  how="the proof's bound at either tuning, over U, for N=10, K=2, T=1e15"),
            route("symbolic", checks.theorem_10_coefficient, calibration=("printed", "corrected"),
                  how="coefficient of its last term, cubed, in rationals"),
        ),
    ),
    Erratum(
        id="BA-SLIP-3", source="Theorem 10, privacy", section="4", effect="unproved as printed",
        claims=("BA-S10d", "BA-P2"),
        scope=(
            for_all("epsilon", 0, tried=[1e-3, 1, 50]),
            for_all("delta", 0, Border(r"e^{-0.909\varepsilon}", lambda epsilon: math.exp(-0.909 * epsilon)), tried=[1e-100]),
            named("n_experts", "any"),
        ),
        at=privacy.lemma_15_for_theorem_10,
        definition="(ε, δ)-privacy of the noisy expert losses, which the proof shows and Definition 4 does not ask for",
        shown_at="1,000 experts, ε = 1, declared δ = 0.999: the exact δ of their noisy losses; no event of actions",
        printed=r"The algorithm is $(\varepsilon,\delta)$-DP for every $\delta\in(0,1]$.",
        true=r"The noisy expert losses of the proof are $(\varepsilon,\delta)$-DP for $\delta\le e^{-0.909\varepsilon}$, not for $\delta$ near 1.",
        consequence=r"No $\delta$ that anybody would use is affected, and no event of actions is known that refutes the statement.",
        correction=r"$\delta\le e^{-0.909\varepsilon}$.",
        reading=r"$\delta\le e^{-0.909\varepsilon}$, where the proof's composition arithmetic is right",
        example=(
            "from math import log, sqrt\n"
            "from replicate.mechanisms.composition import laplace_composition\n"
            "each = 1 / (3 * sqrt(1000 * log(1 / 0.999)))\n"
            "laplace_composition(1000, epsilon_each=each, epsilon=1.0)[0] > 0.999"
        ),
        routes=(
            route("exact", privacy.near_one, delta=(0.999, 0.99),
                  how="privacy loss distribution of 1,000 Laplace releases, δ=0.999; corrected: δ=0.99"),
            route("sampled", checks.approximate_certified, delta=(0.999, 0.99),
                  how="certified ε of 30 Laplace releases beyond δ=0.999; corrected: δ=0.99"),
        ),
    ),
    Erratum(
        id="BA-SLIP-4", source="Table 2", section="4", effect="broken as printed",
        claims=("BA-Tab2", "BA-STab2", "BA-STab2b"),
        scope=(measured("sizes", "60,179 points of $(K, N, \\varepsilon, T)$, rates without constants and logarithms (BA-Tab2)"),),
        definition="the printed guarantees without constants and logarithms",
        shown_at="row 3: N = 10, K = 2, T = 10¹², ε = 10⁻⁶; row 2: N = 10¹², K = 2, T = 10²⁴, ε = 2·10⁻¹²",
        printed=r"Theorem 9 is best for $N\ge K$, $\varepsilon\ge K/N$ (row 2), Theorem 10 for $N\ge K$, $\varepsilon\le1/\sqrt T$ (row 3).",
        true=r"The borders are $\varepsilon=K/N$, $(NT)^{-1/4}$ and $N^2/(K^3T)$. With few experts Corollary 8 is better than row 3; with very many experts Theorem 10 is better than row 2. Row 1 is right.",
        consequence="No theorem rests on the table; a reader would choose the wrong algorithm.",
        correction="Compare the three rates pairwise.",
        cost=r"none; following the printed row costs a factor 6.6 in the rate at $N=10$, $T=10^{12}$ (row 3), 63 at $N=10^{12}$, $T=10^{24}$ (row 2)",
        reading=r"$N\ge K^{3/2}T^{1/4}$ at $\varepsilon=1/\sqrt T$, the case that the text discusses",
        example=(
            "k, n, t, inverse_epsilon = 2, 10, 10**12, 10**6\n"
            "theorem_10 = n * k**3 * t**4 * inverse_epsilon**2  # sixth powers of the rates\n"
            "corollary_8 = (n * t * inverse_epsilon) ** 3\n"
            "theorem_10 > 2**6 * corollary_8"
        ),
        routes=(
            route("exact", regret.table_2_rows, row="third", n_experts=(10, 2900),
                  how="rate of the row's algorithm over the smallest rate, N=10; corrected: N=2,900"),
            route("symbolic", checks.borders_in_integers, n_experts=(10, 2900),
                  how="sixth powers of the two rates, in rationals"),
        ),
    ),
    Erratum(
        id="BA-SLIP-5", source="Section 5.2", section="5.2", effect="broken as printed", claims=("BA-S52",),
        scope=(measured("runs", r"losses $\frac12$ and 1, $\eta=0.02$ and $0.2$, $\gamma=\eta/1000$"),),
        definition="O(γ) with a constant that depends on nothing",
        shown_at="losses 1/2 and 1, EXP3 without noise or privacy, η = 0.02, γ = η/1000",
        printed=r"EXP3 drops a bad arm to probability $O(\gamma)$ within $\log(1/\gamma)/\eta$ rounds.",
        true=r"For $\gamma\ll\eta$ the probability of the arm is still hundreds of times $\gamma/2$ after ten times as many rounds.",
        consequence="That batched EXP3 satisfies the conditions of Lemma 11 is not shown; the lemma is not touched.",
        correction=r"The statement for $\gamma$ of the order of $\eta$.",
        reading=r"$\gamma$ of the order of $\eta$, or a far longer wait",
        example=(
            "from replicate.papers.bandits.lemmas import expected_probability\n"
            "expected_probability(0.2, 0.0002, 426) > 100 * 0.0001"
        ),
        routes=(
            route("sampled", regret.late_plays, rate_over_mixing=(1000, 10),
                  how="median share of rounds that play the arm, after 10 log(1/γ)/η rounds; corrected: γ=η/10"),
            route("exact", checks.still_played, ratio=(1e-3, 0.016),
                  how="distribution of the log ratio of the weights, carried forward on a grid"),
        ),
    ),
    Erratum(
        id="BA-SLIP-19", source="Section 5.1, first sentences", section="5.1", effect="harmless",
        scope=(
            for_all("n_actions", 2, tried=[10**6]), for_all("epsilon", 0, 1, tried=[0.03]),
            measured("horizon", r"$(4\log K/\varepsilon)^2$ and above"),
        ),
        at=checks.hedge_rate_at,
        definition="expected regret of Hedge, all losses seen, at the rate that the sentence gives",
        shown_at=r"losses (0, 1, …, 1), K = 1 + e⁶⁴, T = 10⁶, ε = 0.5: eight times √(T log K)/ε",
        printed=r"Exponential weights at $\eta=\varepsilon/\sqrt T$ have regret $O(\sqrt{T\log K}/\varepsilon)$.",
        true=r"At that rate it is $\log K/\eta=\sqrt T\log K/\varepsilon$, up to 1, on losses $(0,1,\dots,1)$ in long games; a rate larger by $\sqrt{\log K}$ would cost privacy.",
        consequence="None: the sentence is background, and nothing rests on it.",
        correction=r"$\sqrt T\log K/\varepsilon$.", cost=r"a factor $\sqrt{\log K}$", reading="K fixed",
        example=(
            "from math import exp, sqrt\n"
            "log_k, T, epsilon = 100.0, 10**5, 1.0\n"
            "regret = sum(1 / (1 + exp(min(epsilon / sqrt(T) * t - log_k, 700))) for t in range(T))\n"
            "regret > 9 * sqrt(T * log_k) / epsilon"
        ),
        routes=(
            route("exact", checks.hedge_rate, factor=("root of log K", "log K"),
                  how="Hedge's regret at that rate over 4 √(T log K)/ε, log K = 64; corrected: log K for its root"),
            route("symbolic", checks.hedge_rate_exactly, factor=("root of log K", "log K"),
                  how="square of a lower limit of it, K=2^1000, in rationals"),
        ),
    ),
    *APPENDICES,
)
