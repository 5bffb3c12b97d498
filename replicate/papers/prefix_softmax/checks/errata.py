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
        run = experiments.report_noisy_max(env, epsilon=epsilon, horizon=2**40, replicates=1, rng=rng)
        return float(run.final[0])
    level = 0.5 ** (2.0 ** np.arange(6))
    wrong = 1 + np.expm1(n_actions * np.log1p(-level)) / (n_actions * level)
    return float(gap * (1 - 1 / n_actions + (2 ** np.arange(1, 7)) @ wrong))


def below_the_rate(profile: str, seed: int, *, gap: float) -> Evidence:
    """Growth of rate over exact regret from K = 2**4 to 2**14; the logarithm itself grows by 3.5."""
    few, many = (_rate(k, gap) / _exact_regret(k, gap) for k in N_ACTIONS)
    detail = f"Rate over regret at gap {gap:g}, ε = 4 log K: {few:.3g} at K = 2^4, {many:.3g} at K = 2^14."
    return Evidence(measured=many / few, limit=2.0, relation=">=", detail=detail)


def _scale(n_actions: int) -> float:
    """Scale of Gumbel noise, 2 / epsilon at epsilon = 4 log K."""
    return 2 / (4 * math.log(n_actions))


def _played_costs(n_actions: int, gap: float, *, runs: int, seed: int) -> FloatArray:
    """Pseudo-regret by block of the actions that report-noisy-max plays in 64 rounds: shape (runs, 7)."""
    env = environments.Bernoulli(np.where(np.arange(n_actions) > 0, gap, 0.0))
    scale, rng = _scale(n_actions), stream(seed, "prefix_softmax/slip", n_actions)
    starts, stops = dyadic.blocks(64)
    wrong = np.empty((runs, len(starts)), dtype=np.bool_)
    for run in wrong:
        run[0], losses = rng.integers(n_actions) != 0, env.losses(0, 64, rng=rng)
        for r, (start, stop) in enumerate(zip(starts[:-1], stops[:-1], strict=True)):
            sums = losses[start:stop].sum(axis=0)
            run[r + 1] = mechanisms.report_noisy_max(-sums, noise="gumbel", scale=scale, rng=rng) != 0
    return gap * wrong * (stops - starts)


def _played_upper(costs: FloatArray, n_actions: int, gap: float, *, false_alarm: float) -> float:
    """Upper limit of the mean of summed costs: bets on early blocks, proved tails of late ones."""
    starts, stops = dyadic.blocks(64)
    largest = gap * (stops - starts)
    steps, read = dyadic.difference_law(0, gap), 2.0 ** np.arange(len(starts) - 1)
    wrong = (n_actions - 1) * dyadic.selection_tail(steps, read, noise="gumbel", scale=_scale(n_actions))
    tails = largest * np.r_[1.0, np.minimum(wrong, 1)]
    return certify.truncated_upper(costs, largest=largest, tails=tails, false_alarm=false_alarm)


def below_the_rate_played(profile: str, seed: int, *, gap: float) -> Evidence:
    """Lower confidence limit of the growth of rate over regret, from the actions that the learner plays.

    At few actions bets give a lower limit of the regret, at many an upper one, with proved tails of late blocks.
    """
    (few, many), (k, k_many), rate = SIZES[profile].played_runs, N_ACTIONS, certify.share(2)
    costs = _played_costs(k, gap, runs=few, seed=seed)
    low = -float(certify.betting_upper(-costs.sum(axis=1), low=-64 * gap, high=0, false_alarm=rate))
    costs = _played_costs(k_many, gap, runs=many, seed=seed)
    limits = _rate(k, gap) / low, _rate(k_many, gap) / _played_upper(costs, k_many, gap, false_alarm=rate)
    detail = f"{few} and {many} runs: rate over regret at most {limits[0]:.3g}, then at least {limits[1]:.3g}."
    return Evidence(measured=limits[1] / limits[0], limit=2.0, relation=">=", detail=detail)
