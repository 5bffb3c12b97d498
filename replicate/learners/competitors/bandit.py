"""Bandit learners whose step functions are compiled, round by round; losses as random bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from replicate import validation
from replicate.compiled import compiled
from replicate.learners.protocol import NOT_PRIVATE, Privacy, checked_loss
from replicate.validation import FloatArray, Generator

MAX_ACTIONS = 2**15 - 1


def drawn_bit(loss: float, response: float, rng: Generator) -> float:
    """Draw 1 with probability 1/2 + response (loss - 1/2), else 0; a certain bit takes no draw."""
    chance = 0.5 + response * (loss - 0.5)
    if chance <= 0.0 or chance >= 1.0:
        return 1.0 if chance >= 1.0 else 0.0
    return 1.0 if rng.random() < chance else 0.0


random_bit = compiled(error_model="numpy")(drawn_bit)
"""The same, for compiled loops: called for one bit alone it takes longer."""


class SteppedBandit:
    """A bandit learner made of two compiled functions, ``draw(state, rng)`` and ``learn(state, arm, loss)``."""

    feedback = "bandit"
    privacy: Privacy = NOT_PRIVATE
    draw: ClassVar[Callable[..., Any]]
    learn: ClassVar[Callable[..., Any]]
    reads_bits: ClassVar[bool] = False
    """Whether a loss between 0 and 1 is rounded at random to one of them before it is read."""

    def __init__(self, n_actions: int, state: FloatArray, rng: Generator) -> None:
        self.n_actions, self._state = n_actions, state
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
    return validation.count("n_actions", n_actions, low=2, high=MAX_ACTIONS)
