"""Errata of the paper, in its order: on the algorithm first, then in lemmas, theorems and proofs."""

from __future__ import annotations

import math

from replicate.claims.errata import Erratum, Route, route
from replicate.claims.scope import Border, for_all, measured, named
from replicate.papers.noisy_leader.checks import corners, errata, lemmas, regret

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="NL-SLIP-1", source="Algorithm 1, line 4", section="1", effect="harmless", claims=("NL-S6",),
        scope=(for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4]),), at=corners.epoch_count,
        definition="Algorithm 1, lines 4 to 6: epoch $r$ holds the rounds $2^{r-1}$ to $2^r-1$",
        shown_at="$T=2$: one epoch, round 2 is never played; $T=6$: a fourth epoch that begins at round 8",
        printed=r"The loop runs over $r = 1, \dots, \lceil\log_2(T-1)\rceil + 1$.",
        true=r"$\lceil\log_2(T+1)\rceil$ epochs hold the rounds $1, \dots, T$. The printed number is undefined for $T=1$, too small for $T=2$, and one too many for $2^k+2 \le T \le 2^{k+1}-1$.",
        consequence="None for the theorems: their learner does not know the horizon.",
        correction="The loop has epochs for as long as there are rounds, and the horizon cuts the last one.",
        reading=r"none found; it is right for $T = 2^k$, $k\ge2$, and $T = 2^k + 1$, $k\ge1$",
        example=(
            "from math import ceil, log2\n"
            "T = 2\n"
            "epochs = ceil(log2(T - 1)) + 1\n"
            "last_round = 2**epochs - 1\n"
            "last_round < T  # round 2 is never played"
        ),
        routes=(
            route("symbolic", errata.epoch_count, form=("printed", "corrected"),
                  how="bit lengths of integers, horizons 2 to 4096: wrong numbers of epochs"),
            route("exact", errata.epoch_loop, form=("printed", "corrected"),
                  how="the loop itself, horizons 1 to 64: runs that stop early, begin an epoch too late, or raise"),
        ),
    ),
    Erratum(
        id="NL-SLIP-2", source="Section 1.2", section="1.2", effect="harmless", claims=("NL-S7",),
        scope=(measured("scale", 0.5, 2.0, letter=r"\beta"),),
        definition="a density integrates to one",
        shown_at=r"$\beta=2$, that is $\varepsilon=1$: mass 4",
        printed=r"Lap$(\beta)$ has density $\frac\beta2 e^{-|x|/\beta}$.",
        true=r"The density is $\frac1{2\beta}e^{-|x|/\beta}$; the printed function integrates to $\beta^2$.",
        consequence="None: nothing is derived from the density.",
        correction=r"Laplace noise of scale $2/\varepsilon$.",
        reading=r"$\beta = 1$, or $\beta$ an inverse scale with $e^{-\beta|x|}$, which is not how Lap$(2/\varepsilon)$ is used",
        example=(
            "from scipy.integrate import quad\n"
            "from math import exp\n"
            "beta = 2\n"
            "mass = 2 * quad(lambda x: beta / 2 * exp(-x / beta), 0, 200)[0]\n"
            "mass > 3.9  # not 1"
        ),
        routes=(
            route("exact", errata.laplace_density, form=("printed", "corrected"), relation=">=",
                  how="quadrature of the density of Lap(2): distance of its mass from one"),
            route("sampled", errata.laplace_draws, form=("printed", "corrected"),
                  how="frequency of |x| ≤ 0.1 among draws of Laplace noise of scale 1/2, against the density"),
        ),
    ),
    Erratum(
        id="NL-SLIP-3", source="Section 1.3, proof of Theorem 4, Appendix D", section="1.3",
        effect="changed constant", claims=("NL-S3",),
        scope=(for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("deficit", 0, tried=[1e-3, 1000], inside=[1.0], letter="G")),
        at=corners.gumbel_law,
        definition=r"Gumbel$(\beta)$ as in Section 2, and line 16 of Algorithm 1",
        shown_at=r"$K=2$, $\varepsilon=1$, $G=(0,3)$: the second action has probability 0.182, printed is 0.047",
        printed=r"Report-noisy-max with Gumbel$(2/\varepsilon)$ selects $j$ with probability proportional to $e^{-\varepsilon G_j}$.",
        true=r"The probability is proportional to $e^{-\varepsilon G_j/2}$, where $G_j$ is the sum of the losses of action $j$. The printed distribution is that of Gumbel$(1/\varepsilon)$, which is $2\varepsilon$-private.",
        consequence=r"Theorem 4 holds: a factor 2 is lost here and won back in Lemma 3 (NL-SLIP-7), and $3+4(1+1/\ln2)\ln K/\varepsilon$ comes out either way. Corollary 1 holds with a smaller constant in the exponent (NL-SLIP-10).",
        correction=r"Gumbel$(2/\varepsilon)$ as in the algorithm, with its own distribution.",
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
            route("exact", errata.gumbel_law, rate=(1.0, 0.5), relation=">=",
                  how="quadrature of the definition, K = 2, ε = 1, G = (0, 3): distance from the softmax"),
            route("sampled", errata.gumbel_draws, rate=(1.0, 0.5),
                  how="draws of arg max −G + Q with numpy's Gumbel noise, K = 3, against the softmax"),
            route("exact", errata.softmax_privacy_loss, rate=(1.0, 0.5),
                  how="search for the worst privacy loss of the softmax: more than ε cannot be Gumbel(2/ε)"),
        ),
    ),
    Erratum(
        id="NL-SLIP-4", source="Section 1.3, with a reference to Lemma 4", section="1.3", effect="wording",
        claims=("NL-L1",),
        scope=(named("losses", "independent over actions"),),
        definition="line 16 of Algorithm 1 with $B=1$",
        shown_at="$K=2$, means $0.3$ and $0.6$, 8 rounds: the better action is the likelier one",
        printed=r"$P[J_r=j_1] \le P[J_r=j_2]$ for $j_1<j_2$ and means $\mu_{j_1}\le\mu_{j_2}$, which is said to be Lemma 4.",
        true=r"$P[J_r=j_1] \ge P[J_r=j_2]$, which is Lemma 1. Lemma 4 is the monotonicity of the binomial distribution function behind it.",
        consequence=r"None: Lemma 1 states it the right way round, and $P[J_r=j]\le1/j$ follows from that.",
        correction="Lemma 1.", reading="Lemma 1",
        example=(
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "law = selection_law([0.3, 0.6], rounds=8, noise='laplace', scale=2.0)\n"
            "law[0] > law[1]  # the better action is the likelier one"
        ),
        routes=(
            route("exact", errata.action_order, form=("printed", "corrected"),
                  how="binomial distributions enumerated, 27 settings, K = 2: smallest P(better) / P(worse)"),
            route("sampled", errata.order_draws, form=("printed", "corrected"),
                  how="an epoch of 16 Bernoulli rounds drawn: lower limit of P(better), more than 1/2"),
        ),
    ),
    Erratum(
        id="NL-SLIP-5", source="Section 2, Table 2, Corollaries 1 to 3, Theorem 4", section="2",
        effect="broken as printed", claims=("NL-P", "NL-S1", "NL-A2", "NL-Tab2"),
        scope=(for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), measured("tables", "two rounds of two actions")),
        at=corners.exponential_loss,
        definition="Definition 1: one whole loss vector is replaced",
        shown_at=r"$\varepsilon=1$, $K=2$, a block of two rounds with losses $(1,0)$ and then $(0,1)$ or $(1,0)$; the event that action 1 is selected: $1/2$ against $e^{-2}/2$",
        printed=r"With exponential noise Exp$(1/\varepsilon)$ Algorithm 1 is $\varepsilon$-differentially private.",
        true=r"It is $2\varepsilon$-private and no better. One round of losses $(0,1)$ or $(1,0)$ costs $\ln(2e^\varepsilon-1)$, two rounds cost $2\varepsilon$: a replaced vector moves scores in opposite directions.",
        consequence=r"The privacy statements with exponential noise fail at the stated $\varepsilon$. With Exp$(2/\varepsilon)$ all of them hold, and so do all rates.",
        correction=r"Exp$(2/\varepsilon)$, like Laplace and Gumbel noise.",
        cost=r"a factor 2 in the cost of privacy: the exact regret rises from 68 to 136 at $K=16$, gaps 1 and $\varepsilon=0.1$, and from 83 to 151 on Bernoulli losses with gaps 0.1",
        reading=r"scores that all move the same way, as counts do when a record is added or removed; not Definition 1, where a whole vector is replaced",
        example=(
            "from math import exp\n"
            "from replicate.mechanisms import report_noisy_max_pmf\n"
            "epsilon = 1.0\n"
            "one, other = report_noisy_max_pmf([[-1, -1], [-2, 0]], noise='exponential', scale=1 / epsilon)\n"
            "one[0] > exp(1.9 * epsilon) * other[0]  # losses (1, 0), then (0, 1) or (1, 0)"
        ),
        routes=(
            route("symbolic", errata.exponential_odds, calibration=("printed", "corrected"),
                  how="odds that one round turns, over exp(ε), in rational arithmetic at exp(ε) = 4"),
            route("exact", lemmas.exponential_loss, calibration=("printed", "corrected"),
                  how="worst privacy loss over all score vectors of two rounds, K = 2, ε = 1"),
            route("sampled", lemmas.exponential_by_literal_runs, calibration=("printed", "corrected"),
                  how="ε certified by runs of the literal learner, four rounds, ε = 1"),
            route("exact", regret.below_the_sum, learner=("exponential as printed", "exponential"),
                  how="least regret of every 1-DP learner over the exact regret, K = 2, T = 2 (sum form of Theorem 3)"),
        ),
    ),
    Erratum(
        id="NL-SLIP-7", source="proof of Lemma 3", section="2.2", effect="harmless", claims=("NL-S5",),
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("entry", 0, tried=[1e-3, 50], letter="a")),
        at=corners.lemma_3_integral,
        definition="the function $f$ of Lemma 2, with $a_1=0$",
        shown_at=r"$K=2$, $a=(0,\log2)$: the integral is 0.585, printed is 2; no $\varepsilon$ enters",
        printed=r"$\int_0^\infty f = \frac2{\log2}\log K$.",
        true=r"The integral is $\log(\sum_ie^{-a_i})/\log2 \le \log K/\log2$.",
        consequence=r"The lemma holds: its proof needs an upper bound only, and the true one is half of the printed value. With NL-SLIP-3 the factor cancels in Theorem 4.",
        correction="The integral's exact value.", cost="none: the bound improves",
        reading=r"“at most” for “equals”: as an upper bound the printed value holds, with a factor 2 to spare",
        example=(
            "import numpy as np\n"
            "from replicate.papers.noisy_leader.lemmas import lemma_integral\n"
            "a = np.array([0.0, np.log(2)])\n"
            "abs(lemma_integral(a) - np.log(1.5) / np.log(2)) < 1e-6 < 2 - lemma_integral(a)"
        ),
        routes=(
            route("exact", lemmas.lemma_3_integral, form=("printed", "corrected"), relation=">=",
                  how="adaptive quadrature on 46 vectors: distance from the stated value"),
            route("symbolic", errata.integral_series, form=("printed", "corrected"),
                  how="alternating series of log(3/2) against that of 2 log 2, a = (0, log 2), in rational arithmetic"),
        ),
    ),
    Erratum(
        id="NL-SLIP-8", source="Corollary 3, (9)", section="2.2", effect="broken as printed",
        claims=("NL-9", "NL-C3", "NL-S4"),
        scope=(named("losses", "the same vector in each round"), measured("epsilon", 1.0)),
        definition="the deterministic setting of Section 1.1, and Algorithm 1 with $B=1$, lines 9 to 13",
        shown_at=r"$K=2$, means $0.5$ and $0.501$, $\varepsilon=1$, $T=2^{40}-1$: the regret is at least 190, and the bound is 20 with the constants for $B=0$; the regret grows like $1/\Delta$",
        printed=r"On deterministic losses the regret is $O(\log^2K/\varepsilon)$; no $B$ is named, and Theorem 2, which the corollary extends, has $B=1$. It is derived from $P[J_r=j]\le c_1e^{-2^r\Delta_j\varepsilon/c_2}$.",
        true=r"The corollary holds for $B=0$. With $B=1$ a fixed loss of $1/2$ becomes a fair coin, (9) fails, and the regret grows like $1/\Delta$.",
        consequence=r"The corollary holds for $B=0$, with $(c_1,c_2)=(1,4)$, $(1/2,4)$, $(1/2,8)$ for Gumbel, exponential, Laplace noise; there Theorem 4 and our bound are better anyway.",
        correction=r"$B=0$ on deterministic losses.",
        cost=r"none; the correction gains: the regret is about 4, where with $B=1$ it is 9, 76 and 727 at $\Delta=0.1$, $0.01$ and $0.001$ ($K=2$, $\varepsilon=1$)",
        reading=r"$B=0$; or all means in $\{0,1\}$, where resampling changes nothing",
        example=(
            "from replicate.papers.noisy_leader import bounds\n"
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "law = selection_law([0.5, 0.55], rounds=512, noise='gumbel', scale=2.0)  # B = 1\n"
            "law[1] > 100 * bounds.equation_9(10, 0.05, epsilon=1.0, noise='gumbel')"
        ),
        routes=(
            route("exact", lemmas.equation_9, resample=(True, False), constant=1.0, relation=">=", knob="constant",
                  how="P(J = j) from convolved binomial distributions over (9), B = 1 against B = 0"),
            route("sampled", regret.corollary_3_resampled, resample=(True, False), constant=1.0, knob="constant",
                  how="lower limit, by bets, of the simulated regret over Corollary 3's bound, K = 2, gap 0.001, ε = 1"),
        ),
    ),
    Erratum(
        id="NL-SLIP-9", source="Appendix C", section="C", effect="changed constant", claims=("NL-T2", "NL-C1"),
        scope=(named("groups", "all sizes"),),
        definition="$r$ counts epochs, as in Algorithm 1: epoch $r$ has $2^{r-1}$ rounds",
        shown_at=r"$|H_l|=2$, $\Delta_{(l)}=1/2$, $c_2=16$: the step that inserts $\tau_l$ is wrong by a factor of $2^{38}$; no $\varepsilon$ enters",
        printed=r"$\tau_l = \lceil c_2\ln|H_l|/\Delta_{(l)}^2\rceil$ epochs; $\frac{8c_2\ln K+c_1c_2}{\Delta_{\min}}\sum_l2^{-(l-1)} = \frac{8c_2\ln K+c_1c_2}{\Delta_{\min}}$.",
        true=r"The number of epochs is $\tau_l = \lceil\log_2(c_2\ln(|H_l|+1)/\Delta_{(l)}^2)\rceil$, because $r$ counts epochs and $\ln1=0$; the series is 2.",
        consequence=r"The orders stand. A careful computation gives $(8c_2\ln K+2c_1c_2)/\Delta_{\min}$ for the statistical half of Theorem 2.",
        correction="Constants derived anew in `bounds.theorem_2`.",
        cost=r"none: a constant of the bound, $2c_1c_2$ for $c_1c_2$",
        reading=r"$\tau_l$ as a number of rounds, and the orders: these do not depend on either. The $2^{\tau_l+2}$ for $2^{\tau_l+1}$ is a true bound, and no error.",
        example=(
            "from math import ceil, log\n"
            "c2, size, gap = 16, 2, 0.5\n"
            "tau = ceil(c2 * log(size) / gap**2)  # an epoch index, says the proof\n"
            "2 ** (tau + 2) * gap > 1000 * 8 * c2 * log(size) / gap"
        ),
        routes=(
            route("symbolic", errata.geometric_sum, value=(1, 2),
                  how="partial sum of the geometric series over its stated value, in rational arithmetic"),
            route("exact", errata.epoch_index, form=("printed", "corrected"),
                  how="the step that takes the value of τ, evaluated: log₂ of its left side over its right"),
        ),
    ),
    Erratum(
        id="NL-SLIP-10", source="Appendix D", section="D", effect="changed constant", claims=("NL-E7", "NL-S2"),
        scope=(for_all("gap", 0, 1, tried=[1e-3], inside=[0.1]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("rounds", 1, tried=[2**7], inside=[2])),
        at=corners.tail_of_others,
        definition="$B=1$, Gumbel noise of scale $2/\\varepsilon$, losses of the two actions independent",
        shown_at=r"$K=2$, means $0.45$ and $0.55$, $\varepsilon=0.03$, an epoch of 4096 rounds: 1.2 times the display; the ratio is unbounded in $r$",
        printed=r"(7) is repeated with $2^r$ for $2^{r+1}$, and for Gumbel noise $P[J_r=j]\le e^{-2^{r-1}\Delta_j\varepsilon/2}+e^{-2^{r-1}\Delta_j^2/4}$.",
        true=r"The first exponent is $2^{r-1}\Delta_j\varepsilon/4$ (NL-SLIP-3). Altogether $P[J_r=j]\le2e^{-2^r\Delta_j\min(\Delta_j,\varepsilon)/8}$, so $c_2=16$ in (7), not 8. Both exponents of the losses use that the actions are independent; without that, $(c_1,c_2)=(1,32/3)$ holds (NL-F9).",
        consequence="Corollary 1 holds, with these constants. The printed display is exceeded by a factor that is unbounded in the epoch $r$.",
        correction=r"$(c_1,c_2)=(2,16)$, derived in `bounds`, or $(1,32/3)$.",
        cost="none: a constant of the bound, a factor 2", reading=r"deterministic losses, where the display holds",
        example=(
            "from math import exp\n"
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "n, gap, epsilon = 4096, 0.1, 0.03\n"
            "law = selection_law([0.45, 0.55], rounds=n, noise='gumbel', scale=2 / epsilon)\n"
            "law[1] > 1.2 * (exp(-n * gap * epsilon / 2) + exp(-n * gap**2 / 4))"
        ),
        routes=(
            route("exact", errata.gumbel_tail, rounds=4096, gap=0.1, epsilon=0.03, divisor=(2, 4),
                  how="exact P(J = 2) from convolved binomial distributions over the display, 4096 rounds, ε = 0.03, gap 0.1"),
            route("sampled", errata.gumbel_tail_draws, divisor=(2, 4),
                  how="drawn epochs: lower limit of the same probability over the display"),
            Route(
                kind="exact",
                how="largest exact P(J = 2) over (7), Gumbel and exponential: c₂ = 8 against 16",
                check=lemmas.equation_7, stated={"noises": ("gumbel", "exponential"), "c2": 8.0, "constant": 1.0, "relation": ">="}, control={"c2": "derived"},
                knob="constant",
            ),
        ),
    ),
    Erratum(
        id="NL-SLIP-11", source="Theorem 3, Appendix E", section="E", effect="unproved as printed",
        claims=("NL-T3i", "NL-T3s"),
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4])),
        at=corners.theorem_3_integral,
        definition="a lower bound for every $\\varepsilon$, as Theorem 3 states it",
        shown_at=r"$K=16$, $\varepsilon=2\ln K$: the last step gives $-1/2$; the factor $K$ at $K=2$, $\varepsilon=1$, $T=5$",
        printed=r"$\int_1^{T+1}\frac{K(K-1)}{e^{t\varepsilon}+K-1}dt = \frac1\varepsilon\ln(\cdot)$, for $t\ge T$; as $T\to\infty$ at least $\ln K/\varepsilon-1=\Omega(\ln K/\varepsilon)$.",
        true=r"The factor $K$ is wrong, and $t\le T$ is meant. The last step is not informative for $\varepsilon\ge\ln K$. The action of round $t$ has seen $t-1$ losses: $\frac1\varepsilon\ln\frac{Ke^{T\varepsilon}}{e^{T\varepsilon}+K-1}$ holds and tends to $\ln K/\varepsilon$ for every $\varepsilon$.",
        consequence=r"The printed proof covers $\varepsilon<\ln K$ only; the corrected forms cover every $\varepsilon$. The factor $K$ does not enter the closed form, which is right.",
        correction="We have three forms: the printed closed form, the same with one observation fewer, and the sum before the integral.",
        cost="none: the bound is larger", reading=r"$\varepsilon\le c\ln K$ with $c<1$, and $T$ large enough",
        example=(
            "from replicate.papers.noisy_leader import bounds\n"
            "setting = {'n_actions': 16, 'epsilon': 6.0}\n"
            "bounds.theorem_3_limit(**setting) < 0 < bounds.theorem_3_integral(**setting, horizon=100)"
        ),
        routes=(
            route("exact", errata.integrand, factor=("K", "1"),
                  how="quadrature of the last integrand: relative distance from the closed form"),
            route("exact", errata.integrand_against_a_learner, factor=("K", "1"),
                  how="that integral over the exact regret of an ε-DP learner: it would exclude report-noisy-max"),
            route("exact", errata.last_step, form=("printed", "corrected"),
                  how="one less the limit of the bound at ε = 2 ln K: at least 1 where it says nothing"),
        ),
    ),
    Erratum(
        id="NL-SLIP-12", source="misprints: Appendix D, proofs of Lemma 1 and Theorems 3 and 4, Section 1",
        section="D", effect="wording",
        scope=(named("formulas", "the five that are named"),),
        printed=r"In the Gumbel proof $\exp(-\varepsilon(-G_{r,j}))$; the complement of an event bounded as $P[G_{r,j}-G_{r,1}]$; $F_{N_{r,j_2}}$ equated to an integral over $j_1$; indices $i$, $j$ and $l$, $l'$ exchanged; a lower bound written $O(\cdot)$.",
        true=r"$\exp(\varepsilon(-G_{r,j}))$, as one line above; $P[G_{r,j}-G_{r,1}<2^{r-1}\Delta_j/2]$; $F_{N_{r,j_1}}$; indices as the lines before; $\Omega(\cdot)$.",
        consequence="None.",
        correction="Read as meant.", reading="the neighbouring lines of the paper",
        example=(
            "from math import exp\n"
            "G, epsilon = (0.0, 3.0), 1.0\n"
            "printed = exp(-epsilon * -G[1]) / sum(exp(-epsilon * -g) for g in G)\n"
            "printed > 0.9  # the action that lost more"
        ),
        routes=(
            route("exact", errata.swapped_sign, sign=(1, -1),
                  how="P(worse action) by the misprinted display over the display before it"),
            route("sampled", errata.swapped_sign_draws, sign=(1, -1),
                  how="the misprinted display against draws of the exponential mechanism"),
        ),
    ),
    Erratum(
        id="NL-SLIP-13", source="Theorem 3", section="2.2", effect="wording", claims=("NL-T3a",),
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[1]), for_all("horizon", Border(r"\ln K/\varepsilon", lambda n_actions, epsilon: math.log(n_actions) / epsilon), tried=[2**59])),
        at=corners.order_of_theorem_3,
        definition="the regret of Section 1.1 after $T$ rounds with losses in $[0,1]$",
        shown_at=r"$T=1$, any learner, $\varepsilon = c_1\ln K/2$: the regret is at most 1, and the bound is 2",
        printed=r"For every $\varepsilon$-DP learner and every $K$ there are means with regret at least $c_1\log K/\varepsilon$, $c_1$ universal; $T$ is not restricted.",
        true=r"The theorem holds for $T\ge\ln K/\varepsilon$, with $c_1 = \ln(4/3)/\ln2 = 0.415$.",
        consequence="None for what the theorem is used for: a lower bound for long horizons.",
        correction=r"$T\ge\ln K/\varepsilon$, or the closed forms, which hold for every $T$.",
        reading=r"$T$ at least of the order $\ln K/\varepsilon$, or $T\to\infty$, as the end of Appendix E has it",
        example=(
            "from math import log\n"
            "c, K, T = 0.01, 16, 1\n"
            "epsilon = c * log(K) / 2\n"
            "c * log(K) / epsilon > T  # no learner loses more than T"
        ),
        routes=(
            route("symbolic", errata.theorem_3_at_once, horizon=("1", "ln K / epsilon"),
                  how="the stated bound over the most that any learner can lose in one round"),
            route("exact", errata.theorem_3_of_a_learner, horizon=("1", "ln K / epsilon"),
                  how="the stated bound over the exact regret of an ε-DP learner after one round"),
        ),
    ),
    Erratum(
        id="NL-SLIP-14", source="Theorem 4, Corollary 3", section="2.2", effect="wording",
        claims=("NL-T4", "NL-C3"),
        scope=(for_all("n_actions", 2, tried=[3, 1024]), for_all("gap", 0, 1, tried=[1e-3], inside=[0.1]), for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4]), named("losses", "the same vector in each round")),
        at=corners.theorem_4,
        definition=r"$O(\cdot)$ uniform in $\varepsilon$, as Section 1.1 asks for rates in $\varepsilon$, $\Delta_{\min}$, $K$, $T$",
        shown_at=r"$K=2$, gap 1, $\varepsilon = 4C\ln2$: the first round costs $1/2$, the bound $C\ln2/\varepsilon$ is $1/4$",
        printed=r"On deterministic losses the regret is $O(\log K/\varepsilon)$, in Corollary 3 $O(\log^2K/\varepsilon)$; $\varepsilon$ is not restricted.",
        true=r"The regret is $O(1+\log K/\varepsilon)$: the first action is uniform, so round 1 alone costs the mean of the gaps.",
        consequence=r"None for $\varepsilon = O(\log K)$; the proof itself has the term 3.",
        correction="The constant is kept in the bounds.",
        reading=r"$\varepsilon\le\log K$, the usual range, or losses small against $\log K/\varepsilon$",
        example=(
            "from math import log\n"
            "from replicate.papers.noisy_leader import exact_regret\n"
            "C = 1000\n"
            "epsilon = 4 * C * log(2)\n"
            "exact_regret([0.0, 1.0], epsilon=epsilon, horizon=100).final[0] > 1.9 * C * log(2) / epsilon"
        ),
        routes=(
            route("exact", errata.first_round, form=("printed", "corrected"),
                  how="exact regret over C ln K / ε at ε = 4 C ln K, for C up to 1000"),
            route("sampled", errata.first_action, form=("printed", "corrected"),
                  how="first actions of the literal learner: lower limit of what round 1 costs, ε = 100"),
        ),
    ),
)
