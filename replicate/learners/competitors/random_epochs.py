"""The leader of epochs whose lengths grow by e from a random start: theorem "schedules" of reports/theorems.md.

Symbols: K = n_actions, T = horizon, U = uniform in [0, 1), eta = epsilon / 2, m = H_K - 1 of exponential noise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from replicate import mechanisms, validation
from replicate.environments import Environment
from replicate.learners.competitors.epochs import EpochLeader
from replicate.learners.dyadic import MAX_HORIZON, blocks
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Run
from replicate.mechanisms.vector_noise import checked_level
from replicate.validation import Generator

SHARE = 0.38
"""Split rho of the proof, near the best one."""


def regret_bound(*, n_actions: int, gap: float, epsilon: float, horizon: float, losses: str = "any") -> float:
    """The regret bound of `RandomEpochLeader` on i.i.d. losses: the least of T and 1 + X + log(1 + X).

    X = a (log(K - 1) + 1) / gap + c m / epsilon, the first term only where gap is below epsilon. For losses of any
    joint distribution a = 2 e / (3/8) and c = 2 e log(1 / rho) / (1 - j / 2 - rho), rho = 0.38 and j = 0.50422.
    Losses that do not fluctuate have c = 2 e and no a. The proof stands in `theorems`.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 1e40.
    gap
        Least positive gap, in [1e-40, 1].
    epsilon
        Privacy level, 1e-40 to 1e40.
    losses
        ``"any"`` joint distribution within a round, or ``"steady"``: the same in every round.

    Examples
    --------
    >>> sizes = {"n_actions": 8, "gap": 0.5, "epsilon": 0.1, "horizon": 1e6}
    >>> [round(regret_bound(**sizes, losses=kind)) for kind in ("any", "steady")]
    [252, 99]
    """
    k = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
    d = validation.real("gap", gap, low=1e-40, high=1)
    level = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    rounds = validation.real("horizon", horizon, low=1, high=1e40)
    steady = validation.choice("losses", losses, ("any", "steady")) == "steady"
    noise = float((1 / np.arange(2, k + 1)).sum()) / level
    cost = 2 * math.e * noise * (1.0 if steady else math.log(1 / SHARE) / (1 - 0.50422 / 2 - SHARE))
    if d < level and not steady:
        cost += 2 * math.e / 0.375 * (math.log(k - 1) + 1) / d
    return min(rounds, 1 + cost + math.log1p(cost))


class RandomEpochLeader(EpochLeader):
    """Play through an epoch the action whose losses in the last epoch, less exponential noise, are least.

    Epochs have 1, ceil(e**U), ceil(e**(1 + U)), ... rounds, U drawn once; the action of the first one is uniform.

    Proof of epsilon-privacy: U does not depend on losses. Given U it is that of `EpochLeader` with one weight: a
    round's losses are read in one selection.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level, in [1e-9, 1e9].
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = RandomEpochLeader(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> [learner.length(r) for r in range(5)]
    [1, 3, 8, 20, 52]
    """

    def __init__(self, n_actions: int, *, epsilon: float, rng: Generator) -> None:
        super().__init__(n_actions, epsilon=epsilon, rng=rng)
        self.shift = float(self._rng.random())

    def length(self, r: int) -> int:
        """Return the rounds of epoch r = 0, 1, ..."""
        return 1 if r == 0 else math.ceil(math.exp(r - 1 + self.shift))


def simulate(env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: Generator) -> Run:
    """Simulate `RandomEpochLeader` exactly in distribution, at the cost of one selection for each epoch.

    Regret is accumulated as its conditional expectation given U and the sums of losses.

    Parameters
    ----------
    env
        The loss process.
    epsilon
        Privacy level, in [1e-9, 1e9].
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.

    Returns
    -------
    Pseudo-regret against the best fixed action after 1, 3, 7, 15, ... rounds, and after the last one.
    """
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    many = validation.count("replicates", replicates, high=MAX_REPLICATES)
    scale, shift = 2 / checked_level(epsilon), validation.generator(rng).random(many)
    told, best = blocks(rounds)[1], env.mean_sums(0, rounds).argmin()

    def cost(start: Any, stop: Any) -> Any:
        means = env.mean_sums(start, stop)
        return means - means[..., [best]]

    regret, paid = np.empty((many, len(told))), np.zeros(many)
    start, stop = np.zeros(many, dtype=np.int64), np.ones(many, dtype=np.int64)
    law = np.full((many, env.n_actions), 1 / env.n_actions)
    for epoch in range(MAX_HORIZON.bit_length()):
        inside = (start[:, None] < told) & (told <= stop[:, None])
        for at in np.flatnonzero(inside.any(axis=0)):
            rows = inside[:, at]
            owed = (law[rows] * cost(start[rows], np.full(rows.sum(), told[at]))).sum(axis=-1)
            regret[rows, at] = paid[rows] + owed
        start[stop == rounds] = rounds
        on = np.flatnonzero(stop < rounds)
        if not on.size:
            break
        paid[on] += (law[on] * cost(start[on], stop[on])).sum(axis=-1)
        score = np.asarray(env.sums(start[on], stop[on], rng=rng), dtype=np.float64)
        law[on] = mechanisms.report_noisy_max_pmf(-score, noise="exponential", scale=scale)
        start[on] = stop[on]
        lengths = np.ceil(np.exp(np.minimum(epoch + shift[on], 41.5))).astype(np.int64)
        stop[on] = np.minimum(start[on] + lengths, rounds)
    return Run(told, regret, PSEUDO)
