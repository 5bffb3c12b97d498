"""Checks of the erratum: how far a learner's regret falls below the rate that is said to be optimal.

At gap 1 there is one instance: the best action has loss 0, the others 1. At gap 1/2 the others toss fair coins.
The learner is report-noisy-max with Gumbel noise at epsilon = 4 log K.
"""

from __future__ import annotations

import math

import numpy as np

from replicate import certify, environments, mechanisms
from replicate.claims import Evidence
from replicate.learners import dyadic
from replicate.papers.prefix_softmax import experiments
from replicate.papers.prefix_softmax.instances import SIZES
from replicate.streams import stream
from replicate.validation import FloatArray

N_ACTIONS = (2**4, 2**14)
"""Numbers of actions between which rate over regret must not grow, were the rate a lower bound in order."""


def _rate(n_actions: int, gap: float) -> float:
    """Return log K / gap + log K / epsilon at epsilon = 4 log K."""
    return math.log(n_actions) / gap + 0.25


def _exact_regret(n_actions: int, gap: float) -> float:
    """Regret at gap 1 of report-noisy-max, epsilon = 4 log K; at gap 1/2 of following the leader, doubling blocks.

    After n rounds of fair coins each of the others is still level with the best with probability q = 2**-n, and
    ties are broken at random: the leader is wrong with probability 1 - (1 - (1 - q)**K) / (K q).
    """
    if gap == 1:
        env = environments.Deterministic((np.arange(n_actions) > 0).astype(np.float64))
        rng = np.random.default_rng(0)  # not used by deterministic losses
        epsilon = 4 * math.log(n_actions)
        return float(
            experiments.report_noisy_max(env, epsilon=epsilon, horizon=2**40, replicates=1, rng=rng).final[0]
        )
    level = 0.5 ** (2.0 ** np.arange(6))
    wrong = 1 + np.expm1(n_actions * np.log1p(-level)) / (n_actions * level)
    return float(gap * (1 - 1 / n_actions + (2 ** np.arange(1, 7)) @ wrong))


def below_the_rate(profile: str, seed: int, *, gap: float) -> Evidence:
    """Growth of rate over exact regret from K = 2**4 to 2**14; the logarithm itself grows by 3.5."""
    few, many = (_rate(k, gap) / _exact_regret(k, gap) for k in N_ACTIONS)
    detail = f"Rate over regret at gap {gap:g}, ε = 4 log K: {few:.3g} at K = 2^4, {many:.3g} at K = 2^14."
    return Evidence(measured=many / few, limit=2.0, relation=">=", detail=detail)


def _played_regret(n_actions: int, gap: float, *, runs: int, rng: np.random.Generator) -> FloatArray:
    """Pseudo-regret of the actions that report-noisy-max, epsilon = 4 log K, plays in 64 rounds: shape (runs,)."""
    env = environments.Bernoulli(np.where(np.arange(n_actions) > 0, gap, 0.0))
    scale = 2 / (4 * math.log(n_actions))
    starts, stops = dyadic.blocks(64)
    wrong = np.empty((runs, len(starts)), dtype=np.bool_)
    for run in wrong:
        run[0], losses = rng.integers(n_actions) != 0, env.losses(0, 64, rng=rng)
        for r, (start, stop) in enumerate(zip(starts[:-1], stops[:-1], strict=True)):
            sums = losses[start:stop].sum(axis=0)
            run[r + 1] = mechanisms.report_noisy_max(-sums, noise="gumbel", scale=scale, rng=rng) != 0
    return gap * (wrong @ (stops - starts))


def below_the_rate_played(profile: str, seed: int, *, gap: float) -> Evidence:
    """Lower confidence limit of the growth of rate over regret, from the actions that the learner plays."""
    few, many = SIZES[profile].played_runs
    limits = []
    for k, runs, bound in zip(N_ACTIONS, (few, many), (certify.mean_lower, certify.mean_upper), strict=True):
        regret = _played_regret(k, gap, runs=runs, rng=stream(seed, "prefix_softmax/slip", k))
        limits.append(_rate(k, gap) / float(bound(regret, false_alarm=certify.share(2))))
    detail = f"{few} and {many} runs: rate over regret at most {limits[0]:.3g}, then at least {limits[1]:.3g}."
    return Evidence(measured=limits[1] / limits[0], limit=2.0, relation=">=", detail=detail)
