"""Errata in lemmas, theorems and proofs."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.noisy_leader.checks import lemmas, regret
from replicate.papers.noisy_leader.checks.errata import proofs

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="NL-SLIP-6",
        source="Lemma 1",
        printed=r"With $B=1$, $P[J_r=j_1]\ge P[J_r=j_2]$ for $j_1<j_2$ and $P[J_r=j]\le1/j$, stated without the losses' dependence.",
        true=r"The losses of different actions must be independent. One round with losses $(0,0,1)$, $(1,1,0)$ or $(1,1,1)$ with probability $0.5$, $0.45$, $0.05$: the third mean is the largest, and the third action the likeliest.",
        effect="wording",
        consequence="Theorem 2 and Corollary 1 do not extend to dependent coordinates by this proof; randomised-prefix softmax does without the assumption.",
        correction="The lemma is used on independent actions only.",
        cost="none",
        reading=r"the paper's setting, $\mathcal P_1\times\dots\times\mathcal P_K$: there the lemma holds",
        example=(
            "import numpy as np\n"
            "from replicate.mechanisms import report_noisy_max_pmf\n"
            "losses = np.array([[0, 0, 1], [1, 1, 0], [1, 1, 1]])\n"
            "law = np.array([0.5, 0.45, 0.05]) @ report_noisy_max_pmf(-losses, noise='gumbel', scale=0.5)\n"
            "law[2] > law[0] and law[2] > 1 / 3"
        ),
        routes=(
            Route(
                kind="exact",
                how="law of the selection from one dependent round; the same means, independent, for comparison",
                check=proofs.dependent_law, stated={"actions": "dependent"}, control={"actions": "independent"},
            ),
            Route(
                kind="sampled",
                how="drawn rounds and noise: lower limit of P(worst of three), which the lemma bounds by 1/3",
                check=proofs.dependent_draws, stated={"actions": "dependent"}, control={"actions": "independent"},
            ),
        ),
        claims=("NL-L1",),
    ),
    Erratum(
        id="NL-SLIP-7",
        source="proof of Lemma 3",
        printed=r"$\int_0^\infty f = \frac2{\log2}\log K$.",
        true=r"$\log(\sum_ie^{-a_i})/\log2 \le \log K/\log2$.",
        effect="changed constant",
        consequence=r"The lemma stands, with half the constant. With NL-SLIP-3 it cancels in Theorem 4.",
        correction="The integral's exact value.",
        cost="none: the bound improves",
        reading="none found; as an upper bound it holds with a factor 2 to spare",
        example=(
            "import numpy as np\n"
            "from replicate.papers.noisy_leader.lemmas import lemma_integral\n"
            "a = np.array([0.0, np.log(2)])\n"
            "abs(lemma_integral(a) - np.log(1.5) / np.log(2)) < 1e-6 < 2 - lemma_integral(a)"
        ),
        routes=(
            Route(
                kind="exact", how="adaptive quadrature on 46 vectors: distance from the stated value",
                check=lemmas.lemma_3_integral, stated={"form": "printed", "relation": ">="},
                control={"form": "corrected"},
            ),
            Route(
                kind="symbolic",
                how="alternating series of log(3/2) against that of 2 log 2, a = (0, log 2), in rational arithmetic",
                check=proofs.integral_series, stated={"form": "printed"}, control={"form": "corrected"},
            ),
        ),
        claims=("NL-S5",),
    ),
    Erratum(
        id="NL-SLIP-8",
        source="Corollary 3, (9)",
        printed=r"On deterministic losses the regret is $O(\log^2K/\varepsilon)$ for any $B$, from $P[J_r=j]\le c_1e^{-2^r\Delta_j\varepsilon/c_2}$.",
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
        routes=(
            Route(
                kind="exact", how="P(J = j) from convolved binomial laws over (9), B = 1 against B = 0",
                check=lemmas.equation_9, stated={"resample": True, "constant": 1.0, "relation": ">="}, control={"resample": False},
                knob="constant",
            ),
            Route(
                kind="sampled",
                how="lower limit of the simulated regret over Corollary 3's bound, K = 2, gap 0.001, ε = 1",
                check=regret.corollary_3_resampled, stated={"resample": True, "constant": 1.0}, knob="constant",
                control={"resample": False},
            ),
        ),
        claims=("NL-9", "NL-C3", "NL-S4"),
    ),
    Erratum(
        id="NL-SLIP-9",
        source="Appendix C",
        printed=r"$\tau_l = \lceil c_2\ln|H_l|/\Delta_{(l)}^2\rceil$ epochs; $\frac{8c_2\ln K+c_1c_2}{\Delta_{\min}}\sum_l2^{-(l-1)} = \frac{8c_2\ln K+c_1c_2}{\Delta_{\min}}$.",
        true=r"$\tau_l$ needs a $\log_2$ (and $|H_l|+1$, for $\ln1=0$); the series is 2, while $2^{\tau_l+2}$ should be $2^{\tau_l+1}$; $T=2^{R+1}-1$ does not match sums to $R$, and $r(j)$ may be negative.",
        effect="changed constant",
        consequence=r"Orders stand. Done carefully the statistical half of Theorem 2 is $(8c_2\ln K+2c_1c_2)/\Delta_{\min}$.",
        correction="Constants derived anew in `bounds.theorem_2`.",
        cost=r"none: a constant of the bound, $2c_1c_2$ for $c_1c_2$",
        reading="none found; the orders do not depend on it",
        example=(
            "from math import ceil, log\n"
            "c2, size, gap = 16, 2, 0.5\n"
            "tau = ceil(c2 * log(size) / gap**2)  # an epoch index, says the proof\n"
            "2 ** (tau + 2) * gap > 1000 * 8 * c2 * log(size) / gap"
        ),
        routes=(
            Route(
                kind="symbolic",
                how="partial sum of the geometric series over its stated value, in rational arithmetic",
                check=proofs.geometric_sum, stated={"value": 1}, control={"value": 2},
            ),
            Route(
                kind="exact",
                how="the step that takes the value of τ, evaluated: log₂ of its left side over its right",
                check=proofs.epoch_index, stated={"form": "printed"}, control={"form": "corrected"},
            ),
        ),
        claims=("NL-T2", "NL-C1"),
    ),
    Erratum(
        id="NL-SLIP-10",
        source="Appendix D",
        printed=r"(7) repeated with $2^r$ for $2^{r+1}$; for Gumbel noise $P[J_r=j]\le e^{-2^{r-1}\Delta_j\varepsilon/2}+e^{-2^{r-1}\Delta_j^2/4}$.",
        true=r"The first exponent is $2^{r-1}\Delta_j\varepsilon/4$ (NL-SLIP-3). All in all $P[J_r=j]\le2e^{-2^r\Delta_j\min(\Delta_j,\varepsilon)/8}$, hence $c_2=16$ in (7), not 8; with Laplace noise $(c_1,c_2)=(3/2,32)$.",
        effect="changed constant",
        consequence="Corollary 1 stands, with these constants. The printed display is exceeded by a factor that grows with the epoch.",
        correction=r"$(c_1,c_2)=(2,16)$ and $(3/2,32)$, derived in `bounds`.",
        cost="none: a constant of the bound, a factor 2",
        reading=r"deterministic losses, where the display holds",
        example=(
            "from math import exp\n"
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "n, gap, epsilon = 4096, 0.1, 0.03\n"
            "law = selection_law([0.45, 0.55], rounds=n, noise='gumbel', scale=2 / epsilon)\n"
            "law[1] > 1.2 * (exp(-n * gap * epsilon / 2) + exp(-n * gap**2 / 4))"
        ),
        routes=(
            Route(
                kind="exact",
                how="exact P(J = 2) from convolved binomial laws over the display, 4096 rounds, ε = 0.03, gap 0.1",
                check=proofs.gumbel_tail, stated={"rounds": 4096, "gap": 0.1, "epsilon": 0.03, "divisor": 2},
                control={"divisor": 4},
            ),
            Route(
                kind="sampled", how="drawn epochs: lower limit of the same probability over the display",
                check=proofs.gumbel_tail_draws, stated={"divisor": 2}, control={"divisor": 4},
            ),
            Route(
                kind="exact",
                how="largest exact P(J = 2) over (7), all noises: c₂ = 8 against the derived constants",
                check=lemmas.equation_7, stated={"c2": 8.0, "constant": 1.0, "relation": ">="}, control={"c2": "derived"},
                knob="constant",
            ),
        ),
        claims=("NL-E7", "NL-S2"),
    ),
    Erratum(
        id="NL-SLIP-11",
        source="Theorem 3, Appendix E",
        printed=r"$\int_1^{T+1}\frac{K(K-1)}{e^{t\varepsilon}+K-1}dt = \frac1\varepsilon\ln(\cdot)$, for $t\ge T$; as $T\to\infty$ at least $\ln K/\varepsilon-1=\Omega(\ln K/\varepsilon)$.",
        true=r"No factor $K$; $t\le T$. The last step is not informative for $\varepsilon\ge\ln K$. The action of round $t$ has seen $t-1$ losses: $\frac1\varepsilon\ln\frac{Ke^{T\varepsilon}}{e^{T\varepsilon}+K-1}$ holds and tends to $\ln K/\varepsilon$ for every $\varepsilon$.",
        effect="unproved as printed",
        consequence=r"Proved for $\varepsilon<\ln K$ only. The theorem holds for every $\varepsilon$, for horizons of order $\ln K/\varepsilon$ and more, which its statement leaves out: the regret is at most $T$.",
        correction="Three forms: the printed closed form, one observation fewer, and the sum before the integral.",
        cost="none: the bound is larger",
        reading=r"$\varepsilon\le c\ln K$ with $c<1$, and $T$ large enough",
        example=(
            "from replicate.papers.noisy_leader import bounds\n"
            "setting = {'n_actions': 16, 'epsilon': 6.0}\n"
            "bounds.theorem_3_limit(**setting) < 0 < bounds.theorem_3_integral(**setting, horizon=100)"
        ),
        routes=(
            Route(
                kind="exact", how="quadrature of the last integrand: relative distance from the closed form",
                check=proofs.integrand, stated={"factor": "K"}, control={"factor": "1"},
            ),
            Route(
                kind="exact",
                how="that integral over the exact regret of an ε-DP learner: it would exclude report-noisy-max",
                check=proofs.integrand_against_a_learner, stated={"factor": "K"}, control={"factor": "1"},
            ),
            Route(
                kind="exact", how="one less the limit of the bound at ε = 2 ln K: at least 1 where it says nothing",
                check=proofs.last_step, stated={"form": "printed"}, control={"form": "corrected"},
            ),
        ),
        claims=("NL-T3", "NL-T3i", "NL-T3s"),
    ),
    Erratum(
        id="NL-SLIP-12",
        source="misprints: Appendix D, proofs of Lemma 1 and Theorems 3 and 4, Section 1",
        printed=r"In the Gumbel proof $\exp(-\varepsilon(-G_{r,j}))$; the complement of an event bounded as $P[G_{r,j}-G_{r,1}]$; $F_{N_{r,j_2}}$ equated to an integral over $j_1$; indices $i$, $j$ and $l$, $l'$ exchanged; a lower bound written $O(\cdot)$.",
        true=r"$\exp(\varepsilon(-G_{r,j}))$, as one line above; $P[G_{r,j}-G_{r,1}<2^{r-1}\Delta_j/2]$; $F_{N_{r,j_1}}$; indices as the lines before; $\Omega(\cdot)$.",
        effect="wording",
        consequence="None.",
        correction="Read as meant.",
        cost="none",
        reading="the neighbouring lines of the paper",
        example=(
            "from math import exp\n"
            "G, epsilon = (0.0, 3.0), 1.0\n"
            "printed = exp(-epsilon * -G[1]) / sum(exp(-epsilon * -g) for g in G)\n"
            "printed > 0.9  # the action that lost more"
        ),
        routes=(
            Route(
                kind="exact", how="P(worse action) by the misprinted display over the display before it",
                check=proofs.swapped_sign, stated={"sign": 1}, control={"sign": -1},
            ),
            Route(
                kind="sampled", how="the misprinted display against draws of the exponential mechanism",
                check=proofs.swapped_sign_draws, stated={"sign": 1}, control={"sign": -1},
            ),
        ),
    ),
)
