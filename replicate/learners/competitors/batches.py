"""Games in which rounds come in batches: who reads their sums, and how their sums are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from replicate import validation
from replicate.environments import Environment
from replicate.learners.anytime import chunks, pace, paced
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import loss_row
from replicate.learners.pseudo_regret import Stretches
from replicate.validation import FloatArray, Generator

_CHUNK = 2**18
"""Numbers of a chunk of batches' sums."""
_MOST_STEPS = 2**34
Stretch = tuple[int, int, Any]
"""First round, number of batches, and their tuning."""


class BatchLearner:
    """A learner that reads sums of batches; subclasses say what becomes of them (`_end`).

    Parameters
    ----------
    n_actions
        Number of actions K.
    horizon
        Number of rounds T; None where nobody knows it: batches are those of `replicate.learners.anytime.pace`.
    tuned
        ``tuned(n_actions=K, horizon=T)``: a tuning, which has the rounds of a `batch`.
    rng
        Source of randomness.
    """

    feedback = "full"

    def __init__(self, n_actions: int, *, horizon: int | None, tuned: Callable[..., Any], rng: Generator) -> None:
        self._tuned, self._paced = partial(tuned, n_actions=n_actions), horizon is None
        self._pace = pace(0) if horizon is None else horizon
        self.tuning = self._tuned(horizon=self._pace)
        self.n_actions, self.horizon = int(n_actions), MAX_HORIZON if horizon is None else int(horizon)
        self._rng = validation.generator(rng)
        self._round, self._start, self._sum = 0, 0, np.zeros(self.n_actions)

    def observe(self, losses: Any) -> None:
        """Add this round's loss vector, shape (K,), to the batch; the last batch is not read.

        Raises
        ------
        ValueError
            If it is no loss vector, or the horizon has passed.
        """
        row = loss_row(losses, self.n_actions)
        if self._round == self.horizon:
            raise ValueError(f"losses must be of at most {self.horizon} rounds, the horizon")
        self._round += 1
        self._sum = self._sum + row
        if (self._round - self._start) % self.tuning.batch == 0 and self._round < self.horizon:
            self._sum = self._end(self._sum)
            if self._paced and self._pace < pace(self._round):
                self._pace, self._start = pace(self._round), self._round
                self.tuning = self._tuned(horizon=self._pace)

    def _end(self, sums: FloatArray) -> FloatArray:
        """Take in the sums of a batch; return those with which the next one begins."""
        raise NotImplementedError


def stretches(
    env: Environment, tuned: Callable[..., Any], *, horizon: int, unending: bool = False
) -> list[Stretch]:
    """Return the stretches of batches of a game whose learner is told T, or is not.

    Raises
    ------
    ValueError
        If the environment is none, or the game has more than 2**34 / K batches.
    """
    validation.interface("env", env, ("n_actions", "sums", "mean_sums"))
    tuned = partial(tuned, n_actions=env.n_actions)
    plan, rounds = tuned(horizon=horizon), int(horizon)
    batches = -(-rounds // plan.batch)
    if batches * env.n_actions > _MOST_STEPS:
        raise ValueError(f"horizon must make at most 2**34 / K batches, got {rounds} in batches of {plan.batch}")
    if not validation.flag("unending", unending):
        return [(0, batches, plan)]
    parts = paced(rounds, lambda length: int(tuned(horizon=length).batch))
    return [(start, many, tuned(horizon=length)) for start, many, length in parts]


def drawn(
    game: Stretches, plans: Sequence[Stretch], rng: Generator
) -> Iterator[tuple[Any, FloatArray, FloatArray, bool]]:
    """Draw a game's batches in chunks: tuning, sums and regrets, shape (n, K), and whether the game ends there."""
    for start, many, plan in plans:
        for chunk in chunks([(start, many, plan.batch)], max(_CHUNK // game.env.n_actions, 1)):
            edges, (_, cost) = game.edges(*chunk), game.expected(*chunk)
            sums = np.asarray(game.env.sums(edges[:-1], edges[1:], rng=rng), dtype=np.float64)
            yield plan, sums, cost, bool(edges[-1] == game.horizon)
