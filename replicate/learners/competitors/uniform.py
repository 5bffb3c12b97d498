"""Uniform play: every action alike, whatever the losses are; perfectly private, and what others must beat."""

from __future__ import annotations

import numpy as np

from replicate import validation
from replicate.environments import Environment
from replicate.learners.dyadic import MAX_HORIZON
from replicate.learners.protocol import MAX_ACTIONS, MAX_REPLICATES, PSEUDO, Privacy, Run
from replicate.validation import Generator


class UniformPlay:
    """Play every action with probability 1 / K.

    Proof of privacy: actions are drawn apart from all losses, so that two inputs give them one law, and epsilon
    is 0. Expected regret is the sum of the losses' mean less that of the comparator: at most T (1 - 1 / K) for
    any losses and any sequence of actions, also when losses react, for the action of a round is not known to them.

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
            protected="the losses of all rounds",
            source="replicate.learners.competitors.uniform.UniformPlay",
        )

    def act(self) -> int:
        """Draw an action."""
        return int(self._rng.integers(self.n_actions))

    def observe(self, loss: float) -> None:
        """Check the loss, and forget it."""
        validation.real("loss", loss, low=0, high=1)


def simulate(env: Environment, *, horizon: int, replicates: int, rng: Generator) -> Run:
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
