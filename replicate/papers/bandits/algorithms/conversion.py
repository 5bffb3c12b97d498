"""The conversion of any bandit learner to a private one (Algorithm 1), and the learners by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from replicate import validation
from replicate.learners.protocol import Privacy, checked_loss
from replicate.papers.bandits.algorithms import kernels, tuning
from replicate.papers.bandits.algorithms.base_learners import BaseLearner, learner_of


class PrivateBandit:
    """Algorithm 1: play each action of a base learner for a batch, feed back the noisy batch mean.

    The sequence of actions is epsilon-DP for every base learner (Lemma 3). The base learner must take
    negative and unbounded losses.

    Parameters
    ----------
    base
        Bandit learner with ``n_actions``, ``act() -> int`` and ``observe(loss)``.
    epsilon
        Privacy level in (0, 1].
    batch_size
        Rounds in a batch, tau; ceil(1 / epsilon) when None.
    rng
        Source of the noise.

    Examples
    --------
    >>> import numpy as np
    >>> from replicate.learners import play
    >>> from replicate.papers import bandits
    >>> rng = np.random.default_rng(1)
    >>> learner = PrivateBandit(bandits.HTINF(2, rng=rng), epsilon=0.5, rng=rng)
    >>> run = play(learner, np.tile([0.0, 1.0], (1000, 1)))
    >>> bool(run.final[0] < 500)
    True
    """

    feedback = "bandit"

    def __init__(
        self, base: Any, *, epsilon: float, batch_size: int | None = None, rng: np.random.Generator
    ) -> None:
        eps = validation.positive("epsilon", epsilon, high=1.0)
        self._base, self._rng = learner_of("base", base, counted="n_actions"), validation.generator(rng)
        self.n_actions: int = base.n_actions
        self.batch_size = (
            tuning.batch_size(eps) if batch_size is None else validation.count("batch_size", batch_size)
        )
        self.noise = 1 / (self.batch_size * eps)
        self.privacy = Privacy(epsilon=eps, source="BA-L3")
        self._action, self._seen, self._sum = -1, 0, 0.0  # line 1: no round of the first batch

    def act(self) -> int:
        """Return the action of this batch."""
        if self._seen == 0:  # line 4
            self._action = int(self._base.act())  # line 5
        return self._action  # line 7

    def observe(self, loss: float) -> None:
        """Add a loss in [0, 1]; at the end of the batch pass its noisy mean to the base learner."""
        self._sum += checked_loss(loss, self._action)  # line 8
        self._seen += 1
        if self._seen == self.batch_size:  # line 9
            mean = self._sum / self.batch_size  # line 10
            self._base.observe(mean + kernels.laplace(self._rng, self.noise))  # line 11
            self._action, self._seen, self._sum = -1, 0, 0.0  # line 12


def private_learner(
    learner: str, n_actions: int, *, epsilon: float, horizon: int, rng: np.random.Generator
) -> PrivateBandit:
    """Return a private learner for losses of one's own; `simulate` runs the same plan.

    Parameters
    ----------
    learner
        ``"htinf"``, ``"exp3"``, ``"ftpl"``: Algorithm 1 over that base learner. ``"per_round_exp3"``: EXP3
        with Laplace(1 / epsilon) on every loss.
    n_actions
        Number of actions K, 2 to 32,767.
    epsilon
        Privacy level in [1 / T, 1].
    horizon
        Number of rounds T that the learner is tuned for.
    rng
        Source of randomness of the base learner and of the noise.

    Raises
    ------
    ValueError
        If an argument is out of range, or the paper's tuning is undefined there.

    Examples
    --------
    >>> import numpy as np
    >>> private_learner("htinf", 5, epsilon=0.1, horizon=10_000, rng=np.random.default_rng(1)).batch_size
    10
    """
    validation.choice("learner", learner, tuple(tuning.PRIVATE))
    plan = tuning.plan(learner, n_actions=n_actions, epsilon=epsilon, horizon=horizon)
    base = BaseLearner(n_actions, plan, rng)
    return PrivateBandit(base, epsilon=epsilon, batch_size=plan.batch, rng=rng)


def floor_learner(learner: str, n_actions: int, *, horizon: int, rng: np.random.Generator) -> BaseLearner:
    """Return ``"tsallis_inf"`` or ``"plain_exp3"``, the learners without privacy, for losses of one's own."""
    validation.choice("learner", learner, tuple(tuning.NOT_PRIVATE))
    return BaseLearner(n_actions, tuning.plan(learner, n_actions=n_actions, epsilon=None, horizon=horizon), rng)
