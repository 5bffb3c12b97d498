"""Privacy from outside: what samples of a mechanism's outputs certify."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from replicate import certify, validation
from replicate.validation import FloatArray

Sampler = Callable[[int, np.random.Generator], ArrayLike]
"""(n, rng) to n independent outputs of a mechanism on one input: labels or numbers (n,), or rows (n, d)."""

_MOST_CODES = 2**22


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
        Outputs drawn from each, 4 to 2**40.
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
    half = validation.count("samples", samples, low=4, high=2**40) // 2
    delta = validation.real("delta", delta, low=0, high=1)
    false_alarm = validation.real("false_alarm", false_alarm, low=1e-300, high=0.5)
    for name, draw in (("first", first), ("second", second)):
        validation.function(name, draw)
    outputs = [np.asarray(draw(2 * half, validation.generator(rng))) for draw in (first, second)]
    scores = _likelihood_scores(outputs, half)
    chosen, certified = ([s[:half] for s in scores], [s[half:] for s in scores])
    events = [(one, sign) for one in (0, 1) for sign in (1.0, -1.0)]
    z = float(stats.norm.isf(false_alarm / 2))
    found = [_best_threshold(sign * chosen[one], sign * chosen[1 - one], delta=delta, z=z) for one, sign in events]
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
    label = _labels(np.concatenate(outputs))
    labels = np.split(label, 2)
    counts = [np.bincount(part[:half], minlength=label.max() + 1) + 0.5 for part in labels]
    ratio = np.log(counts[0] / counts[1])
    return [ratio[part] for part in labels]


def _labels(outcomes: NDArray[np.generic]) -> NDArray[np.int64]:
    """Number the outcomes, equal ones alike: (n,) or (n, d) -> (n,). Rows of small integers need no sorting."""
    rows = outcomes.reshape(len(outcomes), -1)
    if rows.dtype.kind in "iub":
        low, high = rows.min(axis=0).astype(np.int64), rows.max(axis=0).astype(np.int64)
        sizes = tuple(int(size) for size in high - low + 1)
        if math.prod(sizes) <= _MOST_CODES:
            return np.asarray(np.ravel_multi_index(tuple((rows - low).T.astype(np.int64)), sizes))
    return np.unique(outcomes, axis=0, return_inverse=True)[1].ravel()


def _best_threshold(one: FloatArray, other: FloatArray, *, delta: float, z: float) -> tuple[float, float]:
    """Threshold c at which log((P(score >= c) - delta) / Q(score >= c)) is largest, counts z deviations off."""
    candidates = np.unique(np.quantile(np.concatenate([one, other]), np.linspace(0, 1, 513), method="nearest"))
    p, q = ((np.sort(s), len(s)) for s in (one, other))
    inside_p = p[1] - np.searchsorted(p[0], candidates)
    inside_q = q[1] - np.searchsorted(q[0], candidates)
    low = (inside_p - z * np.sqrt(inside_p)) / p[1] - delta
    high = (inside_q + z * np.sqrt(inside_q) + z**2 / 2) / q[1]
    loss = np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)
    best = int(loss.argmax())
    return float(candidates[best]), float(loss[best])
