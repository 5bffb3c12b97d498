"""Errata in Algorithms 1 and 2 and their theorems (Section 3), in the paper's order."""

from __future__ import annotations

from replicate.claims import Erratum, Route
from replicate.papers.tracking.checks import errata, privacy, regret

_ALGORITHM_2_COST = r"all corrections of Algorithm 2 together: bound 39,400 to 45,600, measured regret 3,900 to 5,300 ($N=10$, $T=2^{17}$, $\varepsilon=1$, one shift)"

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="TR-SLIP-1",
        source="Algorithm 1, line 4",
        section="3.1",
        definition=r"Losses are to be small (Section 2.1): regret is loss less the comparator's.",
        shown_at=r"Two experts that lose 1/4 and 3/4, $\varepsilon=1$, $T=2^{40}$: regret $T/2$.",
        printed=r"$\arg\max_j$ of summed losses plus Laplace noise",
        true=r"$\arg\min_j$",
        effect="broken as printed",
        consequence="Linear regret; privacy is the same. With the arg min Theorem 3.1 is what its proof proves.",
        correction="arg min",
        cost="none",
        reading="Rewards in place of losses.",
        example="import numpy as np\nfrom replicate.mechanisms import report_noisy_max_pmf\nlosses = np.array([0.0, 64.0])\nreport_noisy_max_pmf(losses, noise='laplace', scale=2.0)[1] > 0.99",
        routes=(
            Route(
                kind="sampled",
                how=r"regret over $T$ times the gap of the simulated learner, Bernoulli losses, $T=2^{40}$",
                check=regret.linear_regret, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="exact", how="the same ratio from the exact law of every selection, constant losses",
                check=errata.linear_regret_exact, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("TR-S1",),
    ),
    Erratum(
        id="TR-SLIP-2",
        source="Theorem 3.1",
        section="3.1",
        definition=r"The statement of Theorem 3.1 against what its proof adds up; probability over losses and noise.",
        shown_at=r"The sums themselves, for a window of $2^{14}$ rounds; no table breaks the printed bound ($\varepsilon=1$, $N=10$, $T=2^{14}$).",
        printed=r"window regret at most $16\log(NT/\beta)/\varepsilon + 9\sqrt{w\log(TN/\beta)}$ with probability $1-\beta$",
        true=r"the printed proof adds up to $16\log(NT/\beta)(1+\ln T)/\varepsilon + 14\sqrt{w\log(TN/\beta)}$, with probability $1-4\beta$; the statement is true, by another proof, with $8.5$ for $9$",
        effect="unproved as printed",
        consequence=r"None for the theorem, with the arg min of TR-SLIP-1: we prove it with its constants and its probability, for the printed Laplace noise (TR-T31p). What rests on it stands too.",
        correction="another proof (page of theorems); what is run stays",
        cost="none",
        reading=r"A first term multiplied by $\log T$, as the proof's last line has it, and $w\ge1$.",
        example="sum(1 / i for i in range(1, 65)) > 1",
        routes=(
            Route(
                kind="exact",
                how="the two sums of the proof over a window of $2^{14}$ rounds, each over what the statement has in its place",
                check=errata.window_sum, stated={"statement": "printed"}, control={"statement": "as added up"},
            ),
            Route(
                kind="symbolic",
                how=r"$\sum_{i\le64}1/i$ in fractions over 1, or over a rational upper limit of $1+\ln64$",
                check=errata.window_sum_fraction, stated={"statement": "printed"}, control={"statement": "as added up"},
            ),
        ),
        claims=("TR-T31", "TR-T31p", "TR-L33"),
    ),
    Erratum(
        id="TR-SLIP-15",
        source="Lemma 3.3, proof, last step (Lemma A.2)",
        section="3.1, A",
        printed=r"$\sqrt{w\log(1/\beta)}$ by Azuma's inequality, for one window, where the lemma speaks of all windows at once",
        true=r"for all windows of $w+1$ rounds at once $\sqrt{(w+1)\log(NT/\beta)}$, with probability $1-\beta^2/N^2$",
        effect="harmless",
        consequence=r"None for this step: $\sqrt{w\log(TN/\beta)}$ is what the lemma's $7\sqrt{w\log(TN/\beta)}$ leaves room for.",
        correction=r"$NT/\beta$ for $1/\beta$",
        cost="none",
        reading="One window, fixed in advance.",
        example="from math import log, sqrt\nbeta, T, run = 0.1, 1000, 9\nruns = sum(1 for _ in range(0, T - run, run))  # disjoint windows of nine fair coins\nrun / 2 > sqrt((run - 1) * log(1 / beta)) and 1 - (1 - 2**-run) ** runs > beta",
        routes=(
            Route(
                kind="exact",
                how=r"$P$(some window of equal coins is beyond the printed width) over $\beta$, $T=1000$, by recursion; control: $\log(NT/\beta)$",
                check=errata.runs_of_coins, stated={"inside": "1 / beta"}, control={"inside": "N T / beta"},
            ),
            Route(
                kind="sampled", how=r"lower limit of $P$(any window is beyond it) over $\beta$, fair coins, $T=300$",
                check=errata.windows_of_coins, stated={"inside": "1 / beta"}, control={"inside": "N T / beta"},
            ),
        ),
    ),
    Erratum(
        id="TR-SLIP-3",
        source=r"Algorithm 2, line 7: $\mathrm{Reg}_w$",
        section="3.2",
        definition=r"$\mathrm{Reg}_w$ bounds the regret of the Algorithm 1 that line 2 starts, at $\varepsilon/2$.",
        shown_at=r"$\varepsilon=1$, $N=2$: the lead at which the inner learner errs with probability $10^{-6}$ is twice the one allowed for.",
        printed=r"$16\log(NT/\beta)/\varepsilon$, the window bound of a learner at $\varepsilon$",
        true=r"Algorithm 1 runs at $\varepsilon/2$ inside Algorithm 2: $32\log(NT/\beta)/\varepsilon$",
        effect="changed constant",
        consequence=r"Lemma 3.4 (no restart without a shift) is proved for thresholds too low; Theorem 3.6 becomes $2S(32\log(NT/\beta)/\varepsilon+2\alpha+1)$ in its second term.",
        correction="32 for 16",
        cost=_ALGORITHM_2_COST,
        reading=r"Algorithm 1 at $\varepsilon$ and the whole at $3\varepsilon/2$.",
        example="from replicate.papers.tracking.bounds import adaptive_regret\nat = {e: adaptive_regret(n_actions=10, horizon=1000, epsilon=e, failure=0.1)[0] for e in (1.0, 0.5)}\nat[0.5] == 2 * at[1.0]",
        routes=(
            Route(
                kind="exact",
                how=r"lead at which the inner learner errs with probability $10^{-6}$, over that of the learner whose bound is used",
                check=errata.inner_noise, stated={"allowed_epsilon": 1.0}, control={"allowed_epsilon": 0.5},
            ),
            Route(
                kind="symbolic", how=r"$16/(\varepsilon/2)$ over the factor in $\mathrm{Reg}_w$, in fractions",
                check=errata.inner_noise_fraction, stated={"factor": 16}, control={"factor": 32},
            ),
        ),
        claims=("TR-T36c",),
    ),
    Erratum(
        id="TR-SLIP-4",
        source=r"Algorithm 2, $\alpha$",
        section="3.2",
        printed=r"$\alpha = 16(2\log T+\log(2/\beta))/\varepsilon$ for $T^2$ queries, and $T$ instances that fail with probability $\beta$ together",
        true=r"Lemma 2.4 at failure $\beta/T$ asks for $3\log T$",
        effect="harmless",
        consequence=r"The proof as written has probability $1-T\beta$. AboveThreshold errs far less often than Lemma 2.4 says: exactly computed, the printed $\alpha$ fails with probability far below $\beta/T$.",
        correction=r"$3\log T$",
        cost=_ALGORITHM_2_COST,
        reading=r"$\beta$ as the failure probability of one instance.",
        example="from math import log\nT, beta, epsilon = 1024, 0.05, 1.0\nprinted = 16 * (2 * log(T) + log(2 / beta)) / epsilon\nlemma = 8 * (log(T**2) + log(2 / (beta / T))) / (epsilon / 2)\nlemma > 1.3 * printed",
        routes=(
            Route(
                kind="exact",
                how=r"failure that Lemma 2.4 allows at the printed $\alpha$, by bisection, over $\beta/T$",
                check=errata.alarm_failure, stated={"log_factor": 2}, control={"log_factor": 3},
            ),
            Route(
                kind="symbolic",
                how="argument of the logarithm that the lemma wants over the one that is given, in fractions",
                check=errata.alarm_failure_fraction, stated={"log_factor": 2}, control={"log_factor": 3},
            ),
        ),
        claims=("TR-T36c",),
    ),
    Erratum(
        id="TR-SLIP-5",
        source="Algorithm 2, line 8, and Theorem 3.6, privacy",
        section="3.2",
        definition=r"Definition 2.1: neighbours differ in one time step, hence in the whole loss vector of one round. AboveThreshold with the scales of the listing that Lemma 2.4 cites (Dwork and Roth): $2/\varepsilon$ for the threshold, $4/\varepsilon$ for a query.",
        shown_at=r"$\varepsilon=1$, $N=2$, $T=10^4$: expert 0 is kept through a climb of its regret and its fall, and the restart comes in one given round; probability below $10^{-100}$. AboveThreshold alone at $\varepsilon=8$, in ordinary events.",
        printed=r"the window queries are 1-sensitive, so AboveThreshold at $\varepsilon/2$ costs $\varepsilon/2$ and the whole is $\varepsilon$-private",
        true=r"they are 2-sensitive; all move within one interval of length 2, so AboveThreshold at $\varepsilon'$, with these scales, costs $1.5\,\varepsilon'$, the whole $1.25\,\varepsilon$",
        effect="broken as printed",
        consequence=r"Not $\varepsilon$-private: one exact pair has log ratio $1.238\,\varepsilon$ at $\varepsilon=1$, in an event of probability below $10^{-100}$. Its component AboveThreshold exceeds its share in ordinary ones.",
        correction=r"AboveThreshold at $\varepsilon/3$, $\alpha = 24(3\log T+\log(2/\beta))/\varepsilon$",
        cost=_ALGORITHM_2_COST,
        reading="Neighbours that differ in one expert's loss in one round.",
        example="import numpy as np\nfrom replicate.papers.tracking.privacy.exact import query_shift\nearlier, before, after = np.array([2.0, 0.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])\nquery_shift(earlier, before, after, played=0) == 2",
        routes=(
            Route(
                kind="symbolic",
                how="largest move of a window query, two experts, all 0/1 losses listed (whole numbers); against changes of one loss only",
                check=privacy.sensitivity, stated={"changes": "all losses"},
                control={"changes": "the played expert's"},
            ),
            Route(
                kind="exact",
                how=r"log ratio of one event over $\varepsilon$ by quadrature over the threshold noise, $\varepsilon=1$",
                check=privacy.restart_event, stated={"calibration": "printed"},
                control={"calibration": "corrected"},
            ),
            Route(
                kind="sampled",
                how=r"certified loss of the moment of restart over $\varepsilon=8$, against AboveThreshold's share of one half",
                check=privacy.alarm, stated={"calibration": "printed", "relation": ">="},
                control={"calibration": "corrected"},
            ),
        ),
        claims=("TR-S4", "TR-P2", "TR-P2c", "TR-A2", "TR-A2p"),
    ),
)
