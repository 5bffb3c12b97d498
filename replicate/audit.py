"""Privacy, measured: exact worst-case losses and certified lower bounds.

The neighbouring relation throughout: two inputs are neighbours when they differ in one round's whole
loss vector (event level, replace one). A mechanism is epsilon-DP when the log ratio of its output
probabilities, on every output and every pair of neighbours, is at most epsilon.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import optimize

from replicate import boundary, certify, mechanisms

__all__ = ["certified_privacy_loss", "exhaustive_privacy_loss", "privacy_loss", "report_noisy_max_privacy_loss"]

Sampler = Callable[[int, np.random.Generator], ArrayLike]
"""(n, rng) to n independent outputs of a mechanism on one input: labels or numbers (n,), or rows (n, d)."""

FloatArray = NDArray[np.float64]


def privacy_loss(p: ArrayLike, q: ArrayLike) -> FloatArray:
    """Largest |log p - log q| over the outcomes: shapes (..., C) -> (...).

    Outcomes impossible under both laws do not count; one that is impossible under only one is an infinite loss.
    """
    first, second = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if first.min(initial=0) < 0 or second.min(initial=0) < 0:
        raise ValueError("p and q must be probabilities, got negative entries")
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = np.abs(np.log(first) - np.log(second))
    return np.asarray(np.where((first == 0) & (second == 0), 0.0, loss).max(axis=-1))


def exhaustive_privacy_loss(
    output_law: Callable[[FloatArray], FloatArray],
    *,
    n_rounds: int,
    n_actions: int,
    levels: ArrayLike = (0.0, 1.0),
) -> float:
    """Worst privacy loss over all tables with entries in `levels` and all their neighbours, by enumeration.

    Parameters
    ----------
    output_law
        Table of losses, shape (T, K), to the probabilities of the outputs, shape (C,).
    n_rounds, n_actions
        T and K. There are len(levels) ** (T * K) tables: keep them tiny.
    levels
        Values a loss may take, in [0, 1].
    """
    values = boundary.unit_array("levels", levels, ndim=1, min_last=1)
    vectors = np.array(list(product(values, repeat=boundary.count("n_actions", n_actions, low=2))))
    n_rounds = boundary.count("n_rounds", n_rounds)
    index = np.array(list(product(range(len(vectors)), repeat=n_rounds)))
    laws = np.array([output_law(vectors[row]) for row in index])
    place = len(vectors) ** np.arange(n_rounds - 1, -1, -1)
    worst = 0.0
    for t in range(n_rounds):
        for shift in range(1, len(vectors)):
            moved = index.copy()
            moved[:, t] = (moved[:, t] + shift) % len(vectors)
            worst = max(worst, float(privacy_loss(laws, laws[moved @ place]).max()))
    return worst


def certified_privacy_loss(
    first: Sampler,
    second: Sampler,
    *,
    samples: int,
    delta: float = 0.0,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    rng: np.random.Generator,
) -> float:
    """Return a lower limit on epsilon that samples of a mechanism's outputs on two neighbouring inputs certify.

    An (epsilon, delta)-private mechanism satisfies P(S) <= exp(epsilon) Q(S) + delta for every event S, P and Q
    its output laws on the two inputs, in either order. Half of the samples choose S, a set of outputs with a
    large ratio of probabilities. The other half bound P(S) from below and Q(S) from above (Clopper-Pearson).

    Parameters
    ----------
    first, second
        The mechanism on two neighbouring inputs. Integers and rows count as outcomes, floats by size.
    samples
        Outputs drawn from each, at least 4.
    delta
        The delta of the claim under test, in [0, 1).
    false_alarm
        Probability with which the limit may lie above the mechanism's true epsilon.
    rng
        Source of randomness.

    Returns
    -------
    The lower limit, at least 0; 0 when the samples certify nothing.
    """
    half = boundary.count("samples", samples, low=4) // 2
    delta = boundary.real("delta", delta, low=0, high=1)
    outputs = [np.asarray(draw(2 * half, boundary.generator(rng))) for draw in (first, second)]
    scores = _likelihood_scores(outputs, half)
    chosen, certified = ([s[:half] for s in scores], [s[half:] for s in scores])
    events = [(one, sign) for one in (0, 1) for sign in (1.0, -1.0)]
    found = [_best_threshold(sign * chosen[one], sign * chosen[1 - one], delta) for one, sign in events]
    best = int(np.argmax([loss for _, loss in found]))
    (one, sign), threshold = events[best], found[best][0]
    inside = [int((sign * certified[i] >= threshold).sum()) for i in (one, 1 - one)]
    low = certify.clopper_pearson(inside[0], half, false_alarm=false_alarm).low
    high = certify.clopper_pearson(inside[1], half, false_alarm=false_alarm).high
    return float(np.log((low - delta) / high)) if low - delta > high else 0.0


def _likelihood_scores(outputs: list[NDArray[np.generic]], half: int) -> list[FloatArray]:
    """Score outputs by how much they speak for the first input; numbers speak for themselves.

    Outcomes are scored by the log ratio of their smoothed counts in the first halves.
    """
    if outputs[0].ndim == 1 and outputs[0].dtype.kind == "f":
        return [np.asarray(o, dtype=np.float64) for o in outputs]
    _, label = np.unique(np.concatenate(outputs), axis=0, return_inverse=True)
    labels = np.split(label.ravel(), 2)
    counts = [np.bincount(part[:half], minlength=label.max() + 1) + 0.5 for part in labels]
    ratio = np.log(counts[0] / counts[1])
    return [ratio[part] for part in labels]


def _best_threshold(one: FloatArray, other: FloatArray, delta: float) -> tuple[float, float]:
    """Threshold c at which a cautious estimate of log((P(score >= c) - delta) / Q(score >= c)) is largest."""
    candidates = np.unique(np.quantile(np.concatenate([one, other]), np.linspace(0, 1, 513), method="nearest"))
    p, q = ((np.sort(s), len(s)) for s in (one, other))
    inside_p = p[1] - np.searchsorted(p[0], candidates)
    inside_q = q[1] - np.searchsorted(q[0], candidates)
    low = (inside_p - 3 * np.sqrt(inside_p)) / p[1] - delta
    high = (inside_q + 3 * np.sqrt(inside_q) + 9) / q[1]
    loss = np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)
    best = int(loss.argmax())
    return float(candidates[best]), float(loss[best])


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

    Parameters
    ----------
    n_actions
        Number of actions K; at most 8 where the leads are optimised.
    noise, scale
        The mechanism, as for `mechanisms.report_noisy_max_pmf`.
    n_rounds
        Rounds summed, losses in [0, 1]; None for the supremum over any number of rounds.
    monotone
        Whether all scores move the same way, as counts do when one person's record is added or removed.
    """
    n_actions = boundary.count("n_actions", n_actions, low=2)
    boundary.choice("noise", noise, mechanisms.NOISES)
    scale = boundary.positive("scale", scale)
    back = 0.0 if monotone else 1.0
    if n_rounds is None:
        return (1 + back) / scale
    longest = boundary.count("n_rounds", n_rounds) - 1.0
    if n_actions > 2:
        boundary.count("n_actions", n_actions, high=8)

    def loss(leads: FloatArray) -> FloatArray:
        """Privacy loss at leads over the action that moves, shape (..., K - 1)."""
        own = np.zeros((*leads.shape[:-1], 1))
        before = np.concatenate([own, leads - back], axis=-1)
        after = np.concatenate([own, leads + 1], axis=-1)
        first, second = (
            mechanisms.report_noisy_max_pmf(s, noise=noise, scale=scale)[..., 0] for s in (before, after)
        )
        return np.asarray(np.log(first) - np.log(second))

    if n_actions == 2:
        return float(loss(np.array([longest])))
    return _largest(lambda rest: loss(np.insert(rest, 0, longest, axis=-1)), n_actions - 2, longest)


def _largest(function: Callable[[FloatArray], FloatArray], dimension: int, high: float) -> float:
    """Maximum over [0, high]**dimension of a symmetric function: (..., dimension) -> (...)."""
    corners = high * np.tri(dimension + 1, dimension, -1)
    inside = high * np.linspace(0.1, 0.9, 5)[:, None] * np.ones(dimension)
    starts = np.concatenate([corners, inside])
    values = function(starts)
    if high == 0:
        return float(values.max())
    best = starts[np.argsort(values)[-3:]]
    refined = [
        optimize.minimize(lambda x: -float(function(x)), start, bounds=[(0, high)] * dimension) for start in best
    ]
    return float(max(values.max(), *(-result.fun for result in refined)))
