"""Bandit learners whose step functions are compiled, round by round; losses as random bits; and uniform play."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from replicate import validation
from replicate.compiled import compiled
from replicate.environments import Environment
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import (
    MAX_ACTIONS,
    MAX_REPLICATES,
    NOT_PRIVATE,
    PSEUDO,
    Privacy,
    Run,
    checked_loss,
)
from replicate.validation import FloatArray, Generator

MAX_ARMS = 2**15 - 1


def drawn_bit(loss: float, response: float, rng: Generator) -> float:
    """Draw 1 with probability 1/2 + response (loss - 1/2), else 0; a certain bit takes no draw."""
    chance = 0.5 + response * (loss - 0.5)
    if chance <= 0.0 or chance >= 1.0:
        return 1.0 if chance >= 1.0 else 0.0
    return 1.0 if rng.random() < chance else 0.0


random_bit = compiled(error_model="numpy")(drawn_bit)
"""The same, for compiled loops: called for one bit alone it takes longer."""


class SteppedBandit:
    """A bandit learner made of two compiled functions, ``draw(state, rng)`` and ``learn(state, arm, loss)``.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 32,767.
    rng
        Source of randomness.
    words
        What ``fresh(K)``, the state before the first round, takes besides.
    """

    feedback = "bandit"
    privacy: Privacy = NOT_PRIVATE
    draw: ClassVar[Callable[..., Any]]
    learn: ClassVar[Callable[..., Any]]
    fresh: ClassVar[Callable[..., FloatArray]]
    reads_bits: ClassVar[bool] = False
    """Whether a loss between 0 and 1 is rounded at random to one of them before it is read."""

    def __init__(self, n_actions: int, *, rng: Generator, **words: Any) -> None:
        self.n_actions = checked_actions(n_actions)
        self._state = self.fresh(self.n_actions, **words)
        self._rng, self._action = validation.generator(rng), -1

    def act(self) -> int:
        """Return the action of this round."""
        self._action = int(self.draw(self._state, self._rng))
        return self._action

    def observe(self, loss: float) -> None:
        """See the loss of the action played, in [0, 1]."""
        value = checked_loss(loss, self._action)
        if self.reads_bits:
            value = drawn_bit(value, 1.0, self._rng)
        self.learn(self._state, self._action, value)
        self._action = -1


def checked_actions(n_actions: int) -> int:
    """Return the number of actions of a bandit learner, 2 to 32,767."""
    return validation.count("n_actions", n_actions, low=2, high=MAX_ARMS)


class UniformPlay:
    """Play every action with probability 1 / K.

    Proof of privacy: actions are drawn apart from all losses, so that two inputs give them one distribution, and
    epsilon is 0. Expected regret is the sum of the losses' mean less that of the comparator: at most T (1 - 1 / K)
    for any losses and any sequence of actions, also adaptive losses, for the action of a round is not known to
    them.

    Parameters
    ----------
    n_actions
        Number of actions K, 2 to 2**20.
    rng
        Source of the actions.

    Examples
    --------
    >>> UniformPlay(3, rng=np.random.default_rng(1)).privacy.epsilon
    0.0
    """

    feedback = "bandit"

    def __init__(self, n_actions: int, *, rng: Generator) -> None:
        self.n_actions = validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
        self._rng = validation.generator(rng)
        self.privacy = Privacy(
            epsilon=0.0,
            protected="the whole table of losses",
            source="replicate.learners.competitors.bandit.UniformPlay",
        )

    def act(self) -> int:
        """Draw an action."""
        return int(self._rng.integers(self.n_actions))

    def observe(self, loss: float) -> None:
        """Check the loss, and forget it."""
        validation.real("loss", loss, low=0, high=1)


def simulate_uniform(env: Environment, *, horizon: int, replicates: int, rng: Generator) -> Run:
    """Return the expected regret of uniform play, which no chance enters: the same in every replicate.

    Parameters
    ----------
    env
        The loss process.
    horizon
        Number of rounds T, 1 to 2**59.
    replicates
        How often the number is repeated, 1 to 10**6.
    rng
        Not read.
    """
    validation.interface("env", env, ("n_actions", "mean_sums"))
    rounds = validation.count("horizon", horizon, high=MAX_HORIZON)
    validation.generator(rng)
    means = env.mean_sums(0, rounds)
    many = validation.count("replicates", replicates, high=MAX_REPLICATES)
    return Run(np.array([rounds]), np.full((many, 1), means.mean() - means.min()), PSEUDO)
