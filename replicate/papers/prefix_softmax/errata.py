"""The slip in print: a range that is missing. The theorem, the lemmas and their constants are right."""

from __future__ import annotations

import math

from replicate.claims.errata import Erratum, route
from replicate.claims.scope import Border, for_all, named
from replicate.papers.prefix_softmax.checks import corners, regret

ERRATA: tuple[Erratum, ...] = (
    Erratum(
        id="PS-SLIP-1", source="Corollary 1, Abstract", section="4", effect="wording", claims=("PS-C1",),
        scope=(
            for_all("n_actions", 2, tried=[2**14]),
            for_all("epsilon", Border(r"4\log K", lambda n_actions: 4 * math.log(n_actions)), tried=[1000]),
            named("losses", "0 for one action and 1 for the others"),
        ),
        at=corners.below_the_rate,
        definition=r"$\Theta$ has constants that depend on none of $K$, $\Delta_{\min}$, $\varepsilon$, and the regret is that of the worst instance of the gap.",
        shown_at=r"Losses 0 for one action and 1 for the others, $\Delta_{\min}=1$, $\varepsilon=4\log K$, $K=2^4$ and $2^{14}$, report-noisy-max.",
        printed=r"The optimal rate is $\Theta(\log K/\Delta_{\min}+\log K/\varepsilon)$, with no range for $\Delta_{\min}$ and $\varepsilon$.",
        true=r"As a lower bound the rate needs $\Delta_{\min}$ bounded away from 1, or $\varepsilon$ bounded. At $\Delta_{\min}=1$ losses are 0 and 1 and one round shows the best action: for $\varepsilon\ge4\log K$ the regret of report-noisy-max is at most 1.2, whatever $K$.",
        consequence=r"Theorem 1 is an upper bound and is not affected. The matching lower bound holds for $\Delta_{\min}\le1/2$ with constant 1/73, and for $\varepsilon\le1$ at every gap with constant 1/84; PS-LB and PS-LBp prove it.",
        correction="The corollary is checked as an upper rate.",
        reading=r"The range of the lower bound that is quoted is understood: $\Delta_{\min}\le1/2$ or $\varepsilon\le1$, the cases that matter.",
        example=(
            "import numpy as np\n"
            "from replicate.papers import noisy_leader\n"
            "K = 2**14\n"
            "epsilon, means = 4 * np.log(K), (np.arange(K) > 0) * 1.0\n"
            "run = noisy_leader.exact_regret(means, epsilon=epsilon, horizon=2**40)\n"
            "run.final[0] < 0.11 * (np.log(K) + np.log(K) / epsilon)"
        ),
        routes=(
            route("exact", regret.below_the_rate, gap=(1.0, 0.5),
                  how="growth of rate over exact regret from K = 2^4 to 2^14, gap 1 against gap 1/2"),
            route("sampled", regret.below_the_rate_played, gap=(1.0, 0.5),
                  how="lower limit of the same growth: actions that literal report-noisy-max plays in 64 rounds, proved tails"),
        ),
    ),
)
