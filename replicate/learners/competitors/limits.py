"""Confidence limits of a mean loss from the divergence of Bernoulli laws, with and without privacy."""

from __future__ import annotations

import math

import numpy as np

from replicate.compiled import compiled
from replicate.learners.competitors.kl_ucb import lowest_mean, negative_entropy
from replicate.validation import FloatArray


@compiled(error_model="numpy")
def divergence(x: float, y: float) -> float:
    """Return kl(x, y) of Bernoulli means x and y in [0, 1], infinite where y cannot give x."""
    total = 0.0
    for p, q in ((x, y), (1 - x, 1 - y)):
        if p > 0:
            total += p * math.log(p / q) if q > 0 else math.inf
    return max(total, 0.0)  # rounding may make equal means differ by less than nothing


@compiled(error_model="numpy")
def kl_limit(mean: float, count: float, level: float) -> float:
    """Return the smallest q with count kl(mean, q) <= level, mean in [0, 1]."""
    total = mean * count
    return lowest_mean(total, count, negative_entropy(total, count), level, 0.0)


@compiled(error_model="numpy")
def _turn(y: float, epsilon: float) -> float:
    """Return z at which the slope of z -> kl(z, y) is epsilon: logit z = logit y + epsilon."""
    return y / (y + (1 - y) * math.exp(-epsilon)) if y > 0 else 0.0


@compiled(error_model="numpy")
def private_divergence(x: float, y: float, epsilon: float) -> float:
    """Return inf over z of kl(z, y) + epsilon |x - z| for y <= x: what separates means of x and y under privacy.

    The infimum is taken at z = x when x is at most `_turn`(y), and at `_turn`(y) otherwise, where it is
    epsilon x - log(1 + y (e^epsilon - 1)).
    """
    if x <= _turn(y, epsilon):
        return divergence(x, y)
    if y <= 0:
        return epsilon * x
    # epsilon x - log(1 + y (e^epsilon - 1)), without e^epsilon, which overflows
    return max(-epsilon * (1 - x) - math.log(math.exp(-epsilon) - y * math.expm1(-epsilon)), 0.0)


@compiled(error_model="numpy")
def private_limit(mean: float, count: float, level: float, epsilon: float) -> float:
    """Return the smallest q with count `private_divergence`(mean, q) <= level, mean in [0, 1].

    On the straight part the limit has a closed form; where that is not in force, it is `kl_limit`.
    """
    # at q = 0 the divergence is epsilon times the mean: the limit may be 0
    excess = epsilon * mean - level / count
    if excess <= 0:
        return 0.0
    # the y at which the straight part is level / count, in the same way
    straight = math.exp(-epsilon * (1 - mean) - level / count) * math.expm1(-excess) / math.expm1(-epsilon)
    if straight <= 0:  # below the smallest number: epsilon is so large that only the divergence counts
        return kl_limit(mean, count, level)
    return straight if _turn(straight, epsilon) <= mean else kl_limit(mean, count, level)


@compiled(error_model="numpy")
def kl_limits(means: FloatArray, counts: FloatArray, level: float) -> FloatArray:
    """Return `kl_limit` of every action, shapes (K,)."""
    return np.array([kl_limit(means[i], counts[i], level) for i in range(len(means))])


@compiled(error_model="numpy")
def private_limits(means: FloatArray, counts: FloatArray, level: float, epsilon: float) -> FloatArray:
    """Return `private_limit` of every action, shapes (K,)."""
    return np.array([private_limit(means[i], counts[i], level, epsilon) for i in range(len(means))])


@compiled(error_model="numpy")
def private_evidence(means: FloatArray, counts: FloatArray, epsilon: float) -> FloatArray:
    """Return count `private_divergence`(mean, smallest mean) + log count of every action, shapes (K,)."""
    best, evidence = means.min(), np.empty(len(means))
    for i in range(len(means)):
        evidence[i] = counts[i] * private_divergence(means[i], best, epsilon) + math.log(counts[i])
    return evidence
