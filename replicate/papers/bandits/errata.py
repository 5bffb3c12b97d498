"""What is wrong in print, in the paper's order: two routes to each, a counterexample, a cure and its cost."""

from __future__ import annotations

from typing import Any

from replicate.claims import Erratum, Route
from replicate.papers.bandits.checks import errata as found
from replicate.papers.bandits.checks import lemmas, privacy, regret

__all__ = ["ERRATA"]


def _route(kind: Any, how: str, **comparison: Any) -> Route:
    return Route(kind=kind, how=how, **comparison)


def _erratum(number: int, **rest: Any) -> Erratum:
    return Erratum(id=f"BA-SLIP-{number}", paper="bandits", **rest)


_EXPERTS: tuple[Erratum, ...] = (
    _erratum(
        1,
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
            _route(
                "exact",
                "law of the actions, and of the experts chosen, when one round's sharp advice is swapped",
                check=privacy.advice_is_released,
                stated={"experts_only": False},
                control={"experts_only": True},
            ),
            _route(
                "sampled",
                "certified privacy loss of the learner's actions when one round's blurred advice is swapped",
                check=found.advice_certified,
                stated={"experts_only": False},
                control={"experts_only": True},
            ),
        ),
        claims=("BA-S7",),
    ),
    _erratum(
        2,
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
            _route(
                "exact",
                "the proof's bound at either tuning, over U, for N=10, K=2, T=1e15",
                check=regret.theorem_10_constant,
                stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            _route(
                "symbolic",
                "coefficient of its last term, cubed, in rationals",
                check=found.theorem_10_coefficient,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
        claims=("BA-S10", "BA-T10"),
    ),
    _erratum(
        3,
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
            "from replicate.composition import laplace_composition\n"
            "each = 1 / (3 * sqrt(1000 * log(1 / 0.999)))\n"
            "laplace_composition(1000, epsilon_each=each, epsilon=1.0)[0] > 0.999"
        ),
        routes=(
            _route(
                "exact",
                "privacy loss distribution of 1,000 Laplace releases, δ=0.999; corrected: δ=0.5",
                check=privacy.near_one,
                stated={"delta": 0.999},
                control={"delta": 0.5},
            ),
            _route(
                "sampled",
                "certified ε of 30 Laplace releases beyond δ=0.999; corrected: δ=0.3",
                check=found.approximate_certified,
                stated={"delta": 0.999},
                control={"delta": 0.3},
            ),
        ),
        claims=("BA-S10d", "BA-P2"),
    ),
    _erratum(
        4,
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
            _route(
                "exact",
                "rate of the row's algorithm over the smallest rate, N=10; corrected: N=10,000",
                check=regret.table_2_rows,
                stated={"n_experts": 10},
                control={"n_experts": 10_000},
            ),
            _route(
                "symbolic",
                "sixth powers of the two rates, in integers",
                check=found.borders_in_integers,
                stated={"n_experts": 10},
                control={"n_experts": 10_000},
            ),
        ),
        claims=("BA-Tab2", "BA-STab2"),
    ),
    _erratum(
        5,
        source="Section 5.2",
        printed=r"EXP3 drops a bad arm to probability $O(\gamma)$ within $\log(1/\gamma)/\eta$ rounds.",
        true=r"For $\gamma\ll\eta$ it still plays it hundreds of times $\gamma/2$ after ten times as many rounds.",
        effect="broken as printed",
        consequence="That batched EXP3 satisfies the conditions of Lemma 11 is not shown; the lemma is not touched.",
        correction=r"The statement for $\gamma$ of the order of $\eta$.",
        cost="none",
        reading=r"$\gamma$ of the order of $\eta$, or a far longer wait",
        example=(
            "from replicate.papers.bandits.slip_checks import expected_probability\n"
            "expected_probability(0.2, 0.0002, 426) > 100 * 0.0001"
        ),
        routes=(
            _route(
                "sampled",
                "share of rounds that play the arm, after 10 log(1/γ)/η rounds; corrected: γ=η/10",
                check=regret.slow_drop,
                stated={"ratio": "1/1000"},
                control={"ratio": "1/10"},
            ),
            _route(
                "exact",
                "law of the log ratio of the weights, carried forward on a grid",
                check=found.still_played,
                stated={"ratio": 1e-3},
                control={"ratio": 0.1},
            ),
        ),
        claims=("BA-S52",),
    ),
)

_APPENDICES: tuple[Erratum, ...] = (
    _erratum(
        6,
        source="Appendix D, after Definition 10",
        printed=r"Noisy losses have second moment at most $2+4\lambda^2$.",
        true=r"At most $1+2\lambda^2$.",
        effect="harmless",
        consequence=r"Corollary 2 is true; its constant 208 could be 147 with $\sigma=\sqrt3$.",
        correction=r"none for the theorem; BA-T21 runs $\sigma^2=1+2\lambda^2$.",
        cost=r"none: it saves a factor $\sqrt2$ of the bound",
        reading="as an upper bound it is true",
        example=(
            "scale = 1.0\ntrue_moment = 1 + 2 * scale**2  # E[(1 + Z)^2]\n2 + 4 * scale**2 == 2 * true_moment"
        ),
        routes=(
            _route(
                "symbolic",
                "claimed over true second moment, in rationals",
                check=found.second_moment_exactly,
                stated={"printed": True},
                control={"printed": False},
            ),
            _route(
                "sampled",
                "claimed second moment over the upper limit of the sampled one",
                check=found.second_moment_sampled,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
        claims=("BA-S6", "BA-T21"),
    ),
    _erratum(
        7,
        source="Corollary 22",
        printed=r"The tuning is valid for every $\varepsilon\in[1/T,1]$; the proof drops a term $8\eta\lambda KT\log(KT)$.",
        true=r"$\gamma\le1$ exactly when $\varepsilon T\ge\frac{16}{22}K\log K$; $\eta$ is undefined for $\varepsilon\le1/(KT)$.",
        effect="harmless",
        consequence="Where the tuning is undefined the bound exceeds T; 36 has room for the dropped term.",
        correction="A clear error where the mixing would exceed 1.",
        cost="none",
        reading="the bound, not the tuning, for every level",
        example=(
            "from math import log, sqrt\n"
            "k, rounds = 10, 8  # rounds = epsilon T\n"
            "eta = sqrt(log(k) / (22 * k * rounds * log(k * rounds) ** 2))\n"
            "4 * eta * k * log(k * rounds) > 1"
        ),
        routes=(
            _route(
                "exact",
                "the mixing from its formula, at half the threshold; corrected: at twice",
                check=lemmas.mixing_range,
                stated={"margin": 0.5},
                control={"margin": 2.0},
            ),
            _route(
                "symbolic",
                "its square, in rationals, at εT=8; corrected: at 34",
                check=found.mixing_exactly,
                stated={"rounds": 8},
                control={"rounds": 34},
            ),
        ),
        claims=("BA-S22", "BA-C22"),
    ),
    _erratum(
        8,
        source="Lemma 23",
        printed=r"Losses in $\mathbb R$, mixing cost $2\gamma T$.",
        true=r"The mixing costs $\gamma\sum_t(\frac1K\sum_i\ell_t(i)-\ell_t(i^\star))$, up to $\gamma T$ times the losses' range.",
        effect="broken as printed",
        consequence="Corollary 22 survives: its noise has mean 0, so the expected mixing cost is that of bounded losses.",
        correction=r"Losses in $[-1,1]$, or the true mixing cost.",
        cost="none",
        reading=r"losses in $[-1,1]$",
        example=(
            "from math import log\n"
            "eta, gamma, rounds, size = 1e-4, 0.5, 1000, 100.0\n"
            "least_regret = gamma / 2 * size * rounds  # action 2 is played with probability gamma / 2 or more\n"
            "least_regret > 2 * gamma * rounds + log(2) / eta + eta * rounds * size**2"
        ),
        routes=(
            _route(
                "exact",
                "regret over all action sequences of 14 rounds, losses (0, 1000); corrected: (0, 1)",
                check=found.exp3_enumerated,
                stated={"size": 1000.0},
                control={"size": 1.0},
            ),
            _route(
                "sampled",
                "lower limit of the regret of 1,000 rounds, losses (0, 100); corrected: (0, 1)",
                check=found.exp3_certified,
                stated={"size": 100.0},
                control={"size": 1.0},
            ),
        ),
        claims=("BA-S23", "BA-L23"),
    ),
    _erratum(
        9,
        source="Corollary 24, Lemma 25",
        printed=r"$11\lambda\sqrt{KT}\log K\log KT+10\sqrt{KT}$; constant 32; $10\sqrt{KT}$ without its factor $2/\varepsilon$.",
        true=r"The displayed sum has $6\log K(1+4\lambda\log T)\sqrt{KT}$ in it, up to $24\lambda\sqrt{KT}\log K\log T$: about 78.",
        effect="unproved as printed",
        consequence="The rate stands; 32 is neither proved nor refuted, and holds wherever we test it.",
        correction=r"The bound that the displayed sum gives, $(2/\varepsilon)\tilde R+2/\varepsilon$.",
        cost="bound: 78 in place of 32; regret: none",
        reading="none found",
        example=(
            "from math import log, sqrt\n"
            "k, t = 10**3, 10**12\n"
            "first_term = 6 * log(k) * sqrt(k * t) * (1 + 4 * log(t))  # 6 log K / eta\n"
            "first_term > sqrt(k * t) * (11 * log(k) * log(k * t) + 10)"
        ),
        routes=(
            _route(
                "exact",
                "the displayed sum at its own η over the printed bound, 40 pairs (K, T); corrected: five times it",
                check=regret.chain_of_lemma_25,
                stated={"factor": 1.0},
                control={"factor": 5.0},
            ),
            _route(
                "symbolic",
                "its first term alone, from rational limits of log 10",
                check=found.second_branch,
                stated={"factor": 1},
                control={"factor": 5},
            ),
        ),
        claims=("BA-S24", "BA-C24", "BA-C24p"),
    ),
    _erratum(
        10,
        source="Algorithm 4",
        printed=r"A resample hits when the action is the arg max; no hit counts 0; $M=\sqrt{\varepsilon KT}$, no integer.",
        true=r"It hits when the action is the arg min again; no hit counts $M$; $M$ rounded up.",
        effect="broken as printed",
        consequence="As printed the estimates are off by a factor that grows with the leader's lead; Corollary 24 needs the arg min.",
        correction=r"Arg min, $M_t=\min(\text{Geometric},M)$, $M=\lceil\sqrt{\varepsilon KT}\rceil$.",
        cost="none: the printed test doubles the regret on losses 0 and 1",
        reading="arg max of the negated scores",
        example=(
            "from math import exp\n"
            "leader = 1 - exp(-4) * 6 / 4  # P(arg min) at estimated losses (0, 4 / eta)\n"
            "estimate = leader * 1 / (1 - leader)  # P(played) times the mean wait for the arg max, loss 1\n"
            "estimate > 10"
        ),
        routes=(
            _route(
                "exact",
                "expected estimates of losses (1, 1) at one state, in closed form",
                check=lemmas.estimate_bias,
                stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            _route(
                "sampled",
                "lower limit of the leader's expected estimate, from the learner's resampling",
                check=found.resampling_certified,
                stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("BA-S4", "BA-C24", "BA-C24p"),
    ),
    _erratum(
        11,
        source="Appendix G.2, proof of Lemma 11",
        printed="The probability over a set of rounds that depends on the learner's bits is at most the supremum over fixed sets.",
        true="It can be larger: a learner that probes in a random round meets the improved arm with certainty.",
        effect="unproved as printed",
        consequence="Lemma 11 stands for pure privacy.",
        correction="Group privacy prefix by prefix: the probability of a prefix depends on at most p losses of arm 2.",
        cost="none",
        reading="learners whose probing rounds are fixed",
        example=(
            "from fractions import Fraction as F\n"
            "after_zero, after_one, rounds = F(9, 20), F(1, 4), 10\n"
            "random_set = after_zero\n"
            "best_fixed_set = after_zero / rounds + after_one * (1 - F(1, rounds))\n"
            "random_set > best_fixed_set"
        ),
        routes=(
            _route(
                "symbolic",
                "a learner that probes once, in rationals; corrected: against e^(εp) times the unimproved probability",
                check=found.fixed_set_exactly,
                stated={"printed": True},
                control={"printed": False},
            ),
            _route(
                "sampled",
                "runs of that learner, against upper limits over all fixed sets",
                check=found.fixed_set_sampled,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
        claims=("BA-L11",),
    ),
    _erratum(
        12,
        source="Sections 1 and 2.3; Appendix A",
        printed=r"Regret subtracts an arg min; expert regret sums $\mu_t^i(j)\ell_t(i)$; Lemma 14 repeats Lemma 13.",
        true=r"The min; $\mu_t^j(i)\ell_t(i)$; one lemma.",
        effect="wording",
        consequence="None: the proofs use the right forms.",
        correction="The right forms.",
        cost="none",
        reading="the right forms, plainly meant",
        example=(
            "mu, loss = [[1, 0], [1, 0]], [1, 0]  # mu[j][i]: expert j, action i; both name action 0\n"
            "right = min(sum(mu[j][i] * loss[i] for i in range(2)) for j in range(2))\n"
            "printed = min(sum(mu[i][j] * loss[i] for i in range(2)) for j in range(2))\n"
            "(right, printed) == (1, 0)"
        ),
        routes=(
            _route(
                "symbolic",
                "the best expert's loss by either formula, in rationals",
                check=found.swapped_indices,
                stated={"printed": True},
                control={"printed": False},
            ),
            _route(
                "exact",
                "the same on a table of 50 rounds, in floats",
                check=found.swapped_indices_drawn,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
    ),
)

ERRATA: tuple[Erratum, ...] = (*_EXPERTS, *_APPENDICES)
