"""Errata in Sections 4 and 5 and Appendix B, and in the wording of Algorithm 2."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.tracking.checks import errata, lemmas, privacy

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="TR-SLIP-6",
        source="Theorem 4.1",
        printed=r"at most $(NT)^{2S}$ meta-experts",
        true=r"$N\sum_{k\le S}\binom{T-1}{k}(N-1)^k$ distinct ones: below $(NT)^{2S}$ for $S\ge1$, and $N>1$ for $S=0$; the printed list repeats sequences and is longer for $S=T=1$",
        effect="harmless",
        consequence="None for the rate; the exact logarithm is about half as large, so the regret stated with it is smaller.",
        correction="each sequence once, exact count",
        cost=r"none; a gain of up to $\sqrt2$ in the first term",
        reading=r"$S\ge1$ and $T\ge2$.",
        example="from replicate.papers.tracking.algorithms.switching import count_sequences\nN, T, S = 2, 10, 0\ncount_sequences(T, N, S) > (N * T) ** (2 * S)",
        routes=(
            Route(
                kind="exact",
                how=r"distinct sequences without a switch, listed one by one, against $(NT)^0+1$; control $S=1$",
                check=errata.list_distinct, stated={"n_switches": 0}, control={"n_switches": 1},
            ),
            Route(
                kind="symbolic", how="the binomial count in whole numbers against the same; control $S=1$",
                check=lemmas.counterexample,
                stated={"n_actions": 2, "horizon": 10, "n_switches": 0, "sequences": "distinct"},
                control={"n_switches": 1},
            ),
            Route(
                kind="exact",
                how="the printed list with its repetitions, listed one by one, $S=T=1$; control $S=2$, $T=4$",
                check=errata.list_repeated, stated={"n_switches": 1}, control={"n_switches": 2},
            ),
        ),
        claims=("TR-S2", "TR-S3"),
    ),
    Erratum(
        id="TR-SLIP-7",
        source="Theorem 5.1",
        printed=r"$S\ge0$, $N\ge2T/S$, factor $S$; and, in contrast, Theorem B.2 is sublinear for $\varepsilon\le\sqrt{S/T}$",
        true=r"the proof runs $S+1$ copies: $N\ge2T/(S+1)$, factor $S+1$; there Theorem B.2 exceeds $T$, and Corollary 4.1.1 makes the contrast",
        effect="harmless",
        consequence=r"Undefined and empty at $S=0$ as printed; otherwise a factor $(S+1)/S$. The separation stands.",
        correction=r"$S+1$ in both places; Corollary 4.1.1 for contrast",
        cost="none (a lower bound)",
        reading=r"$S$ counts stretches, not switches.",
        example="from replicate.papers.tracking import bounds\nT, S, N = 10**12, 4, 16\nepsilon = (S / T) ** 0.5\nsizes = {'n_actions': N, 'horizon': T, 'n_switches': S}\nrate = bounds.mirror_descent_rate(epsilon=epsilon, **sizes)\nbounds.theorem_b2(noise=1 / epsilon, learning_rate=rate, **sizes) > T",
        routes=(
            Route(
                kind="exact", how=r"experts asked for at $S=1$ over those that the duel uses, counted; control: $S+1$ copies",
                check=errata.needed_experts, stated={"copies": 1}, control={"copies": 2},
            ),
            Route(
                kind="exact",
                how=r"the comparator's loss plus 1 when a learner plays a new pair every round and $N=2T/(S+1)$; control: two experts fewer",
                check=errata.untouched_pairs, stated={"missing_pairs": 0}, control={"missing_pairs": 1},
            ),
            Route(
                kind="exact",
                how=r"stated regret over $T$ at $\varepsilon=\sqrt{S/T}$: Theorem B.2; control: the reduction with L2P",
                check=errata.contrast, stated={"learner": "Algorithm 3"}, control={"learner": "L2P"},
            ),
        ),
        claims=("TR-T51",),
    ),
    Erratum(
        id="TR-SLIP-8",
        source="Theorems 5.2 and B.2, privacy of Algorithm 3",
        printed=r"each loss vector has sensitivity 1, so Laplace$(1/\varepsilon)$ on every coordinate is $\varepsilon$-private",
        true=r"its $\ell_1$ sensitivity is $N$: the noisy vector costs $N\varepsilon$, the plays up to $\min(2\lfloor N/2\rfloor\varepsilon,\,2\eta(T-1))$",
        effect="broken as printed",
        consequence=r"The plays certifiably exceed $\varepsilon$: $1.05\,\varepsilon$ exactly for two experts, more by sampling for six and for two hundred.",
        correction=r"Laplace$(N/\varepsilon)$ noise: the printed learner at $\varepsilon/N$",
        cost=r"a factor $N$ in both terms: for $N=2$, $T=2^{18}$, $\varepsilon=0.9$ bound 326,000 to 653,000, measured regret 28,700 to 57,100",
        reading="Neighbours that differ in one expert's loss in one round.",
        example="from replicate.papers.tracking.privacy.exact import mirror_loss\nmirror_loss(horizon=64, n_switches=2, epsilon=0.9, calibration='printed', cells=400) > 1.04 * 0.9",
        routes=(
            Route(
                kind="exact", how=r"log ratio over $\varepsilon$ of one event, two experts, by a forward filter",
                check=privacy.mirror_event, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="sampled", how=r"certified loss of the plays over $\varepsilon$, six experts in eight rounds",
                check=privacy.mirror, stated={"calibration": "printed", "relation": ">="},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="symbolic",
                how=r"largest $\ell_1$ distance of two loss vectors, two experts, all listed; control: one",
                check=errata.rows_move, stated={"n_actions": 2}, control={"n_actions": 1},
            ),
        ),
        claims=("TR-P3", "TR-P3n", "TR-P3c", "TR-T52c", "TR-A4", "TR-A4p"),
    ),
    Erratum(
        id="TR-SLIP-9",
        source="Appendix B",
        printed=r"$\lVert\tilde e_t-e_t\rVert_1\le S/T$, and $10\log^2(NT)/\varepsilon^2$ for noisy losses",
        true=r"$2(S/T)(1-1/N)$, and $16\log^2(NT)/\varepsilon^2$ path by path",
        effect="harmless",
        consequence="The final bound survives in expectation, for a fixed comparator: the noise has mean zero.",
        correction=r"$(S+1)\log(NT/S)/\eta + \eta T\,E(1+\max|Z|)^2 + S(1-1/N)$ (TR-B2)",
        cost="none: the corrected bound is informative a hundred times earlier",
        reading=r"$N=2$ for the distance.",
        example="import numpy as np\nN, share = 4, 0.1\ne = np.eye(N)[0]\nabs((1 - share) * e + share / N - e).sum() > 1.01 * share",
        routes=(
            Route(
                kind="exact",
                how=r"the distance over $S/T$, $N=4$; control $N=2$, where the printed value is right",
                check=lemmas.clipped_comparator, stated={"n_actions": 4}, control={"n_actions": 2},
            ),
            Route(
                kind="symbolic", how=r"the same in fractions, over $S/T$ and over $2(S/T)(1-1/N)$",
                check=errata.comparator_fraction, stated={"statement": "printed"},
                control={"statement": "corrected"},
            ),
            Route(
                kind="exact",
                how=r"largest squared noisy loss that the event of Lemma B.3 leaves, over $\log^2(NT)/\varepsilon^2$; control: the noise without the loss",
                check=errata.noisy_loss, stated={"loss": 1.0}, control={"loss": 0.0},
            ),
        ),
        claims=("TR-S5",),
    ),
    Erratum(
        id="TR-SLIP-10",
        source="Theorem B.1, and its use for Algorithm 3",
        printed="a learner whose predictions depend on past losses does no worse against an adaptive adversary",
        true="true of maps from losses to distributions with a fresh draw each round; false with randomness that persists, such as Algorithm 3's noisy weights",
        effect="unproved as printed",
        consequence=r"Theorem 5.2 with its explicit constants holds for fixed sequences only; against adaptive adversaries the rate survives with an extra $\sqrt{ST\log(NT)}/\varepsilon$.",
        correction="Theorem B.2 is tested on fixed tables only",
        cost="none on fixed sequences",
        reading="Weights that are a function of the losses.",
        example="T = 8\noblivious = T / 2  # hold one random expert of two, against any fixed losses\nadaptive = T - 1  # round 2 on, charge the expert that was seen in round 1\nadaptive > oblivious",
        routes=(
            Route(
                kind="exact",
                how="hold one random expert for ever: adaptive regret against the largest oblivious one plus 1, all 0/1 tables of 8 rounds",
                check=lemmas.persistent_coin, stated={"draws": "once"}, control={"draws": "every round"},
            ),
            Route(
                kind="sampled",
                how="20,000 games against an adversary that charges the expert it saw; control: a fresh coin each round",
                check=errata.coin_games, stated={"draws": "once"}, control={"draws": "every round"},
            ),
        ),
        claims=("TR-S7",),
    ),
    Erratum(
        id="TR-SLIP-11",
        source="Algorithm 2, the loop; Section 2, shifting adversary",
        printed=r"$t$ is never incremented, the loss comes before the play, $t_i=t$; and $S$ distributions stand for $S$ switches",
        true=r"$t_i=t+1$, else the restart round is read by two instances; $S$ distributions are $S-1$ shifts",
        effect="wording",
        consequence=r"Read twice, the restart round would cost privacy twice. The theorems hold with either meaning of $S$ once it is stated.",
        correction=r"the obvious loop with $t_i=t+1$; the text says which $S$ is meant",
        cost="none",
        reading="The obvious one.",
        example="from itertools import combinations\nT, S = 12, 3\nmost = max(len({sum(t >= c for c in cuts) for t in range(T)}) - 1 for cuts in combinations(range(1, T), S - 1))\nmost < S",
        routes=(
            Route(
                kind="exact",
                how=r"how many instances read one round, over all sets of restart rounds, $T=8$; control $t_i=t+1$",
                check=errata.rounds_in_two_instances, stated={"next_start": 0}, control={"next_start": 1},
            ),
            Route(
                kind="symbolic",
                how=r"$S$ less the most shifts of $S$ distributions, $S=3$, all ways listed; control: $S+1$ distributions",
                check=errata.shifts_of_distributions, stated={"distributions": 3}, control={"distributions": 4},
            ),
        ),
    ),
)
