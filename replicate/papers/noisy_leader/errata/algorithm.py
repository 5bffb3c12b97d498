"""Errata on the algorithm: its loop, the laws of its noises, the order of its actions, its privacy."""

from __future__ import annotations

from replicate.claims.errata import Erratum, route
from replicate.claims.scope import for_all, measured, named
from replicate.papers.noisy_leader.checks import corners, privacy, regret
from replicate.papers.noisy_leader.checks.errata import algorithm

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="NL-SLIP-1",
        scope=(for_all("horizon", 1, tried=[2**59], inside=[2, 3, 4]),), at=corners.epoch_count,
        source="Algorithm 1, line 4",
        printed=r"The loop runs over $r = 1, \dots, \lceil\log_2(T-1)\rceil + 1$.",
        true=r"$\lceil\log_2(T+1)\rceil$ epochs hold the rounds $1, \dots, T$. The printed number is undefined for $T=1$, too small for $T=2$, and one too many for $2^k+2 \le T \le 2^{k+1}-1$.",
        effect="harmless",
        consequence="None for the theorems: their learner does not know the horizon.",
        correction="Epochs for as long as there are rounds, the last one cut at the horizon.",
        reading=r"none found; it is right for $T = 2^k$, $k\ge2$, and $T = 2^k + 1$, $k\ge1$",
        example=(
            "from math import ceil, log2\n"
            "T = 2\n"
            "epochs = ceil(log2(T - 1)) + 1\n"
            "last_round = 2**epochs - 1\n"
            "last_round < T  # round 2 is never played"
        ),
        section="1",
        definition="Algorithm 1, lines 4 to 6: epoch $r$ holds the rounds $2^{r-1}$ to $2^r-1$",
        shown_at="$T=2$: one epoch, round 2 is never played; $T=6$: a fourth epoch that begins at round 8",
        routes=(
            route("symbolic", algorithm.epoch_count, form=("printed", "corrected"),
                  how="bit lengths of integers, horizons 2 to 4096: wrong numbers of epochs"),
            route("exact", algorithm.epoch_loop, form=("printed", "corrected"),
                  how="the loop itself, horizons 1 to 64: runs that stop early, begin an epoch too late, or raise"),
        ),
        claims=("NL-S6",),
    ),
    Erratum(
        id="NL-SLIP-2",
        scope=(measured("scale", 0.5, 2.0, letter=r"\beta"),),
        source="Section 1.2",
        printed=r"Lap$(\beta)$ has density $\frac\beta2 e^{-|x|/\beta}$.",
        true=r"$\frac1{2\beta}e^{-|x|/\beta}$; the printed function integrates to $\beta^2$.",
        effect="harmless",
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
        section="1.2",
        definition="a density integrates to one",
        shown_at=r"$\beta=2$, that is $\varepsilon=1$: mass 4",
        routes=(
            route("exact", algorithm.laplace_density, form=("printed", "corrected"), relation=">=",
                  how="quadrature of the density of Lap(2): distance of its mass from one"),
            route("sampled", algorithm.laplace_draws, form=("printed", "corrected"),
                  how="frequency of |x| ≤ 0.1 among draws of Laplace noise of scale 1/2, against the density"),
        ),
        claims=("NL-S7",),
    ),
    Erratum(
        id="NL-SLIP-3",
        scope=(for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), for_all("deficit", 0, tried=[1e-3, 1000], inside=[1.0], letter="G")), at=corners.gumbel_law,
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
        section="1.3",
        definition=r"Gumbel$(\beta)$ as in Section 2, and line 16 of Algorithm 1",
        shown_at=r"$K=2$, $\varepsilon=1$, $G=(0,3)$: the second action has probability 0.182, printed is 0.047",
        routes=(
            route("exact", algorithm.gumbel_law, rate=(1.0, 0.5), relation=">=",
                  how="quadrature of the definition, K = 2, ε = 1, G = (0, 3): distance from the softmax"),
            route("sampled", algorithm.gumbel_draws, rate=(1.0, 0.5),
                  how="draws of arg max −G + Q with numpy's Gumbel noise, K = 3, against the softmax"),
            route("exact", algorithm.softmax_privacy_loss, rate=(1.0, 0.5),
                  how="search for the worst privacy loss of the softmax: more than ε cannot be Gumbel(2/ε)"),
        ),
        claims=("NL-S3",),
    ),
    Erratum(
        id="NL-SLIP-4",
        scope=(named("losses", "independent over actions"),),
        source="Section 1.3, with a reference to Lemma 4",
        printed=r"$P[J_r=j_1] \le P[J_r=j_2]$ for $j_1<j_2$, $\mu_{j_1}\le\mu_{j_2}$, said to be Lemma 4.",
        true=r"$P[J_r=j_1] \ge P[J_r=j_2]$, which is Lemma 1. Lemma 4 is the monotonicity of the binomial distribution function behind it.",
        effect="wording",
        consequence=r"None: Lemma 1 states it the right way round, and $P[J_r=j]\le1/j$ follows from that.",
        correction="Lemma 1.",
        reading="Lemma 1",
        example=(
            "from replicate.papers.noisy_leader.lemmas import selection_law\n"
            "law = selection_law([0.3, 0.6], rounds=8, noise='laplace', scale=2.0)\n"
            "law[0] > law[1]  # the better action is the likelier one"
        ),
        section="1.3",
        definition="line 16 of Algorithm 1 with $B=1$",
        shown_at="$K=2$, means $0.3$ and $0.6$, 8 rounds: the better action is the likelier one",
        routes=(
            route("exact", algorithm.action_order, form=("printed", "corrected"),
                  how="binomial laws enumerated, 27 settings, K = 2: smallest P(better) / P(worse)"),
            route("sampled", algorithm.order_draws, form=("printed", "corrected"),
                  how="an epoch of 16 Bernoulli rounds drawn: lower limit of P(better), more than 1/2"),
        ),
        claims=("NL-L1",),
    ),
    Erratum(
        id="NL-SLIP-5",
        scope=(for_all("epsilon", 0, tried=[1e-3, 100], inside=[0.1, 1]), measured("tables", "two rounds of two actions")), at=corners.exponential_loss,
        source="Section 2, Table 2, Corollaries 1 to 3, Theorem 4",
        printed=r"With exponential noise Exp$(1/\varepsilon)$ Algorithm 1 is $\varepsilon$-differentially private.",
        true=r"It is $2\varepsilon$-private and no better. One round of losses $(0,1)$ or $(1,0)$ costs $\ln(2e^\varepsilon-1)$, two rounds cost $2\varepsilon$: a replaced vector moves scores in opposite directions.",
        effect="broken as printed",
        consequence=r"The privacy statements with exponential noise fail at the stated $\varepsilon$. With Exp$(2/\varepsilon)$ all of them hold, and so do all rates.",
        correction=r"Exp$(2/\varepsilon)$, like Laplace and Gumbel noise.",
        cost=r"a factor 2 in the cost of privacy: exact regret 136 for 68 at $K=16$, gaps 1, $\varepsilon=0.1$; 151 for 83 on Bernoulli losses with gaps 0.1",
        reading=r"scores that all move the same way, as counts do when a record is added or removed; not Definition 1, where a whole vector is replaced",
        example=(
            "from math import exp\n"
            "from replicate.mechanisms import report_noisy_max_pmf\n"
            "epsilon = 1.0\n"
            "one, other = report_noisy_max_pmf([[-1, -1], [-2, 0]], noise='exponential', scale=1 / epsilon)\n"
            "one[0] > exp(1.9 * epsilon) * other[0]  # losses (1, 0), then (0, 1) or (1, 0)"
        ),
        section="2",
        definition="Definition 1: one whole loss vector is replaced",
        shown_at=r"$\varepsilon=1$, $K=2$, a block of two rounds with losses $(1,0)$ and then $(0,1)$ or $(1,0)$; the event that action 1 is selected: $1/2$ against $e^{-2}/2$",
        routes=(
            route("symbolic", algorithm.exponential_odds, calibration=("printed", "corrected"),
                  how="odds that one round turns, over exp(ε), in rational arithmetic at exp(ε) = 4"),
            route("exact", privacy.exponential_loss, calibration=("printed", "corrected"),
                  how="worst privacy loss over all score vectors of two rounds, K = 2, ε = 1"),
            route("sampled", privacy.exponential_by_literal_runs, calibration=("printed", "corrected"),
                  how="ε certified by runs of the literal learner, four rounds, ε = 1"),
            route("exact", regret.below_the_sum, learner=("exponential as printed", "exponential"),
                  how="least regret of every 1-DP learner over the exact regret, K = 2, T = 2 (sum form of Theorem 3)"),
        ),
        claims=("NL-P", "NL-S1", "NL-A2", "NL-Tab2"),
    ),
)
