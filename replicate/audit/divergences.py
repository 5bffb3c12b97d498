r"""Beyond pure epsilon: Renyi divergences and zero-concentrated privacy.

The Renyi divergence of order a > 1 is D_a(P || Q) = log(sum p^a q^(1 - a)) / (a - 1), for a = infinity the
largest log ratio. A mechanism is rho-zCDP when D_a(P || Q) <= rho a for every order and every pair of neighbours.

What samples can say. An event S turns P and Q into coins, and no processing raises the divergence: D_a(P || Q) is
at least that of coins with probabilities P(S) and Q(S). It grows as the larger moves up or the smaller down: a
lower limit of P(S) and an upper limit of Q(S) give a lower limit. There is no upper one for laws on infinite sets,
for outcomes too rare to be seen may carry any divergence. On finitely many outcomes limits of every single
probability give one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import scipy
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from replicate import certify, validation
from replicate.audit.certificates import Event
from replicate.audit.outcomes import Outputs
from replicate.audit.outputs import Sampler, pair_of
from replicate.audit.scores import Rounded, ScoreFunction, fitted_scores, scored
from replicate.validation import FloatArray, Generator

_ORDERS = 1 + np.geomspace(1e-3, 1e3, 241)
_THRESHOLDS = 256
_CAUTION = 2.0
"""Deviations by which frequencies are discounted while an event is chosen."""
_NAMES = ("first", "second")


def renyi_divergence(p: ArrayLike, q: ArrayLike, *, order: float) -> float:
    """Exact Renyi divergence of two laws on finitely many outcomes.

    Parameters
    ----------
    p, q
        Probabilities, shape (C,).
    order
        Larger than 1, at most 1e6, or infinity.

    Returns
    -------
    D_order(P || Q), infinite where an outcome is possible under P only.
    """
    first, second = _laws(p, q)
    return float(_renyi(first, second, _order(order)))


def zcdp_loss(p: ArrayLike, q: ArrayLike) -> float:
    """Smallest rho with D_a(P || Q) <= rho a and D_a(Q || P) <= rho a for orders a from 1.001 to 1001, exactly.

    Parameters
    ----------
    p, q
        Probabilities, shape (C,).
    """
    first, second = _laws(p, q)
    return float(max(_concentrated(first, second), _concentrated(second, first)))


def _laws(p: ArrayLike, q: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Check two laws on the same outcomes."""
    first, second = (validation.probabilities(name, law) for name, law in (("p", p), ("q", q)))
    if first.shape != second.shape:
        raise ValueError(f"q must have as many outcomes as p, {len(first)}, got {len(second)}")
    return first, second


def _order(order: float) -> float:
    """Check an order."""
    if isinstance(order, float) and order == math.inf:
        return math.inf
    return validation.real("order", order, low=1 + 1e-9, high=1e6)


def _renyi(p: FloatArray, q: FloatArray, order: float | FloatArray) -> FloatArray:
    """Renyi divergences of vectors whose last axis holds outcomes, not necessarily summing to one.

    Shapes (..., C) to (...), or to (o, ...) for o finite orders.
    """
    # p^a q^(1 - a) = p (p / q)^(a - 1)
    above = np.reshape(order, np.shape(order) + (1,) * p.ndim) - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(p > 0, np.log(p) - np.log(q), -np.inf)
        if np.ndim(order) == 0 and order == math.inf:
            return np.asarray(ratio.max(axis=-1))
        terms = np.where(p > 0, np.log(p) + above * ratio, -np.inf)
        return np.asarray(logsumexp(terms, axis=-1) / above[..., 0])


def _concentrated(p: FloatArray, q: FloatArray) -> FloatArray:
    """Largest D_a / a over the orders, along the last axis."""
    some = np.array_split(_ORDERS, 8)  # what they take stays in the processor's cache
    return np.max([(_renyi(p, q, a).T / a).T.max(axis=0) for a in some], axis=0)


def _coins(p: FloatArray, q: FloatArray, divergence: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
    """Divergence of coins with probabilities p and q, (m,) -> (m,); 0 unless p > q."""
    bernoulli = divergence(np.stack([p, 1 - p], axis=-1), np.stack([q, 1 - q], axis=-1))
    return np.where(p > q, bernoulli, 0.0)


def certified_renyi(
    first: Sampler,
    second: Sampler,
    *,
    order: float,
    samples: int,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    rng: Generator,
    score: ScoreFunction | None = None,
) -> float:
    """Lower confidence limit of D_order between the outputs on two inputs, the larger direction.

    Parameters
    ----------
    first, second
        The mechanism on two neighbouring inputs.
    order
        Larger than 1, at most 1e6, or infinity.
    samples
        Outputs drawn from each, 100 to 2**40: a fifth fits a score, a tenth chooses the event.
    false_alarm
        Probability with which the limit lies above the divergence.
    rng
        Source of randomness.
    score
        Function of the outputs; fitted when None.
    """
    a = _order(order)
    return _certified(_Parts(first, second, samples, rng, score), lambda p, q: _renyi(p, q, a), false_alarm)


def certified_zcdp(
    first: Sampler,
    second: Sampler,
    *,
    samples: int,
    false_alarm: float = certify.CLAIM_FALSE_ALARM,
    rng: Generator,
    score: ScoreFunction | None = None,
) -> float:
    """Lower confidence limit of the rho at which a mechanism is rho-zCDP; arguments as for `certified_renyi`."""
    return _certified(_Parts(first, second, samples, rng, score), _concentrated, false_alarm)


def _certified(
    parts: _Parts, divergence: Callable[[FloatArray, FloatArray], FloatArray], false_alarm: float
) -> float:
    """Lower limit of a divergence from the event that promises the largest one."""
    false_alarm = validation.real("false_alarm", false_alarm, low=1e-300, high=0.5)
    best, event = -1.0, Event(parts.scores[0], 1.0, math.inf, False)
    z, runs = float(scipy.stats.norm.isf(false_alarm / 2)), len(parts.certified[0])
    for score_function in parts.scores:
        values = [scored(score_function, outputs) for outputs in parts.chosen]
        for swapped in (False, True):
            for sign in (1.0, -1.0):
                one, other = (sign * v for v in (values[::-1] if swapped else values))
                thresholds, p, q = _frequencies(one, other)
                least, most = (_moved(x, s, z, len(one), runs) for s, x in ((-1, p), (1, q)))
                promise = _coins(least, most, divergence)
                if promise.max() > best:
                    best = float(promise.max())
                    event = Event(score_function, sign, float(thresholds[promise.argmax()]), swapped)
    inside = [int(event.holds(outputs).sum()) for outputs in parts.certified]
    inside = inside[::-1] if event.swapped else inside
    # two limits, half of the false alarm each: a union bound
    low = certify.binomial_lower(inside[0], runs, false_alarm=false_alarm / 2)
    high = certify.binomial_upper(inside[1], runs, false_alarm=false_alarm / 2)
    return float(_coins(np.array([low]), np.array([high]), divergence)[0])


class _Parts:
    """Outputs on both inputs, cut into those that fit scores, choose among them, and certify."""

    def __init__(
        self, first: Sampler, second: Sampler, samples: int, rng: Generator, score: ScoreFunction | None
    ) -> None:
        n, rng = validation.count("samples", samples, low=100, high=2**40), validation.generator(rng)
        pair = [validation.function(name, s) for name, s in zip(_NAMES, (first, second), strict=True)]
        sizes = (n // 5, n // 10, n - n // 5 - n // 10)
        drawn = [pair_of(pair[0], pair[1], size, rng) for size in sizes]
        self.scores: Sequence[ScoreFunction] = fitted_scores(*drawn[0]) if score is None else [
            Rounded.of(validation.function("score", score), drawn[1])
        ]  # fmt: skip
        self.chosen: list[Outputs] = drawn[1]
        self.certified: list[Outputs] = drawn[2]


def _moved(p: FloatArray, side: int, z: float, n: int, runs: int) -> FloatArray:
    """Limits that `runs` further runs promise: frequencies among n, moved by their own error and z deviations."""
    deviations = _CAUTION / math.sqrt(n) + z / math.sqrt(runs)
    return np.clip(p + side * deviations * np.sqrt(p * (1 - p) + 1 / n), 1e-12, 1 - 1e-12)


def _frequencies(one: FloatArray, other: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Thresholds c, and how often scores reach them: P(score >= c) and Q(score >= c)."""
    levels = np.linspace(0, 1, _THRESHOLDS)
    thresholds = np.unique(np.quantile(np.concatenate([one, other]), levels, method="nearest"))
    p, q = ((len(v) - np.searchsorted(np.sort(v), thresholds)) / len(v) for v in (one, other))
    return thresholds, p, q
