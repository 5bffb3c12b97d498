"""Learners that play one action on each dyadic block of rounds.

Block r holds rounds 2**r, ..., 2**(r+1) - 1 (counted from 1). The action of block 0 is uniform; that of
block r + 1 is selected from the losses of a prefix of block r and of nothing else. A learner of this
kind is a *prefix law* (how much of the block is read) and a *selector* (summed losses -> probabilities).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from replicate import mechanisms, validation
from replicate.environments import MAX_STRETCH, Environment
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Run
from replicate.validation import FloatArray, IntArray

MAX_HORIZON = 2 * MAX_STRETCH
"""2**59 rounds: the exact range of binomial sums."""

Selector = Callable[[NDArray[Any]], FloatArray]
"""Summed losses of a prefix, shape (..., K), to the law of the next action, shape (..., K)."""
PrefixLaw = Callable[[int, int, np.random.Generator], IntArray]
"""(block r, replicates, rng) to the number of rounds read, shape (replicates,), each in 1, ..., 2**r."""


def leaders(sums: NDArray[Any]) -> FloatArray:
    """Selector without noise: the uniform law on the actions with the smallest sums."""
    best = sums == sums.min(axis=-1, keepdims=True)
    return np.asarray(best / best.sum(axis=-1, keepdims=True))


def blocks(horizon: int) -> tuple[IntArray, IntArray]:
    """First and past-the-last round (counted from 0) of every block, the last one cut at `horizon`."""
    powers = 2 ** np.arange(horizon.bit_length(), dtype=np.int64)
    return powers - 1, np.minimum(2 * powers - 1, horizon)


def whole_block(r: int, replicates: int, rng: np.random.Generator) -> IntArray:
    """Prefix law that reads all 2**r rounds of block r."""
    return np.full(replicates, 2**r)


def simulate(
    env: Environment,
    *,
    selector: Selector,
    prefix: PrefixLaw = whole_block,
    horizon: int,
    replicates: int,
    rng: np.random.Generator,
) -> Run:
    """Simulate a dyadic learner exactly in law, at a cost of O(K log T) a replicate.

    A block acts on the future only through the summed losses of the prefix that is read, so these are
    drawn directly. Regret is accumulated as its conditional expectation given those sums (the selection
    probabilities times the gaps, instead of a sampled action), which leaves its mean unchanged.

    Parameters
    ----------
    env
        The loss process.
    selector, prefix
        The learner.
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
    horizon = validation.count("horizon", horizon, high=MAX_HORIZON)
    replicates = validation.count("replicates", replicates, high=MAX_REPLICATES)
    validation.generator(rng)
    starts, stops = blocks(horizon)
    mean_losses = env.mean_sums(starts, stops)
    cost = mean_losses - mean_losses[:, [mean_losses.sum(axis=0).argmin()]]
    regret = np.empty((replicates, len(starts)))
    regret[:, 0] = cost[0].mean()
    for r in range(len(starts) - 1):
        read = prefix(r, replicates, rng)
        law = selector(env.sums(starts[r], starts[r] + read, rng=rng))
        regret[:, r + 1] = law @ cost[r + 1]
    return Run(stops, np.cumsum(regret, axis=1), PSEUDO)


class DyadicLearner:
    """The same learner, one round at a time, on any losses.

    Parameters
    ----------
    n_actions
        Number of actions K >= 2.
    selector, prefix
        The learner, as for `simulate`.
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(self, n_actions: int, *, selector: Selector, prefix: PrefixLaw, rng: np.random.Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._selector, self._prefix, self._rng = selector, prefix, validation.generator(rng)
        self._action = int(self._rng.integers(self.n_actions))
        self._block = -1
        self._open_block()

    def act(self) -> int:
        """Return the action of this block."""
        return self._action

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the prefix; at the end of a block, select anew."""
        row = validation.unit_array("losses", losses, ndim=1)
        if len(row) != self.n_actions:
            raise ValueError(f"losses must have length {self.n_actions}, got {len(row)}")
        self._seen += 1
        if self._seen <= self._read:
            self._sums += row
        if self._seen == 2**self._block:
            self._action = int(mechanisms.sample_pmf(self._selector(self._sums), rng=self._rng))
            self._open_block()

    def _open_block(self) -> None:
        self._block += 1
        self._seen, self._sums = 0, np.zeros(self.n_actions)
        self._read = int(self._prefix(self._block, 1, self._rng)[0])
