"""The paper's errata, in its order: at least two routes to each, its correction and the cost of that."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.distribution_learning.checks import errata, privacy, regret

_COST = r"about 2 % of the risk at $T=10^{12}$, under a quarter with certainty (DL-S4)"

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="DL-SLIP-1",
        source="Theorem 1",
        printed=r"for every $\varepsilon$ some class of size $K$ costs every scheme $\Omega(\sqrt{KT}/\varepsilon)$",
        true=r"for $\varepsilon\le1$, with constant $1/820$; Theorem 3 has the right shape, $e^{-\varepsilon/2}$, throughout",
        effect="broken as printed",
        consequence=r"False for large $\varepsilon$: at $\varepsilon=40$ and $T=10^{12}$ nothing is hidden and the risk is about $\log2K$.",
        correction=r"$\varepsilon\le1$",
        cost="none (a lower bound)",
        reading=r"$\varepsilon\le1$, the regime the introduction speaks of.",
        example="from replicate.papers.distribution_learning import bounds\nT, epsilon = 10**12, 40.0\n(4 * T) ** 0.5 / (820 * epsilon) > 10**6 * bounds.theorem_3(n_pairs=4, horizon=T, epsilon=epsilon)",
        routes=(
            Route(
                kind="sampled",
                how=r"upper limit of the risk of randomised response on the paper's class, $\varepsilon=40$, against $\sqrt{KT}/(820\,\varepsilon)$; control $\varepsilon=13.5$",
                check=regret.theorem_1, stated={"epsilon": 40.0}, control={"epsilon": 13.5},
            ),
            Route(
                kind="exact",
                how=r"the form of Theorem 1 over what Theorem 3 proves, $\varepsilon=40$; control $\varepsilon=4.4$",
                check=errata.large_epsilon_form, stated={"epsilon": 40.0}, control={"epsilon": 4.4},
            ),
        ),
        claims=("DL-T1",),
    ),
    Erratum(
        id="DL-SLIP-2",
        source="Theorem 2",
        printed=r"risk $O(\varepsilon^{-1}\sqrt{KT\log^5(KT)})$ for every $\varepsilon$",
        true=r"for $\varepsilon\le\log(KT)$; beyond, a term $\log(KT)\sqrt{2TK\log K}$ remains",
        effect="wording",
        consequence=r"No risk vanishes with $1/\varepsilon$: the first prediction is made without data.",
        correction=r"constant 12 for $\varepsilon\le1$ (DL-T12)",
        cost=r"none for $\varepsilon\le1$",
        reading=r"$\varepsilon$ bounded.",
        example="from math import log, sqrt\nK, T, epsilon = 2, 100, 1e5\n12 / epsilon * sqrt(K * T * log(K * T) ** 5) < log(2)",
        routes=(
            Route(
                kind="exact",
                how=r"least worst-case risk of the first round, two disjoint laws, over the printed form at $\varepsilon=10^5$; control $\varepsilon=15{,}500$",
                check=errata.first_prediction, stated={"epsilon": 1e5}, control={"epsilon": 1.55e4},
            ),
            Route(
                kind="symbolic", how=r"the first route from $p(1-p)\le1/4$, in fractions",
                check=errata.first_prediction_fraction, stated={"epsilon": 1e5}, control={"epsilon": 1.55e4},
            ),
        ),
        claims=("DL-T12",),
    ),
    Erratum(
        id="DL-SLIP-3",
        source="Section 3, Theorem 3",
        printed=r"a class of size $K$ on at most $K$ labels",
        true=r"the construction has $2K$ hypotheses on $N$ labels, $K+1\le N\le2K$",
        effect="changed constant",
        consequence=r"For a class of size $K$ read $\lfloor K/2\rfloor$ pairs.",
        correction=r"$K$ counts pairs",
        cost=r"a factor $\sqrt2$ in the lower bound",
        reading=r"$K$ pairs.",
        example="from replicate.papers.distribution_learning import hadamard_class\nK = 8\nlen(hadamard_class(K, 0.3)) == 2 * K",
        routes=(
            Route(
                kind="exact",
                how=r"distinct laws in the class built with $K$ pairs, and their labels, over $K=8$; control $\lfloor K/2\rfloor$ pairs",
                check=errata.hypotheses_in_class, stated={"pairs_over_k": 1.0}, control={"pairs_over_k": 0.5},
            ),
            Route(
                kind="symbolic",
                how=r"two laws for each orthogonal column but the constant one, whole-number matrices, over $K$",
                check=errata.pairs_of_columns, stated={"pairs_over_k": 1.0}, control={"pairs_over_k": 0.5},
            ),
        ),
        claims=("DL-T3",),
    ),
    Erratum(
        id="DL-SLIP-4",
        source="(22)(a)",
        printed=r"$x-x^2\le\log(1+x)$ for $x\ge0$",
        true=r"used at negative $x\ge-\frac12$, where it still holds",
        effect="harmless",
        consequence="None.",
        correction=r"$x\ge-\frac12$",
        cost="none",
        reading=r"$x\ge-\frac12$.",
        example="after, before = 0.75 * 0.75 + 0.25 * 0.25, 0.75\nx = after / before - 1\nx < 0",
        routes=(
            Route(
                kind="exact",
                how=r"$-x$ at the smallest $x$ used, randomised response on the Hadamard class, against 0; control: against 0.077",
                check=errata.log_step, stated={"domain": 0.0}, control={"domain": -0.077},
            ),
            Route(
                kind="symbolic", how="two labels and a coin that errs with probability 1/4, in fractions; control: against 0.17",
                check=errata.log_step_fraction, stated={"domain": 0.0}, control={"domain": -0.17},
            ),
        ),
    ),
    Erratum(
        id="DL-SLIP-5",
        source="(23), step (c)",
        printed=r"factor $\min\{(e^\varepsilon-1)^2,1\}$",
        true=r"$\min\{(e^\varepsilon-1)^2,2\}$; exactly $2\tanh^2(\varepsilon/2)$",
        effect="harmless",
        consequence=r"False for $\varepsilon>1.763$; the constant 132 survives, since (24) uses Pinsker's inequality with a factor 4 to spare (its $<1/3$ is $=1/3$, and (19) gives $a/8$).",
        correction=r"2 in place of 1",
        cost="none",
        reading=r"$\varepsilon\le1.763$.",
        example="import numpy as np\nfrom replicate.papers.distribution_learning.lemmas import spread_ratio\nspread_ratio(np.array([20.0] + [1.0] * 20)) > 1",
        routes=(
            Route(
                kind="exact",
                how=r"spread of symbols with two levels in ratio $e^3$ over 32 labels, against the factor at $\varepsilon=3$; control: the exact factor at $\varepsilon=3$",
                check=regret.step_c, stated={"epsilon": 3.0, "factor": "printed"}, control={"factor": "exact"},
            ),
            Route(
                kind="symbolic",
                how=r"one label of 21 twenty times likelier, $\varepsilon=\log20$, in fractions over the factor",
                check=errata.step_c_fraction, stated={"factor": 1}, control={"factor": 2},
            ),
        ),
        claims=("DL-S3",),
    ),
    Erratum(
        id="DL-SLIP-6",
        source="(7) and the line before",
        printed=r"$N'\le KM$, density at least $1/(TKM)$, range $\log(KT)$",
        true=r"$N'\le\min\{M^2,(K+1)M-K\}$; range at most $\log(TN'/M)\le\log((K+1)T)$",
        effect="changed constant",
        consequence=r"Every $\log(KT)$ of Theorems 4 to 6 becomes $\log((K+1)T)$, else messages leave $[0,1]$.",
        correction=r"$\log((K+1)T)$, or the public $\log(TN'/M)$ of the class",
        cost=_COST,
        reading=r"$M\le K$, or no ceilings.",
        example="from math import ceil\nf, M = ((0.5, 0.5, 0), (0, 0, 1)), 3\nsum(ceil(M * max(row[y] for row in f)) for y in range(M)) > 2 * M",
        routes=(
            Route(
                kind="exact", how=r"$N'$ of the clipping map over $KM$, $K=2$, $M=3$; control: a Dirichlet class",
                check=privacy.n_cells, stated={"hypotheses": "three labels"},
                control={"hypotheses": "Dirichlet(0.3), K=4, M=8"},
            ),
            Route(
                kind="symbolic", how=r"that sum of ceilings in fractions, over $KM$ and over $(K+1)M-K$",
                check=errata.n_cells_fraction, stated={"limit": "KM"}, control={"limit": "(K+1)M-K"},
            ),
        ),
        claims=("DL-7", "DL-7c", "DL-T4", "DL-T5", "DL-T6", "DL-KM"),
    ),
    Erratum(
        id="DL-SLIP-7",
        source="(8) and Lemma 3",
        printed=r"scale $(2\sqrt{2K\ln(1/\delta)}+\sqrt{K\varepsilon})\log(KT)/\varepsilon$; its proof has $2\sqrt{K\ln(1/\delta)}$",
        true="either suffices; the exact composition of $K$ Laplace mechanisms requires 2.7 to 8 times less",
        effect="harmless",
        consequence="Lemma 3 is true, even with the sensitivity of DL-SLIP-6; Algorithm 1 adds noise that privacy does not need.",
        correction=r"(8) as printed with $\log((K+1)T)$; `calibration='tight'` uses exact composition",
        cost=r"none; tight noise cuts the risk of Algorithm 1 about eightfold at $K=4$",
        reading="(8) as it stands.",
        example="from replicate.mechanisms.composition import laplace_scale\nfrom replicate.papers.distribution_learning.bounds import printed_unit_scale\nprinted_unit_scale(n_hypotheses=8, epsilon=1.0, delta=0.01) > 2.5 * laplace_scale(8, epsilon=1.0, delta=0.01)",
        routes=(
            Route(
                kind="exact",
                how=r"noise of (8) over the exact requirement, smallest over $K$ and $\delta$; control: the noise of the proof",
                check=errata.noise_of_eight, stated={"calibration": "printed"}, control={"calibration": "proof"},
            ),
            Route(
                kind="symbolic",
                how=r"$\varepsilon$ over what Lemma 2 says of the noise of (8), and of that of the proof, $K=2$, $\varepsilon=\frac12$, $\delta=e^{-9}$, in fractions",
                check=errata.noise_of_eight_fraction, stated={"under_root": 2}, control={"under_root": 1},
            ),
        ),
        claims=("DL-L3", "DL-S2"),
    ),
    Erratum(
        id="DL-SLIP-8",
        source="(10), (31)",
        printed=r"$-T\log(1-1/T)\le\log(KT)$, and a last term $\log(KT)/(KTM)$",
        true=r"the first for $T\ge2$; the last term is up to $\log(KT)/T$",
        effect="harmless",
        consequence=r"None: at $T=1$ the left side is infinite, and the sum of (31) over rounds is taken as $2\log(KT)$, which has room.",
        correction=r"$T\ge2$, $\log(KT)/T$",
        cost="none",
        reading=r"$T\ge2$; the term as $\log(KT)/T$.",
        example="from fractions import Fraction\nK, T = 2, 1\n(1 - Fraction(1, T)) ** T * K * T < 1",
        routes=(
            Route(
                kind="exact", how=r"$-T\log(1-1/T)$ against $\log(KT)$ at $T=1$; control $T=2$",
                check=errata.one_round, stated={"horizon": 1}, control={"horizon": 2},
            ),
            Route(
                kind="symbolic", how=r"$1-KT(1-1/T)^T$ in fractions at $T=1$; control $T=2$",
                check=errata.one_round_fraction, stated={"horizon": 1}, control={"horizon": 2},
            ),
            Route(
                kind="exact",
                how=r"the uniform cell's share of (31) over $\log(KT)/(KTM)$, one law against 49 labels; control: over $\log(KT)/T$",
                check=errata.last_term, stated={"denominator": "KTM"}, control={"denominator": "T"},
            ),
        ),
    ),
    Erratum(
        id="DL-SLIP-9",
        source="Lemma 6",
        printed=r"Algorithm 2 with Laplace noise of scale $\log(KT)/\varepsilon$ is $\varepsilon$-locally private",
        true=r"with $\log((K+1)T)/\varepsilon$; as printed its privacy loss is up to 6.5 % larger on classes with disjoint supports",
        effect="broken as printed",
        consequence=r"A consequence of DL-SLIP-6: $1.017\,\varepsilon$ for $K=2$, $M=3$, $T=100$; $1.06\,\varepsilon$ for one law against 49 labels. An ordinary event: a noisy value beyond the outermost atom.",
        correction=r"scale $\log((K+1)T)/\varepsilon$",
        cost=_COST,
        reading=r"$M\le K$, or $\varepsilon\log((K+1)T)/\log(KT)$ in place of $\varepsilon$.",
        example="from replicate.papers.distribution_learning import privacy_loss\nthree_labels = [[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]\nprivacy_loss(three_labels, epsilon=1.0, horizon=100, calibration='printed') > 1.01",
        routes=(
            Route(
                kind="exact", how=r"exact loss over $\varepsilon$, $K=2$, $M=3$, $T=100$",
                check=privacy.three_labels, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="sampled",
                how=r"loss over $\varepsilon$ that a million messages certify, one law against 49 labels, $T=100$, $\varepsilon=2$",
                check=privacy.audited_coordinate, stated={"calibration": "printed", "relation": ">="},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("DL-L6", "DL-S1", "DL-A1", "DL-A1p"),
    ),
    Erratum(
        id="DL-SLIP-10",
        source="Theorem 4's proof and Appendix B",
        printed=r"$\mathcal E$ is the event that all noises stay within $c'$ in one place, its complement in the other",
        true=r"probability at least $1-e^{-\gamma}$ in the proof, at most $e^{-\gamma}$ in the appendix",
        effect="wording",
        consequence="None. Nor does Algorithm 2 lack an importance weight $1/K$: Lemma 7's factor $K$ stands in for it.",
        correction=r"the good event throughout",
        cost="none",
        reading="Either, if kept.",
        example="from math import exp, log\nK, T = 4, 100\ninside = (1 - exp(-(2 * log(T) + log(K)))) ** (K * T)\ninside > 1 / T",
        routes=(
            Route(
                kind="exact",
                how=r"probability that all $KT$ noises stay within $c'$: it is not the event of probability $e^{-\gamma}$; control: its complement",
                check=errata.event_probability, stated={"event": "inside"}, control={"event": "outside"},
            ),
            Route(
                kind="sampled", how="that probability, counted over 20,000 arrays of noise",
                check=errata.event_frequency, stated={"event": "inside"}, control={"event": "outside"},
            ),
        ),
    ),
)
