"""One random bit for every loss: local privacy for any learner that reads losses in [0, 1]."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from replicate import validation
from replicate.learners.competitors import tsallis
from replicate.learners.competitors.bandit import random_bit
from replicate.learners.protocol import Privacy, checked_level

SHARPEST = 30.0
"""Larger levels are taken for this one: from some 37 on rounding would make a bit certain."""


def response(epsilon: float) -> float:
    """Return tanh(epsilon / 2), by which a mean bit follows the loss: E[bit] = 1/2 + response (loss - 1/2)."""
    return math.tanh(min(checked_level(epsilon), SHARPEST) / 2)


class RandomBit:
    """Show a bandit learner one bit of every loss, 1 with probability 1/2 + tanh(epsilon/2) (loss - 1/2).

    The owner of the loss draws the bit, and the loss itself never leaves the owner (Warner 1965). Proof of
    epsilon-local privacy: the bit is 1 with probability at least 1 / (1 + e^epsilon), at loss 0, and at most
    e^epsilon / (1 + e^epsilon), at loss 1; so is it 0. The ratio of two of these is at most e^epsilon, attained.
    Actions depend on earlier bits alone: given the bits before, a neighbour's loss changes the law of its own bit,
    and what follows is a function of bits. Bits and actions of all rounds are epsilon-private in any one loss.

    Bits have the order of the losses and tanh(epsilon / 2) times their gaps: the regret is that of the base
    learner on bits, divided by tanh(epsilon / 2).

    Parameters
    ----------
    base
        Bandit learner with ``n_actions``, ``act() -> int`` and ``observe(loss)``, for losses 0 and 1.
    epsilon
        Privacy level, positive.
    rng
        Source of the bits.

    Examples
    --------
    >>> from replicate.learners import play
    >>> rng = np.random.default_rng(1)
    >>> learner = RandomBit(tsallis.TsallisINF(2, rng=rng), epsilon=1.0, rng=rng)
    >>> run = play(learner, np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < regret_bound(n_actions=2, epsilon=1.0, horizon=1000))
    True
    """

    feedback = "bandit"

    def __init__(self, base: Any, *, epsilon: float, rng: np.random.Generator) -> None:
        self._base = validation.interface("base", base, ("n_actions", "act", "observe"))
        self._response = response(validation.positive("epsilon", epsilon))
        self._rng = validation.generator(rng)
        self.n_actions: int = base.n_actions
        self.privacy = Privacy(
            epsilon=float(epsilon),
            protected="one round's loss, from everyone but its owner,",
            released="the bits and actions of all rounds",
            source="replicate.learners.competitors.random_bit.RandomBit",
        )

    def act(self) -> int:
        """Return the base learner's action."""
        return int(self._base.act())

    def observe(self, loss: float) -> None:
        """Draw the bit of a loss in [0, 1] and pass it on."""
        self._base.observe(random_bit(validation.real("loss", loss, low=0, high=1), self._response, self._rng))


def regret_bound(*, n_actions: int, epsilon: float, horizon: float) -> float:
    """Return `tsallis.regret_bound` / tanh(epsilon / 2): Tsallis-INF's regret on random bits, any losses.

    Given the past and the losses, E[bit_a - bit_b] = tanh(epsilon/2) (loss_a - loss_b) for the bits that any two
    actions would have shown. The bits are losses in [0, 1] that may react, as that bound allows.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 1e40.
    epsilon
        Privacy level, 1e-40 to 1e40.

    Examples
    --------
    >>> [round(regret_bound(n_actions=8, epsilon=e, horizon=1e6)) for e in (1.0, 0.1)]
    [11712, 108339]
    """
    level = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    return tsallis.regret_bound(n_actions=n_actions, horizon=horizon) / response(level)
