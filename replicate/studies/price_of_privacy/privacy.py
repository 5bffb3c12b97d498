"""Exact privacy losses of policies, and laws of the learner on batches."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from replicate import audit
from replicate.studies.price_of_privacy.algorithms.policies import Policy
from replicate.validation import FloatArray


def exact_loss(policy: Policy, *, levels: tuple[float, ...] = (0.0, 0.5, 1.0), batch: int = 1) -> float:
    """Return the largest privacy loss of the sequence of actions over all tables with such losses.

    Parameters
    ----------
    policy
        The policy.
    levels
        Values that a loss takes.
    batch
        Rounds m of a batch: the learner's T actions, one a batch, on tables of m T rounds.
    """
    sizes = {"n_rounds": batch * policy.game.horizon, "n_actions": policy.game.n_actions}
    return audit.exhaustive_privacy_loss(law_on_batches(policy, batch), levels=levels, **sizes)


def law_on_batches(policy: Policy, batch: int) -> Callable[[FloatArray], FloatArray]:
    """Return the law of the batches' actions: the mean of the policy's law over the rounds that may be drawn.

    Parameters
    ----------
    policy
        The policy.
    batch
        Rounds m of a batch.

    Returns
    -------
    Table of losses, shape (m T, K), to probabilities, shape (K**T,).
    """
    drawn = np.array(list(product(range(batch), repeat=policy.game.horizon)))
    rounds = drawn + batch * np.arange(policy.game.horizon)
    return lambda losses: np.mean([policy.law(losses[chosen]) for chosen in rounds], axis=0)
