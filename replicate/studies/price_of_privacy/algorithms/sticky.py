"""A learner for long games of K actions: report-noisy-max over blocks that start long, with a bonus for staying.

What `lazy` learns from the optimal policies, without its posterior: one decision a block, a first block as long as
privacy needs, and a reason to stay. Symbols: n_r = rounds of block r, G_j = loss of action j in the block, J = the
action that was played in it.

    n_1 = ceil(5 ln K / (2 epsilon)), n_r = 2**(r-1) n_1; block 1 plays a uniform action;
    after block r play arg max_j -G_j + b 1{j = J} + Q_j, Q_j exponential noise of scale 2 / epsilon;
    b = 0 after block 1, later b = 2 / epsilon.

Privacy: the sequence of actions is epsilon-DP at event level, whatever the losses, also if they are chosen after
seeing the actions. A round is read by one selection, whose bonus depends on earlier actions only; replacing a loss
vector moves every score by at most 1, for which noise of scale 2 / epsilon is epsilon-DP (report-noisy-max).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from replicate import validation
from replicate.environments import Environment
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Privacy, Run, loss_row
from replicate.mechanisms import report_noisy_max_pmf, sample_pmf
from replicate.studies.price_of_privacy.algorithms.lazy import doubling
from replicate.validation import FloatArray, Generator, IntArray

_FIRST, _STAY = 2.5, 2.0
"""n_1 epsilon / ln K, and b epsilon: nearly the best on deterministic losses, for K = 2 to 1024."""


def blocks(horizon: int, *, n_actions: int, epsilon: float) -> tuple[IntArray, IntArray]:
    """First and past-the-last round (counted from 0) of every block, the last one cut at `horizon`.

    Examples
    --------
    >>> [rounds.tolist() for rounds in blocks(20, n_actions=8, epsilon=1.0)]  # blocks of 6, 12 and 2 rounds
    [[0, 6, 18], [6, 18, 20]]
    """
    return doubling(horizon, first=_first_block(n_actions, epsilon))


def selection_law(sums: ArrayLike, action: ArrayLike, *, epsilon: float, first: bool) -> FloatArray:
    """Distribution of the next action: summed losses (..., K) and the action that was played (...) to (..., K).

    Parameters
    ----------
    sums, action
        G and J.
    epsilon
        Privacy level.
    first
        Whether block 1 has just ended: no bonus.
    """
    scores: NDArray[np.float64] = -np.asarray(sums, dtype=np.float64)
    if not first:
        stays = np.arange(scores.shape[-1]) == np.asarray(action)[..., None]
        # b 1{j = J}: known from earlier actions, so it costs no privacy
        scores = scores + _STAY / epsilon * stays
    return report_noisy_max_pmf(scores, noise="exponential", scale=2 / epsilon)


def simulate(env: Environment, *, epsilon: float, horizon: int, replicates: int, rng: Generator) -> Run:
    """Simulate the learner exactly in distribution, at a cost of O(K log T) draws per replicate.

    Regret of a block is its expectation given the losses and the action of the block before.

    Parameters
    ----------
    env
        The loss process.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        Independent repetitions, 1 to 10**6.
    rng
        Source of randomness.

    Returns
    -------
    A run with one entry for each block; pseudo-regret against the best fixed action over the horizon.
    """
    level = validation.positive("epsilon", epsilon)
    size = validation.count("replicates", replicates, high=MAX_REPLICATES)
    starts, stops = blocks(horizon, n_actions=env.n_actions, epsilon=level)
    means = env.mean_sums(starts, stops)
    cost = means - means[:, [means.sum(axis=0).argmin()]]
    regret = np.empty((size, len(starts)))
    regret[:, 0] = cost[0].mean()
    action = validation.generator(rng).integers(env.n_actions, size=size)
    for r in range(len(starts) - 1):
        sums = env.sums(np.full(size, starts[r]), np.full(size, stops[r]), rng=rng)
        law = selection_law(sums, action, epsilon=level, first=r == 0)
        regret[:, r + 1] = law @ cost[r + 1]
        action = sample_pmf(law, rng=rng)
    return Run(stops, np.cumsum(regret, axis=1), PSEUDO)


def exact_regret(means: ArrayLike, *, epsilon: float, horizon: int) -> Run:
    """Expected regret on deterministic losses: the action is a Markov chain over the blocks.

    Parameters
    ----------
    means
        The loss vector of every round, in [0, 1], shape (K,), K up to 2**10.
    epsilon
        Privacy level, positive.
    horizon
        Number of rounds T, 1 to 2**59.

    Returns
    -------
    A run of one replicate, with one entry for each block.
    """
    losses = validation.unit_array("means", means, ndim=1)
    k = validation.count("number of actions", len(losses), low=2, high=2**10)
    level = validation.positive("epsilon", epsilon)
    starts, stops = blocks(horizon, n_actions=k, epsilon=level)
    law, regret = np.full(k, 1 / k), np.empty(len(starts))
    for r, rounds in enumerate((stops - starts).tolist()):
        regret[r] = rounds * law @ (losses - losses.min())
        law = law @ selection_law(np.tile(rounds * losses, (k, 1)), np.arange(k), epsilon=level, first=r == 0)
    return Run(stops, np.cumsum(regret)[None], PSEUDO)


class StickyLeader:
    """The learner, one round at a time, on any losses.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    epsilon
        Privacy level of the whole sequence of actions, positive.
    rng
        Source of randomness.

    Examples
    --------
    >>> learner = StickyLeader(3, epsilon=1.0, rng=np.random.default_rng(1))
    >>> for _ in range(100):
    ...     learner.observe([1.0, 1.0, 0.0])
    >>> learner.act()
    2
    """

    feedback = "full"

    def __init__(self, n_actions: int, *, epsilon: float, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self.privacy = Privacy(epsilon=epsilon, source="MM-SKp")
        self._epsilon, self._rng = validation.positive("epsilon", epsilon), validation.generator(rng)
        self._action = int(self._rng.integers(self.n_actions))
        self._rounds, self._first = _first_block(self.n_actions, self._epsilon), True
        self._seen, self._sums = 0, np.zeros(self.n_actions)

    def act(self) -> int:
        """Return the action of this block."""
        return self._action

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,); at the end of a block, select anew."""
        self._sums += loss_row(losses, self.n_actions)
        self._seen += 1
        if self._seen == self._rounds:
            law = selection_law(self._sums, self._action, epsilon=self._epsilon, first=self._first)
            self._action = int(sample_pmf(law, rng=self._rng))
            self._rounds, self._first = 2 * self._rounds, False
            self._seen, self._sums = 0, np.zeros(self.n_actions)


def _first_block(n_actions: int, epsilon: float) -> int:
    """n_1, at most the longest horizon."""
    return math.ceil(min(_FIRST * math.log(n_actions) / validation.positive("epsilon", epsilon), MAX_HORIZON))
