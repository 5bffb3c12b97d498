"""Confidence limits of a mean loss from the divergence of Bernoulli laws, with and without privacy."""

from __future__ import annotations

import math

from replicate.learners.competitors.kl_ucb import lowest_mean, negative_entropy


def divergence(x: float, y: float) -> float:
    """Return kl(x, y) of Bernoulli means x and y in [0, 1], infinite where y cannot give x."""
    total = 0.0
    for p, q in ((x, y), (1 - x, 1 - y)):
        if p > 0:
            total += p * math.log(p / q) if q > 0 else math.inf
    return max(total, 0.0)


def kl_limit(mean: float, count: float, level: float) -> float:
    """Return the smallest q with count kl(mean, q) <= level, mean in [0, 1]."""
    total = mean * count
    return float(lowest_mean(total, count, negative_entropy(total, count), level, 0.0))


def _turn(y: float, epsilon: float) -> float:
    """Where the slope of z -> kl(z, y) is epsilon: logit z = logit y + epsilon."""
    return y / (y + (1 - y) * math.exp(-epsilon)) if y > 0 else 0.0


def private_divergence(x: float, y: float, epsilon: float) -> float:
    """Return inf over z of kl(z, y) + epsilon |x - z| for y <= x: what separates means of x and y under privacy.

    The infimum is taken at z = x when x is at most `_turn`(y), and at `_turn`(y) otherwise, where it is
    epsilon x - log(1 + y (e^epsilon - 1)).
    """
    if x <= _turn(y, epsilon):
        return divergence(x, y)
    if y <= 0:
        return epsilon * x
    return max(-epsilon * (1 - x) - math.log(math.exp(-epsilon) - y * math.expm1(-epsilon)), 0.0)


def private_limit(mean: float, count: float, level: float, epsilon: float) -> float:
    """Return the smallest q with count `private_divergence`(mean, q) <= level, mean in [0, 1].

    On the straight part the limit has a closed form; where that is not in force, it is `kl_limit`.
    """
    excess = epsilon * mean - level / count
    if excess <= 0:
        return 0.0
    straight = math.exp(-epsilon * (1 - mean) - level / count) * math.expm1(-excess) / math.expm1(-epsilon)
    if straight <= 0:  # below the smallest number: epsilon is so large that only the divergence counts
        return kl_limit(mean, count, level)
    return straight if _turn(straight, epsilon) <= mean else kl_limit(mean, count, level)
