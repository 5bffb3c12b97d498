"""What is wrong in print, in the paper's order."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.noisy_leader.checks import errata, lemmas, privacy, regret

__all__ = ["ERRATA"]

PAPER = "noisy_leader"


def _one(n_actions: int) -> int:
    return 1


def _k(n_actions: int) -> int:
    return n_actions


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="NL-SLIP-1",
        paper=PAPER,
        source="Algorithm 1, line 4",
        printed=r"The loop runs over $r = 1, \dots, \lceil\log_2(T-1)\rceil + 1$.",
        true=r"$\lceil\log_2(T+1)\rceil$ epochs hold the rounds $1, \dots, T$. The printed number is undefined for $T=1$, too small for $T=2$, and one too many for $2^k+2 \le T \le 2^{k+1}-1$.",
        effect="harmless",
        consequence="None for the theorems: their learner does not know the horizon.",
        correction="Epochs for as long as there are rounds, the last one cut at the horizon.",
        cost="none",
        reading=r"none found; it is right for $T = 2^k$, $k\ge2$, and $T = 2^k + 1$, $k\ge1$",
        example=(
            "from math import ceil, log2\n"
            "T = 2\n"
            "epochs = ceil(log2(T - 1)) + 1\n"
            "last_round = 2**epochs - 1\n"
            "last_round < T  # round 2 is never played"
        ),
        routes=(
            Route(
                kind="symbolic",
                how="bit lengths of integers, horizons 2 to 4096: wrong numbers of epochs",
                check=errata.epoch_count,
                stated={"printed": True},
                control={"printed": False},
            ),
            Route(
                kind="exact",
                how="the loop itself, horizons 1 to 64: runs that stop early, begin an epoch too late, or raise",
                check=errata.epoch_loop,
                stated={"epochs": None},
                control={"epochs": int.bit_length},
            ),
        ),
        claims=("NL-S6",),
    ),
    Erratum(
        id="NL-SLIP-2",
        paper=PAPER,
        source="Section 1.2",
        printed=r"Lap$(\beta)$ has density $\frac\beta2 e^{-|x|/\beta}$.",
        true=r"$\frac1{2\beta}e^{-|x|/\beta}$; the printed function integrates to $\beta^2$.",
        effect="harmless",
        consequence="None: nothing is derived from the density.",
        correction=r"Laplace noise of scale $2/\varepsilon$.",
        cost="none",
        reading=r"$\beta = 1$, or $\beta$ an inverse scale with $e^{-\beta|x|}$, which is not how Lap$(2/\varepsilon)$ is used",
        example=(
            "from scipy.integrate import quad\n"
            "from math import exp\n"
            "beta = 2\n"
            "mass = 2 * quad(lambda x: beta / 2 * exp(-x / beta), 0, 200)[0]\n"
            "mass > 3.9  # not 1"
        ),
        routes=(
            Route(
                kind="exact",
                how="quadrature of the density of Lap(2): distance of its mass from one",
                check=errata.contradicted(lemmas.laplace_density(True)),
                control=errata.contradicted(lemmas.laplace_density(False)),
            ),
            Route(
                kind="sampled",
                how="frequency of |x| ≤ 0.1 among draws of Laplace noise of scale 1/2, against the density",
                check=errata.laplace_draws,
                stated={"height": lambda beta: beta / 2},
                control={"height": lambda beta: 1 / (2 * beta)},
            ),
        ),
        claims=("NL-S7",),
    ),
    Erratum(
        id="NL-SLIP-3",
        paper=PAPER,
        source="Section 1.3, proof of Theorem 4, Appendix D",
        printed=r"Report-noisy-max with Gumbel$(2/\varepsilon)$ selects $j$ with probability proportional to $e^{-\varepsilon G_j}$.",
        true=r"Proportional to $e^{-\varepsilon G_j/2}$. The printed law is that of Gumbel$(1/\varepsilon)$, which is $2\varepsilon$-private.",
        effect="changed constant",
        consequence=r"Theorem 4 stands: a factor 2 is lost here and won back in Lemma 3 (NL-SLIP-7), and $3+4(1+1/\ln2)\ln K/\varepsilon$ comes out either way. Corollary 1 stands with a smaller constant in the exponent (NL-SLIP-10).",
        correction=r"Gumbel$(2/\varepsilon)$ as in the algorithm, with its own law.",
        cost="none: the algorithm is the printed one",
        reading=r"scores of sensitivity $1/2$, or monotone ones, for which Gumbel$(1/\varepsilon)$ would be $\varepsilon$-private",
        example=(
            "from replicate.mechanisms import report_noisy_max_pmf, softmax_pmf\n"
            "epsilon, G = 1.0, [0.0, 3.0]\n"
            "law = report_noisy_max_pmf([-g for g in G], noise='gumbel', scale=2 / epsilon)\n"
            "printed = softmax_pmf([-epsilon * g for g in G], scale=1.0)\n"
            "abs(law[1] - printed[1]) > 0.1"
        ),
        routes=(
            Route(
                kind="exact",
                how="quadrature of the definition, K = 2, ε = 1, G = (0, 3): distance from the softmax",
                check=errata.contradicted(privacy.gumbel_law(True)),
                control=errata.contradicted(privacy.gumbel_law(False)),
            ),
            Route(
                kind="sampled",
                how="draws of arg max −G + Q with numpy's Gumbel noise, K = 3, against the softmax",
                check=errata.gumbel_draws,
                stated={"rate": 1.0},
                control={"rate": 0.5},
            ),
            Route(
                kind="exact",
                how="search for the worst privacy loss of the softmax: more than ε cannot be Gumbel(2/ε)",
                check=errata.gumbel_leak,
                stated={"rate": 1.0},
                control={"rate": 0.5},
            ),
        ),
        claims=("NL-S3",),
    ),
    Erratum(
        id="NL-SLIP-4",
        paper=PAPER,
        source="Section 1.3, with a reference to Lemma 4",
        printed=r"$P[J_r=j_1] \le P[J_r=j_2]$ for $j_1<j_2$, $\mu_{j_1}\le\mu_{j_2}$, said to be Lemma 4.",
        true=r"$P[J_r=j_1] \ge P[J_r=j_2]$, which is Lemma 1. Lemma 4 is the monotonicity of the binomial distribution function behind it.",
        effect="wording",
        consequence=r"None: Lemma 1 states it the right way round, and $P[J_r=j]\le1/j$ follows from that.",
        correction="Lemma 1.",
        cost="none",
        reading="Lemma 1",
        example=(
            "from replicate.papers.noisy_leader.exact_laws import selection_law\n"
            "law = selection_law([0.3, 0.6], rounds=8, noise='laplace', scale=2.0)\n"
            "law[0] > law[1]  # the better action is the likelier one"
        ),
        routes=(
            Route(
                kind="exact",
                how="binomial laws enumerated, 27 settings, K = 2: smallest P(better) / P(worse)",
                check=errata.action_order,
                stated={"printed": True},
                control={"printed": False},
            ),
            Route(
                kind="sampled",
                how="an epoch of 16 Bernoulli rounds drawn: lower limit of P(better), more than 1/2",
                check=errata.order_draws,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
        claims=("NL-L1",),
    ),
    Erratum(
        id="NL-SLIP-5",
        paper=PAPER,
        source="Section 2, Table 2, Corollaries 1 to 3, Theorem 4",
        printed=r"With exponential noise Exp$(1/\varepsilon)$ Algorithm 1 is $\varepsilon$-differentially private.",
        true=r"It is $2\varepsilon$-private and no better. One round of losses $(0,1)$ or $(1,0)$ costs $\ln(2e^\varepsilon-1)$, two rounds cost $2\varepsilon$: a replaced vector moves scores in opposite directions.",
        effect="broken as printed",
        consequence=r"The privacy statements with exponential noise fail at the stated $\varepsilon$. With Exp$(2/\varepsilon)$ all of them hold, and so do all rates.",
        correction=r"Exp$(2/\varepsilon)$, like Laplace and Gumbel noise.",
        cost=r"a factor 2 in what privacy costs: exact regret 136 for 68 at $K=16$, gaps 1, $\varepsilon=0.1$; 151 for 83 on Bernoulli losses with gaps 0.1",
        reading=r"scores that all move the same way, as counts do when a record is added or removed; not Definition 1, where a whole vector is replaced",
        example=(
            "from math import exp\n"
            "from replicate.mechanisms import report_noisy_max_pmf\n"
            "epsilon = 1.0\n"
            "one, other = report_noisy_max_pmf([[-1, -1], [-2, 0]], noise='exponential', scale=1 / epsilon)\n"
            "one[0] > exp(1.9 * epsilon) * other[0]  # losses (1, 0), then (0, 1) or (1, 0)"
        ),
        routes=(
            Route(
                kind="symbolic",
                how="odds that one round turns, over exp(ε), in rational arithmetic at exp(ε) = 4",
                check=errata.exponential_odds,
                stated={"printed": True},
                control={"printed": False},
            ),
            Route(
                kind="exact",
                how="worst privacy loss over all score vectors of two rounds, K = 2, ε = 1",
                check=privacy.exponential_loss,
                stated={"calibration": "printed", "n_rounds": 2},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="sampled",
                how="ε certified by runs of the literal learner, four rounds, ε = 1",
                check=privacy.literal_leak,
                stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="exact",
                how="least regret of every 1-DP learner over the exact regret, K = 2, T = 2 (sum form of Theorem 3)",
                check=regret.below_the_sum,
                stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("NL-P", "NL-S1", "NL-S1b", "NL-A1", "NL-A2", "NL-Tab2"),
    ),
    Erratum(
        id="NL-SLIP-6",
        paper=PAPER,
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
                check=errata.correlated_actions,
                stated={"correlated": True},
                control={"correlated": False},
            ),
            Route(
                kind="sampled",
                how="drawn rounds and noise: lower limit of P(worst of three), which the lemma bounds by 1/3",
                check=errata.correlated_draws,
                stated={"correlated": True},
                control={"correlated": False},
            ),
        ),
        claims=("NL-L1",),
    ),
    Erratum(
        id="NL-SLIP-7",
        paper=PAPER,
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
                kind="exact",
                how="adaptive quadrature on 46 vectors: distance from the stated value",
                check=errata.contradicted(lemmas.lemma_3_integral(True)),
                control=errata.contradicted(lemmas.lemma_3_integral(False)),
            ),
            Route(
                kind="symbolic",
                how="alternating series of log(3/2) against that of 2 log 2, a = (0, log 2), in rational arithmetic",
                check=errata.integral_series,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
        claims=("NL-S5",),
    ),
    Erratum(
        id="NL-SLIP-8",
        paper=PAPER,
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
            "from replicate.papers.noisy_leader.exact_laws import selection_law\n"
            "law = selection_law([0.5, 0.55], rounds=512, noise='gumbel', scale=2.0)  # B = 1\n"
            "law[1] > 100 * bounds.equation_9(10, 0.05, epsilon=1.0, noise='gumbel')"
        ),
        routes=(
            Route(
                kind="exact",
                how="P(J = j) from convolved binomial laws over (9), B = 1 against B = 0",
                check=errata.contradicted(lemmas.equation_9(True)),
                control=errata.contradicted(lemmas.equation_9(False)),
            ),
            Route(
                kind="sampled",
                how="lower limit of the simulated regret over Corollary 3's bound, K = 2, gap 0.001, ε = 1",
                check=regret.corollary_3_resampled,
                stated={"resampled": True},
                control={"resampled": False},
            ),
        ),
        claims=("NL-9", "NL-C3", "NL-S4"),
    ),
    Erratum(
        id="NL-SLIP-9",
        paper=PAPER,
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
                check=errata.geometric_sum,
                stated={"stated": 1},
                control={"stated": 2},
            ),
            Route(
                kind="exact",
                how="the step that takes the value of τ, evaluated: log₂ of its left side over its right",
                check=errata.epoch_index,
                stated={"logarithm": False},
                control={"logarithm": True},
            ),
        ),
        claims=("NL-T2", "NL-C1"),
    ),
    Erratum(
        id="NL-SLIP-10",
        paper=PAPER,
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
            "from replicate.papers.noisy_leader.exact_laws import selection_law\n"
            "n, gap, epsilon = 4096, 0.1, 0.03\n"
            "law = selection_law([0.45, 0.55], rounds=n, noise='gumbel', scale=2 / epsilon)\n"
            "law[1] > 1.2 * (exp(-n * gap * epsilon / 2) + exp(-n * gap**2 / 4))"
        ),
        routes=(
            Route(
                kind="exact",
                how="exact P(J = 2) from convolved binomial laws over the display, 4096 rounds, ε = 0.03, gap 0.1",
                check=errata.gumbel_tail_law,
                stated={"printed": True},
                control={"printed": False},
            ),
            Route(
                kind="sampled",
                how="drawn epochs: lower limit of the same probability over the display",
                check=errata.gumbel_tail_draws,
                stated={"printed": True},
                control={"printed": False},
            ),
            Route(
                kind="exact",
                how="largest exact P(J = 2) over (7), all noises: c₂ = 8 against the derived constants",
                check=errata.contradicted(lemmas.equation_7(8.0)),
                control=errata.contradicted(lemmas.equation_7(None)),
            ),
        ),
        claims=("NL-E7", "NL-S2"),
    ),
    Erratum(
        id="NL-SLIP-11",
        paper=PAPER,
        source="Theorem 3, Appendix E",
        printed=r"$\int_1^{T+1}\frac{K(K-1)}{e^{t\varepsilon}+K-1}dt = \frac1\varepsilon\ln(\cdot)$, for $t\ge T$; as $T\to\infty$ at least $\ln K/\varepsilon-1=\Omega(\ln K/\varepsilon)$.",
        true=r"No factor $K$; $t\le T$. The last step says nothing for $\varepsilon\ge\ln K$. The action of round $t$ has seen $t-1$ losses: $\frac1\varepsilon\ln\frac{Ke^{T\varepsilon}}{e^{T\varepsilon}+K-1}$ holds and tends to $\ln K/\varepsilon$ for every $\varepsilon$.",
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
                kind="exact",
                how="quadrature of the last integrand: relative distance from the closed form",
                check=errata.integrand,
                stated={"factor": _k},
                control={"factor": _one},
            ),
            Route(
                kind="exact",
                how="that integral over the exact regret of an ε-DP learner: it would forbid report-noisy-max",
                check=errata.integrand_against_a_learner,
                stated={"factor": _k},
                control={"factor": _one},
            ),
            Route(
                kind="exact",
                how="limit of the bound at ε = 2 ln K, sign reversed",
                check=errata.last_step,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
        claims=("NL-T3", "NL-T3i", "NL-T3s"),
    ),
    Erratum(
        id="NL-SLIP-12",
        paper=PAPER,
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
                kind="exact",
                how="P(worse action) by the misprinted display over the display before it",
                check=errata.swapped_sign,
                stated={"printed": True},
                control={"printed": False},
            ),
            Route(
                kind="sampled",
                how="the misprinted display against draws of the exponential mechanism",
                check=errata.swapped_sign_draws,
                stated={"printed": True},
                control={"printed": False},
            ),
        ),
    ),
)
