"""Lazy-DP-TS: Thompson sampling from private means, renewed when an action has twice as many fresh losses."""

from __future__ import annotations

import math

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.competitors.bandit import checked_actions
from replicate.learners.protocol import Privacy, checked_loss
from replicate.validation import FloatArray, Generator

MEAN, READ, SUM, FRESH, NUMBER = 0, 1, 2, 3, 4
"""Rows of the kernel's state, shape (5, K): private mean; losses in it; sum and number of those since; numbers."""
ROUND, EPSILON = 0, 1
"""The numbers: rounds played, and the privacy level."""
OPTIMISM = 3.0
"""Factor of the shift 3 log t / (epsilon n) by which a private mean is lowered before the posterior is taken."""


@compiled(error_model="numpy")
def act(state: FloatArray, rng: Generator) -> int:
    """Return an action not yet played, else the smallest draw from the posteriors of the lowered means."""
    n, now = state.shape[1], state[NUMBER, ROUND] + 1.0
    if now <= n:
        return int(now) - 1
    best, low = 0, 2.0
    for i in range(n):
        read = state[READ, i]
        # optimism: a mean loss is lowered by as much as its noise may have raised it
        mean = state[MEAN, i] - OPTIMISM * math.log(now) / (state[NUMBER, EPSILON] * read)
        ones = read * min(max(mean, 0.0), 1.0)
        draw = rng.beta(ones + 1.0, read - ones + 1.0)
        if draw < low:
            best, low = i, draw
    return best


@compiled(error_model="numpy")
def observe(state: FloatArray, arm: int, loss: float, rng: Generator) -> None:
    """Add a loss in [0, 1]; when twice those of the mean are fresh, read their noisy sum and drop them."""
    state[NUMBER, ROUND] += 1.0
    state[SUM, arm] += loss
    state[FRESH, arm] += 1.0
    fresh = state[FRESH, arm]
    # the first loss is read at once; later means from twice as many, and from no loss twice
    if fresh >= max(2.0 * state[READ, arm], 1.0):
        state[MEAN, arm] = (state[SUM, arm] + rng.laplace(0.0, 1.0 / state[NUMBER, EPSILON])) / fresh
        state[READ, arm] = fresh
        state[SUM, arm] = state[FRESH, arm] = 0.0


def fresh_state(n_actions: int, *, epsilon: float) -> FloatArray:
    """Return the state before the first round, shape (5, K), at a privacy level of 1e-9 to 1e9."""
    state = np.zeros((5, n_actions))
    state[NUMBER, EPSILON] = validation.real("epsilon", epsilon, low=1e-9, high=1e9)
    return state


class LazyThompson:
    """Lazy-DP-TS (Hu and Hegde 2022, Algorithm 2), on losses.

    Every action is played once. Afterwards the action is played whose mean, drawn from Beta(1 + n m, 1 + n - n m),
    is the smallest; n losses went into the action's private mean, and m is that mean less 3 log t / (epsilon n),
    clipped to [0, 1]. Losses are collected, in rounds that need not follow each other; when there are 2 n of them,
    their noisy sum makes the next private mean, and they are never read again.

    Proof of epsilon-privacy: of an action's losses nothing is read but sums of 1, 2, 4, ... of them, each loss in
    one sum, with Laplace(1 / epsilon) noise of its own. Given the noisy sums before, actions are drawn without a
    look at losses, hence a round belongs to the same sum on both inputs. This sum moves by 1 at most and has
    densities within e^epsilon; the rest is a function of noisy sums and of draws that do not depend on losses.

    On iid losses 0 and 1 the regret is of the order of sum_a log T / min(gap_a, epsilon) (Theorem 4), which has no
    constants: asymptotic only.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level, 1e-9 to 1e9.
    rng
        Source of the noise and of the posterior draws.

    Examples
    --------
    >>> from replicate.learners import play
    >>> learner = LazyThompson(2, epsilon=1.0, rng=np.random.default_rng(1))
    >>> run = play(learner, np.tile([0.0, 1.0], (2000, 1)))
    >>> bool(run.final[0] < 300)
    True
    """

    feedback = "bandit"

    def __init__(self, n_actions: int, *, epsilon: float, rng: Generator) -> None:
        self.n_actions, self._rng = checked_actions(n_actions), validation.generator(rng)
        self.epsilon = validation.real("epsilon", epsilon, low=1e-9, high=1e9)
        self.privacy = Privacy(
            epsilon=self.epsilon,
            released="the noisy sums and all actions",
            source="replicate.learners.competitors.lazy_thompson.LazyThompson",
        )
        self.rounds, self._action = 0, -1
        self._means, self._read = np.zeros(self.n_actions), np.zeros(self.n_actions)
        self._buffers: list[list[float]] = [[] for _ in range(self.n_actions)]
        """Losses of every action that have not been read."""

    def act(self) -> int:
        """Return an action not yet played, else the smallest draw from the posteriors."""
        self._action = self.rounds if self.rounds < self.n_actions else int(self._draws().argmin())
        return self._action

    def _draws(self) -> FloatArray:
        """Draw every action's mean loss, shape (K,)."""
        shift = OPTIMISM * math.log(self.rounds + 1) / self.epsilon
        ones = self._read * (self._means - shift / self._read).clip(0, 1)
        return self._rng.beta(1 + ones, 1 + self._read - ones)

    def observe(self, loss: float) -> None:
        """See the loss of the action played, in [0, 1]; renew its mean when the buffer has doubled."""
        value = checked_loss(loss, self._action)
        arm, self._action = self._action, -1
        self.rounds += 1
        self._buffers[arm].append(value)
        if len(self._buffers[arm]) >= 2 * self._read[arm]:
            self._release(arm, sum(self._buffers[arm]) + self._rng.laplace(scale=1 / self.epsilon))

    def _release(self, arm: int, noisy: float) -> None:
        """Make the noisy sum of the buffer the action's mean, and empty the buffer."""
        self._read[arm] = len(self._buffers[arm])
        self._means[arm] = noisy / self._read[arm]
        self._buffers[arm] = []
