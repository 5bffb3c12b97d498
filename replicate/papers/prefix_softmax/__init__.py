"""Cesari & Colomboni (2026): optimal gap-dependent regret for private stochastic experts (arXiv 2605.29148).

A learner that plays one action on each dyadic block of rounds and selects the next one by softmax from a random
prefix of the block has regret of order log K / gap + log K / epsilon, whatever the horizon.

Examples
--------
>>> import numpy as np
>>> from replicate import environments
>>> from replicate.papers import prefix_softmax
>>> env = environments.Bernoulli([0.4, 0.5, 0.5])
>>> rng = np.random.default_rng(1)
>>> run = prefix_softmax.simulate(env, epsilon=0.5, horizon=2**40, replicates=200, rng=rng)
>>> bool(run.final.mean() < prefix_softmax.bounds.theorem_1(n_actions=3, gap=0.1, epsilon=0.5))
True
"""

from typing import Any

from replicate import deferred
from replicate.papers.prefix_softmax import bounds


def _public() -> dict[str, Any]:
    from replicate.papers.prefix_softmax.algorithms import (
        PrefixSoftmax,
        exact_regret,
        learning_rate,
        simulate,
        softmax_error,
        softmax_error_sum,
    )
    from replicate.papers.prefix_softmax.privacy import block_privacy_loss, sequence_law

    return locals()


__all__, __getattr__ = deferred(__name__, _public, "bounds")
