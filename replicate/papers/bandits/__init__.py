"""Asi, Raman & Talwar (2025): faster rates for private adversarial bandits.

Playing each action of any bandit learner for ceil(1 / epsilon) rounds and feeding it the noisy mean makes
it epsilon-private, at a regret of sqrt(K T / epsilon) instead of sqrt(K T) / epsilon.

Examples
--------
>>> import numpy as np
>>> from replicate import environments
>>> from replicate.papers import bandits
>>> env = environments.Bernoulli([0.4, 0.6])
>>> rng = np.random.default_rng(1)
>>> run = bandits.simulate(env, learner="htinf", epsilon=0.01, horizon=10**8, replicates=2, rng=rng)
>>> bool(run.final.mean() < bandits.bounds.corollary_2(n_actions=2, epsilon=0.01, horizon=10**8))
True
"""

from typing import Any

from replicate import deferred
from replicate.papers.bandits import bounds


def _public() -> dict[str, Any]:
    from replicate.papers.bandits.algorithms.advice import ExpertProblem, simulate_experts
    from replicate.papers.bandits.algorithms.literal import (
        EXP3,
        FTPL,
        HTINF,
        BatchedExp4,
        ExpertBandit,
        LocalExp4,
        PrivateBandit,
        play_experts,
        private_learner,
    )
    from replicate.papers.bandits.algorithms.simulation import exp3_leakage, simulate

    return locals()


__all__, __getattr__ = deferred(__name__, _public, "bounds")
