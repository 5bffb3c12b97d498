"""Errata in lemmas, theorems and proofs."""

from __future__ import annotations

import math

from replicate.claims.errata import Erratum, Route, route
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.noisy_leader.checks import corners, lemmas, regret
from replicate.papers.noisy_leader.checks.errata import proofs

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="NL-SLIP-7",
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("entry", 0, tried=[1e-3, 50], letter="a")), at=corners.lemma_3_integral,
        source="proof of Lemma 3",
        printed=r"$\int_0^\infty f = \frac2{\log2}\log K$.",
        true=r"$\log(\sum_ie^{-a_i})/\log2 \le \log K/\log2$.",
        effect="harmless",
        consequence=r"The lemma stands: its proof needs an upper bound only, and the true one is half of the printed value. With NL-SLIP-3 the factor cancels in Theorem 4.",
        correction="The integral's exact value.",
        cost="none: the bound improves",
        reading=r"“at most” for “equals”: as an upper bound the printed value holds, with a factor 2 to spare",
        example=(
            "import numpy as np\n"
            "from replicate.papers.noisy_leader.lemmas import lemma_integral\n"
            "a = np.array([0.0, np.log(2)])\n"
            "abs(lemma_integral(a) - np.log(1.5) / np.log(2)) < 1e-6 < 2 - lemma_integral(a)"
        ),
        section="2.2",
        definition="the function $f$ of Lemma 2, with $a_1=0$",
        shown_at=r"$K=2$, $a=(0,\log2)$: the integral is 0.585, printed is 2; no $\varepsilon$ enters",
        routes=(
            route("exact", lemmas.lemma_3_integral, form=("printed", "corrected"), relation=">=",
                  how="adaptive quadrature on 46 vectors: distance from the stated value"),
            route("symbolic", proofs.integral_series, form=("printed", "corrected"),
                  how="alternating series of log(3/2) against that of 2 log 2, a = (0, log 2), in rational arithmetic"),
        ),
        claims=("NL-S5",),
    ),
    Erratum(
        id="NL-SLIP-8",
        scope=(named("losses", "the same vector in each round"), measured("epsilon", 1.0)),
        source="Corollary 3, (9)",
        printed=r"On deterministic losses the regret is $O(\log^2K/\varepsilon)$; no $B$ is named, and Theorem 2, which the corollary extends, has $B=1$. It is derived from $P[J_r=j]\le c_1e^{-2^r\Delta_j\varepsilon/c_2}$.",
        true=r"For $B=0$. With $B=1$ a fixed loss of $1/2$ becomes a fair coin, (9) fails and the regret grows like $1/\Delta$.",
        effect="broken as printed",
        consequence=r"The corollary holds for $B=0$, with $(c_1,c_2)=(1,4)$, $(1/2,4)$, $(1/2,8)$ for Gumbel, exponential, Laplace noise; there Theorem 4 and our bound are better anyway.",
        correction=r"$B=0$ on deterministic losses.",
        cost=r"none, a gain: regret about 4 for 9, 76 and 727 at $K=2$, $\varepsilon=1$, $\Delta=0.1, 0.01, 0.001$",
        reading=r"$B=0$; or all means in $\{0,1\}$, where resampling changes nothing",
        example=(
            "from replicate.papers.noisy_leader import bounds\n"
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "law = selection_law([0.5, 0.55], rounds=512, noise='gumbel', scale=2.0)  # B = 1\n"
            "law[1] > 100 * bounds.equation_9(10, 0.05, epsilon=1.0, noise='gumbel')"
        ),
        section="2.2",
        definition="the deterministic setting of Section 1.1, and Algorithm 1 with $B=1$, lines 9 to 13",
        shown_at=r"$K=2$, means $0.5$ and $0.501$, $\varepsilon=1$, $T=2^{40}-1$: regret of at least 190, against a bound of 20 with the constants for $B=0$; it grows like $1/\Delta$",
        routes=(
            route("exact", lemmas.equation_9, resample=(True, False), constant=1.0, relation=">=", knob="constant",
                  how="P(J = j) from convolved binomial laws over (9), B = 1 against B = 0"),
            route("sampled", regret.corollary_3_resampled, resample=(True, False), constant=1.0, knob="constant",
                  how="lower limit, by bets, of the simulated regret over Corollary 3's bound, K = 2, gap 0.001, ε = 1"),
        ),
        claims=("NL-9", "NL-C3", "NL-S4"),
    ),
    Erratum(
        id="NL-SLIP-9",
        scope=(named("groups", "all sizes"),),
        source="Appendix C",
        printed=r"$\tau_l = \lceil c_2\ln|H_l|/\Delta_{(l)}^2\rceil$ epochs; $\frac{8c_2\ln K+c_1c_2}{\Delta_{\min}}\sum_l2^{-(l-1)} = \frac{8c_2\ln K+c_1c_2}{\Delta_{\min}}$.",
        true=r"$\tau_l = \lceil\log_2(c_2\ln(|H_l|+1)/\Delta_{(l)}^2)\rceil$, for $r$ counts epochs and $\ln1=0$; the series is 2.",
        effect="changed constant",
        consequence=r"Orders stand. Done carefully the statistical half of Theorem 2 is $(8c_2\ln K+2c_1c_2)/\Delta_{\min}$.",
        correction="Constants derived anew in `bounds.theorem_2`.",
        cost=r"none: a constant of the bound, $2c_1c_2$ for $c_1c_2$",
        reading=r"$\tau_l$ as a number of rounds, and the orders: these do not depend on either. The $2^{\tau_l+2}$ for $2^{\tau_l+1}$ is a true bound, and no error.",
        example=(
            "from math import ceil, log\n"
            "c2, size, gap = 16, 2, 0.5\n"
            "tau = ceil(c2 * log(size) / gap**2)  # an epoch index, says the proof\n"
            "2 ** (tau + 2) * gap > 1000 * 8 * c2 * log(size) / gap"
        ),
        section="C",
        definition="$r$ counts epochs, as in Algorithm 1: epoch $r$ has $2^{r-1}$ rounds",
        shown_at=r"$|H_l|=2$, $\Delta_{(l)}=1/2$, $c_2=16$: the step that inserts $\tau_l$ is wrong by a factor of $2^{38}$; no $\varepsilon$ enters",
        routes=(
            route("symbolic", proofs.geometric_sum, value=(1, 2),
                  how="partial sum of the geometric series over its stated value, in rational arithmetic"),
            route("exact", proofs.epoch_index, form=("printed", "corrected"),
                  how="the step that takes the value of τ, evaluated: log₂ of its left side over its right"),
        ),
        claims=("NL-T2", "NL-C1"),
    ),
    Erratum(
        id="NL-SLIP-10",
        scope=(for_all("gap", 0, 1, tried=[1e-3], inside=[0.1]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("rounds", 1, tried=[2**7], inside=[2])), at=corners.tail_of_others,
        source="Appendix D",
        printed=r"(7) repeated with $2^r$ for $2^{r+1}$; for Gumbel noise $P[J_r=j]\le e^{-2^{r-1}\Delta_j\varepsilon/2}+e^{-2^{r-1}\Delta_j^2/4}$.",
        true=r"The first exponent is $2^{r-1}\Delta_j\varepsilon/4$ (NL-SLIP-3). All in all $P[J_r=j]\le2e^{-2^r\Delta_j\min(\Delta_j,\varepsilon)/8}$, hence $c_2=16$ in (7), not 8. Both exponents of the losses use that the actions are independent; without that, $(c_1,c_2)=(1,32/3)$ holds (NL-F9).",
        effect="changed constant",
        consequence="Corollary 1 stands, with these constants. The printed display is exceeded by a factor that is unbounded in the epoch $r$.",
        correction=r"$(c_1,c_2)=(2,16)$, derived in `bounds`, or $(1,32/3)$.",
        cost="none: a constant of the bound, a factor 2",
        reading=r"deterministic losses, where the display holds",
        example=(
            "from math import exp\n"
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "n, gap, epsilon = 4096, 0.1, 0.03\n"
            "law = selection_law([0.45, 0.55], rounds=n, noise='gumbel', scale=2 / epsilon)\n"
            "law[1] > 1.2 * (exp(-n * gap * epsilon / 2) + exp(-n * gap**2 / 4))"
        ),
        section="D",
        definition="$B=1$, Gumbel noise of scale $2/\\varepsilon$, losses of the two actions independent",
        shown_at=r"$K=2$, means $0.45$ and $0.55$, $\varepsilon=0.03$, an epoch of 4096 rounds: 1.2 times the display; the ratio is unbounded in $r$",
        routes=(
            route("exact", proofs.gumbel_tail, rounds=4096, gap=0.1, epsilon=0.03, divisor=(2, 4),
                  how="exact P(J = 2) from convolved binomial laws over the display, 4096 rounds, ε = 0.03, gap 0.1"),
            route("sampled", proofs.gumbel_tail_draws, divisor=(2, 4),
                  how="drawn epochs: lower limit of the same probability over the display"),
            Route(
                kind="exact",
                how="largest exact P(J = 2) over (7), Gumbel and exponential: c₂ = 8 against 16",
                check=lemmas.equation_7, stated={"noises": ("gumbel", "exponential"), "c2": 8.0, "constant": 1.0, "relation": ">="}, control={"c2": "derived"},
                knob="constant",
            ),
        ),
        claims=("NL-E7", "NL-S2"),
    ),
    Erratum(
        id="NL-SLIP-11",
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])), at=corners.theorem_3_integral,
        source="Theorem 3, Appendix E",
        printed=r"$\int_1^{T+1}\frac{K(K-1)}{e^{t\varepsilon}+K-1}dt = \frac1\varepsilon\ln(\cdot)$, for $t\ge T$; as $T\to\infty$ at least $\ln K/\varepsilon-1=\Omega(\ln K/\varepsilon)$.",
        true=r"No factor $K$; $t\le T$. The last step is not informative for $\varepsilon\ge\ln K$. The action of round $t$ has seen $t-1$ losses: $\frac1\varepsilon\ln\frac{Ke^{T\varepsilon}}{e^{T\varepsilon}+K-1}$ holds and tends to $\ln K/\varepsilon$ for every $\varepsilon$.",
        effect="unproved as printed",
        consequence=r"Proved for $\varepsilon<\ln K$ only; the corrected forms cover every $\varepsilon$. The factor $K$ does not enter the closed form, which is right.",
        correction="Three forms: the printed closed form, one observation fewer, and the sum before the integral.",
        cost="none: the bound is larger",
        reading=r"$\varepsilon\le c\ln K$ with $c<1$, and $T$ large enough",
        example=(
            "from replicate.papers.noisy_leader import bounds\n"
            "setting = {'n_actions': 16, 'epsilon': 6.0}\n"
            "bounds.theorem_3_limit(**setting) < 0 < bounds.theorem_3_integral(**setting, horizon=100)"
        ),
        section="E",
        definition="a lower bound for every $\\varepsilon$, as Theorem 3 states it",
        shown_at=r"$K=16$, $\varepsilon=2\ln K$: the last step gives $-1/2$; the factor $K$ at $K=2$, $\varepsilon=1$, $T=5$",
        routes=(
            route("exact", proofs.integrand, factor=("K", "1"),
                  how="quadrature of the last integrand: relative distance from the closed form"),
            route("exact", proofs.integrand_against_a_learner, factor=("K", "1"),
                  how="that integral over the exact regret of an ε-DP learner: it would exclude report-noisy-max"),
            route("exact", proofs.last_step, form=("printed", "corrected"),
                  how="one less the limit of the bound at ε = 2 ln K: at least 1 where it says nothing"),
        ),
        claims=("NL-T3i", "NL-T3s"),
    ),
    Erratum(
        id="NL-SLIP-12",
        scope=(named("formulas", "the five that are named"),),
        source="misprints: Appendix D, proofs of Lemma 1 and Theorems 3 and 4, Section 1",
        printed=r"In the Gumbel proof $\exp(-\varepsilon(-G_{r,j}))$; the complement of an event bounded as $P[G_{r,j}-G_{r,1}]$; $F_{N_{r,j_2}}$ equated to an integral over $j_1$; indices $i$, $j$ and $l$, $l'$ exchanged; a lower bound written $O(\cdot)$.",
        true=r"$\exp(\varepsilon(-G_{r,j}))$, as one line above; $P[G_{r,j}-G_{r,1}<2^{r-1}\Delta_j/2]$; $F_{N_{r,j_1}}$; indices as the lines before; $\Omega(\cdot)$.",
        effect="wording",
        consequence="None.",
        correction="Read as meant.",
        reading="the neighbouring lines of the paper",
        example=(
            "from math import exp\n"
            "G, epsilon = (0.0, 3.0), 1.0\n"
            "printed = exp(-epsilon * -G[1]) / sum(exp(-epsilon * -g) for g in G)\n"
            "printed > 0.9  # the action that lost more"
        ),
        section="D",
        routes=(
            route("exact", proofs.swapped_sign, sign=(1, -1),
                  how="P(worse action) by the misprinted display over the display before it"),
            route("sampled", proofs.swapped_sign_draws, sign=(1, -1),
                  how="the misprinted display against draws of the exponential mechanism"),
        ),
    ),
    Erratum(
        id="NL-SLIP-13",
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[1]), for_all("horizon", Border(r"\ln K/\varepsilon", lambda n_actions, epsilon: math.log(n_actions) / epsilon), tried=[2**59])), at=corners.order_of_theorem_3,
        source="Theorem 3",
        printed=r"For every $\varepsilon$-DP learner and every $K$ there are means with regret at least $c_1\log K/\varepsilon$, $c_1$ universal; $T$ is not restricted.",
        true=r"For $T\ge\ln K/\varepsilon$, with $c_1 = \ln(4/3)/\ln2 = 0.415$.",
        effect="wording",
        consequence="None for what the theorem is used for: a lower bound for long horizons.",
        correction=r"$T\ge\ln K/\varepsilon$, or the closed forms, which hold for every $T$.",
        reading=r"$T$ at least of the order $\ln K/\varepsilon$, or $T\to\infty$, as the end of Appendix E has it",
        section="2.2",
        definition="the regret of Section 1.1 after $T$ rounds with losses in $[0,1]$",
        shown_at=r"$T=1$, any learner, $\varepsilon = c_1\ln K/2$: the regret is at most 1, the bound 2",
        example=(
            "from math import log\n"
            "c, K, T = 0.01, 16, 1\n"
            "epsilon = c * log(K) / 2\n"
            "c * log(K) / epsilon > T  # no learner loses more than T"
        ),
        routes=(
            route("symbolic", proofs.theorem_3_at_once, horizon=("1", "ln K / epsilon"),
                  how="the stated bound over the most that any learner can lose in one round"),
            route("exact", proofs.theorem_3_of_a_learner, horizon=("1", "ln K / epsilon"),
                  how="the stated bound over the exact regret of an ε-DP learner after one round"),
        ),
        claims=("NL-T3a",),
    ),
    Erratum(
        id="NL-SLIP-14",
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("gap", 0, 1, tried=[1e-3], inside=[0.1]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4]), named("losses", "the same vector in each round")), at=corners.theorem_4,
        source="Theorem 4, Corollary 3",
        printed=r"On deterministic losses the regret is $O(\log K/\varepsilon)$, in Corollary 3 $O(\log^2K/\varepsilon)$; $\varepsilon$ is not restricted.",
        true=r"$O(1+\log K/\varepsilon)$: the first action is uniform, so round 1 alone costs the mean of the gaps.",
        effect="wording",
        consequence=r"None for $\varepsilon = O(\log K)$; the proof itself has the term 3.",
        correction="The constant is kept in the bounds.",
        reading=r"$\varepsilon\le\log K$, the usual range, or losses small against $\log K/\varepsilon$",
        section="2.2",
        definition=r"$O(\cdot)$ uniform in $\varepsilon$, as Section 1.1 asks for rates in $\varepsilon$, $\Delta_{\min}$, $K$, $T$",
        shown_at=r"$K=2$, gap 1, $\varepsilon = 4C\ln2$: the first round costs $1/2$, the bound $C\ln2/\varepsilon$ is $1/4$",
        example=(
            "from math import log\n"
            "from replicate.papers.noisy_leader import exact_regret\n"
            "C = 1000\n"
            "epsilon = 4 * C * log(2)\n"
            "exact_regret([0.0, 1.0], epsilon=epsilon, horizon=100).final[0] > 1.9 * C * log(2) / epsilon"
        ),
        routes=(
            route("exact", proofs.first_round, form=("printed", "corrected"),
                  how="exact regret over C ln K / ε at ε = 4 C ln K, for C up to 1000"),
            route("sampled", proofs.first_action, form=("printed", "corrected"),
                  how="first actions of the literal learner: lower limit of what round 1 costs, ε = 100"),
        ),
        claims=("NL-T4", "NL-C3"),
    ),
)
