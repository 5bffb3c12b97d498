"""Exact worst-case privacy loss of one selection from summed losses."""

from __future__ import annotations

import math

import numpy as np

from replicate import mechanisms, validation
from replicate.audit.optimise import largest, starting_points
from replicate.learners.dyadic import Selector
from replicate.validation import FloatArray

_FARTHEST, _SMALLEST = 250.0, 0.005


def report_noisy_max_privacy_loss(
    n_actions: int, *, noise: str, scale: float, n_rounds: int | None = None, monotone: bool = False
) -> float:
    """Exact worst privacy loss of report-noisy-max over neighbouring score vectors.

    Scores are sums of losses (or their negatives) over a stretch of rounds; a neighbour replaces one round's
    loss vector, so every score may move by up to 1, each in its own direction.

    An action's probability falls when its own score falls and when another's rises. The worst pair therefore
    moves one action against all the others, and only the leads D[i] of the others over it matter: the loss is
    log P(D - a) - log P(D + 1), where a = 1, or a = 0 when all scores move the same way. P is log-concave in D
    (the noises are), so the loss grows when all leads grow together, and the largest lead is n_rounds - 1.
    With two actions that is a closed form; with more, the other leads are optimised in [0, n_rounds - 1].

    Without a limit on the rounds the supremum is (1 + a) / scale for every noise and every number of actions.
    No pair exceeds it, for P(Q > x + 1 + a) >= exp(-(1 + a) / scale) P(Q > x) at every x, and two actions
    whose scores drift apart approach it. Exponential noise attains it, Gumbel and Laplace do not.

    With three actions or more and all leads at n_rounds - 1 >= a the loss is within
    exp(-(n_rounds - 1 - a) / scale) of the supremum, so leads beyond 250 scales, where probabilities leave the
    range of floats, are not looked at.

    Parameters
    ----------
    n_actions
        Number of actions K; at most 8 where the leads are optimised.
    noise, scale
        The mechanism, as for `mechanisms.report_noisy_max_pmf`; the scale is at least 0.005 where the leads are
        optimised.
    n_rounds
        Rounds summed, losses in [0, 1]; None for the supremum over any number of rounds.
    monotone
        Whether all scores move the same way, as counts do when one person's record is added or removed.
    """
    n_actions = validation.count("n_actions", n_actions, low=2)
    validation.choice("noise", noise, mechanisms.NOISES)
    scale = validation.positive("scale", scale)
    validation.flag("monotone", monotone)
    back = 0.0 if monotone else 1.0
    if n_rounds is None:
        return (1 + back) / scale
    longest = validation.count("n_rounds", n_rounds) - 1.0
    if n_actions == 2:
        return _log_chance((longest - back) / scale, noise) - _log_chance((longest + 1) / scale, noise)
    validation.count("n_actions", n_actions, high=8)
    validation.real("scale", scale, low=_SMALLEST)
    # beyond, probabilities leave the range of floats, and the loss is within exp(-250) of its supremum
    longest = min(longest, _FARTHEST * scale)

    def loss(leads: FloatArray) -> FloatArray:
        """Privacy loss at leads over the action that moves, shape (..., K - 1)."""
        # the action that moves has score 0; the others go back by a, or on by 1
        zero = np.zeros((*leads.shape[:-1], 1))
        before = np.concatenate([zero, leads - back], axis=-1)
        after = np.concatenate([zero, leads + 1], axis=-1)
        first, second = (
            mechanisms.report_noisy_max_pmf(s, noise=noise, scale=scale)[..., 0] for s in (before, after)
        )
        return np.asarray(np.log(first) - np.log(second))

    others = n_actions - 2
    corners = longest * np.tri(others + 1, others, -1)  # the loss is symmetric in the other leads
    inside = longest * np.linspace(0.1, 0.9, 5)[:, None] * np.ones(others)
    return largest(
        lambda rest: loss(np.insert(rest, 0, longest, axis=-1)),
        np.zeros(others),
        np.full(others, longest),
        np.vstack([corners, inside]),
        keep=3,
    )


def _log_chance(lead: float, noise: str) -> float:
    """Log probability of one of two actions, over which the other has a lead, in scales."""
    if noise == "gumbel":
        return -float(np.logaddexp(0.0, lead))
    far = abs(lead)
    # the difference of two noises: P(it > x) = less exp(-x), x >= 0
    less = 0.5 if noise == "exponential" else 0.5 + far / 4
    return math.log(less) - far if lead > 0 else math.log1p(-less * math.exp(-far))


def selection_privacy_loss(
    selector: Selector, *, n_actions: int, n_rounds: int, starts: int = 2000, keep: int = 4
) -> float:
    """Largest privacy loss found for any selection from summed losses, over neighbouring vectors of sums.

    The sums of the common rounds, in [0, n_rounds - 1], and the two vectors of the round that differs, in [0,
    1], are optimised together for every action: from points of a low-discrepancy sequence and corners of the
    box, and from the pair that is worst for report-noisy-max, one action against all the others. A lower limit
    of the worst loss; exact where the search ends on its hill.

    Parameters
    ----------
    selector
        Summed losses (..., K) to the distribution of the action (..., K).
    n_actions
        K, 2 to 8.
    n_rounds
        Rounds summed.
    starts, keep
        Points to start from, and how many of them to climb from, for each action.
    """
    k = validation.count("n_actions", n_actions, low=2, high=8)
    longest = validation.count("n_rounds", n_rounds) - 1.0
    validation.function("selector", selector)
    starts = validation.count("starts", starts, low=2, high=2**20)
    keep = validation.count("keep", keep, high=2**20)
    low, high = np.zeros(3 * k), np.repeat([longest, 1.0, 1.0], k)
    points = starting_points(low, high, count=starts)

    def loss(x: FloatArray, action: int) -> FloatArray:
        """Log ratio of one action's probabilities: common sums and two vectors, (..., 3 K) -> (...)."""
        rest, one, other = np.split(x, 3, axis=-1)
        first, second = (selector(rest + vector)[..., action] for vector in (one, other))
        return np.asarray(np.log(first) - np.log(second))

    def from_the(action: int) -> float:
        chosen = np.arange(k) == action
        against = np.concatenate([longest * chosen, ~chosen, chosen]).astype(np.float64)
        swapped = np.concatenate([longest * chosen, chosen, ~chosen]).astype(np.float64)
        begin = np.vstack([points, against, swapped])
        return largest(lambda x: loss(x, action), low, high, begin, keep=keep)

    return max(from_the(action) for action in range(k))
