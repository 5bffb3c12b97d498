"""One random bit for every loss, or for every batch: privacy for any learner that reads losses in [0, 1]."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from replicate import validation
from replicate.learners.competitors import tsallis
from replicate.learners.competitors.bandit import drawn_bit
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import SHARPEST, Privacy, checked_level, checked_loss
from replicate.validation import Generator

_BATCHES = 400


def response(epsilon: float, batch: int = 1) -> float:
    """Return r, by which a mean bit follows the mean loss of a batch: E[bit] = 1/2 + r (mean - 1/2).

    It is 1 / (1 + 2 / (b (e^epsilon - 1))) for batches of b rounds: tanh(epsilon / 2) for single losses.

    Examples
    --------
    >>> round(response(1.0), 4), round(response(1.0, 2), 4)
    (0.4621, 0.6321)
    """
    level = min(checked_level(epsilon), SHARPEST)
    if batch == 1:
        return math.tanh(level / 2)
    # rounding must not make (1 - r) / 2 zero, in batches of any length
    return min(1 / (1 + 2 / (batch * math.expm1(level))), math.tanh(SHARPEST / 2))


class RandomBit:
    """Show a bandit learner one bit of every loss, 1 with probability 1/2 + tanh(epsilon/2) (loss - 1/2).

    The owner of the loss draws the bit, and the loss itself never leaves the owner (Warner 1965). Proof of
    epsilon-local privacy: the bit is 1 with probability at least 1 / (1 + e^epsilon), at loss 0, and at most
    e^epsilon / (1 + e^epsilon), at loss 1; so is it 0. The ratio of two of these is at most e^epsilon, attained.
    Actions depend on earlier bits alone: given the bits before, a neighbour's loss changes the distribution of its
    own bit, and what follows is a function of bits. Bits and actions of all rounds are epsilon-private in any one
    loss.

    With batches, an action is played for b rounds, and a trusted curator draws one bit of their mean loss at
    `response`. A loss moves the mean by 1 / b at most, a probability, (1 - r) / 2 = 1 / (b (e^epsilon - 1) + 2)
    or more, by r / b = (e^epsilon - 1) / (b (e^epsilon - 1) + 2): by a factor of e^epsilon at most, attained. A
    batch that the game cuts short is not read.

    Bits have the order of the losses and r times their gaps: the regret is that of the base learner on bits, times
    b / r, which is least, some sqrt(8 / epsilon), at b = 2 / epsilon where regret grows like the root of rounds.

    Parameters
    ----------
    base
        Bandit learner with ``n_actions``, ``act() -> int`` and ``observe(loss)``, for losses 0 and 1.
    epsilon
        Privacy level, positive.
    batch
        Rounds of a batch b, 1 to 2**53; at 1 privacy is local.
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

    def __init__(self, base: Any, *, epsilon: float, batch: int = 1, rng: Generator) -> None:
        self._base = validation.interface("base", base, ("n_actions", "act", "observe"))
        self.batch = validation.count("batch", batch, high=2**53)
        self._response = response(validation.positive("epsilon", epsilon), self.batch)
        self._rng = validation.generator(rng)
        self.n_actions: int = base.n_actions
        self.privacy = Privacy(
            epsilon=float(epsilon),
            protected="one round's loss, from everyone but its owner," if self.batch == 1 else "one round's loss",
            released="the bits and actions of all rounds",
            source="replicate.learners.competitors.random_bit.RandomBit",
        )
        self._action, self._seen, self._sum = -1, 0, 0.0

    def act(self) -> int:
        """Return the base learner's action, one for a batch."""
        if self._seen == 0:
            self._action = int(self._base.act())
        return self._action

    def observe(self, loss: float) -> None:
        """Add a loss in [0, 1] to the batch; at its end, draw the bit of the mean and pass it on."""
        self._sum += checked_loss(loss, self._action)
        self._seen += 1
        if self._seen == self.batch:
            mean, self._seen, self._sum, self._action = self._sum / self.batch, 0, 0.0, -1
            self._base.observe(drawn_bit(mean, self._response, self._rng))


def best_batch(*, n_actions: int, epsilon: float, horizon: int) -> int:
    """Return the rounds of a batch at which `regret_bound` is smallest.

    Examples
    --------
    >>> [best_batch(n_actions=8, epsilon=e, horizon=10**9) for e in (1.0, 0.1)]
    [1, 18]
    """
    level = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    sizes = np.unique(np.geomspace(1, min(rounds, 4 / level + 4), _BATCHES).astype(np.int64)).tolist()
    return min(sizes, key=lambda b: regret_bound(n_actions=n_actions, epsilon=level, horizon=rounds, batch=b))


def regret_bound(*, n_actions: int, epsilon: float, horizon: float, batch: int = 1) -> float:
    """Return b / r times `tsallis.regret_bound` of ceil(T / b) rounds: Tsallis-INF on random bits.

    Given the past and the losses, E[bit_a - bit_b] = r (loss_a - loss_b), r the `response`, for the bits that any
    two actions would have shown, with means over the batch for losses. The bits are losses in [0, 1]. These may
    react to earlier actions, as that bound allows, but not to the action of their own batch: losses that depend on
    the action of the round before may do so only without batches. (Arora, Dekel and Tewari 2012 bound the cost of
    an action that is kept for a batch, against opponents of short memory.) Rounds that the last batch lacks count
    as losses of 0, for every action.

    Parameters
    ----------
    n_actions, horizon
        K, 2 to 2**20, and T, 1 to 1e40.
    epsilon
        Privacy level, 1e-40 to 1e40.
    batch
        Rounds of a batch b, 1 to 2**53.

    Examples
    --------
    >>> [round(regret_bound(n_actions=8, epsilon=e, horizon=1e6)) for e in (1.0, 0.1)]
    [11712, 108339]
    >>> round(regret_bound(n_actions=8, epsilon=0.1, horizon=1e6, batch=18))
    63144
    """
    level = validation.real("epsilon", epsilon, low=1e-40, high=1e40)
    size, rounds = (
        validation.count("batch", batch, high=2**53),
        validation.real("horizon", horizon, low=1, high=1e40),
    )
    steps = rounds if size == 1 else math.ceil(rounds / size)
    return size * tsallis.regret_bound(n_actions=n_actions, horizon=steps) / response(level, size)
