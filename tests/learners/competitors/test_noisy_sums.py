"""Hedge on noisy prefix sums: what is read, and bounds."""

import math

import numpy as np
import pytest
from scipy import integrate

from replicate.learners import registry
from replicate.learners.competitors import noisy_sums
from replicate.learners.competitors.noisy_sums import hedge_tuning
from replicate.mechanisms.tree_sums import UnboundedSums
from replicate.mechanisms.vector_noise import gaussian_scale
from replicate.streams import stream
from tests.agreement import laws

NAMES = ("hedge_tree_cube", "hedge_factorized")


def make(name, rng):
    return registry.learner(name, n_actions=3, horizon=20, epsilon=2.0, delta=1e-3, rng=rng)


# Losses act through the noisy sums alone: a neighbour's losses are a shift of few noises


@pytest.mark.parametrize("name", NAMES)
def test_the_last_round_is_not_read_and_none_after_it_is_taken(name):
    rows = stream(6, "rows").random((20, 3))
    first, second = (make(name, stream(7, name)) for _ in range(2))
    laws(first, rows)
    laws(second, np.vstack([rows[:19], 1 - rows[19:]]))
    np.testing.assert_array_equal(first.probabilities(), second.probabilities())
    with pytest.raises(ValueError, match="losses must be of at most 20 rounds"):
        first.observe(rows[0])


# Bounds


def by_hand(name, rate, *, k, t, epsilon):
    """The bound of Hedge at a rate; of the cube, moments by integration."""
    moved, (depth, nodes) = 1.0, (5, 24)
    if name == "tree_cube":
        a = rate * moved * depth / epsilon
        psi = nodes * math.log(integrate.quad(lambda u: (1 - a * u) ** -(k + 1) / 2, -1, 1)[0])
    else:
        landau = (math.log(t - 1) + np.euler_gamma + 4 * math.log(2)) / math.pi
        psi = k * (rate * gaussian_scale(epsilon=epsilon, delta=1e-6) * landau) ** 2 / 2
    return math.log(k) / rate + rate * t / 8 + psi / rate


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("sums", noisy_sums.SUMS)
def test_the_rate_minimises_the_bound(sums, epsilon):
    sizes = {"k": 8, "t": 10**6, "epsilon": epsilon}
    rate, bound = hedge_tuning(sums, n_actions=8, horizon=10**6, epsilon=epsilon, delta=1e-6)
    assert bound == pytest.approx(by_hand(sums, rate, **sizes), rel=1e-6)
    for factor in (0.8, 0.95, 1.05, 1.2):
        assert by_hand(sums, factor * rate, **sizes) > bound
    free = math.sqrt(10**6 * math.log(8) / 2)
    assert bound > free
    without = hedge_tuning(sums, n_actions=8, horizon=10**6, epsilon=1e9, delta=0.5).bound
    assert without == pytest.approx(free, rel=1e-3)


@pytest.mark.parametrize("horizon", [1, 257, 258, 2000])
def test_the_bound_where_nobody_knows_T_is_its_formula(horizon):
    """Trees of 256, 512, 1,024 rounds, each with the total before it, at the rate of its first round.

    The sum of the rates is taken from above: no rate is counted for more than the largest of its tree. With the
    noise at the rate of a tree's last round, the control, the formula is less than the bound.
    """
    k, epsilon, c = 5, 0.8, 1.5
    known = UnboundedSums(k, noise="cube", epsilon=epsilon, rng=stream(1))

    def by_hand(late):
        start, length, past, variance, before, total = 0, 256, 0.0, 0.0, None, 0.0
        while start < horizon:
            tree, fresh = known.stage(length)
            variance = max(variance, past + tree.tree.nodes * tree.noise.variance)
            rates = c * np.sqrt(
                math.log(k) / (np.arange(start + 1, min(start + length, horizon) + 1) / 4 + variance / 2)
            )
            total += rates.sum() / 8
            if start + 1 < horizon:
                rate = rates[-1 if late else 0]
                total += float(tree.log_mgf(rate) + (before.log_mgf(rate) if before else 0)) / rate
            start, length, past, before = start + length, 2 * length, past + fresh.variance, fresh
        return total + math.log(k) / rates[-1]

    bound = noisy_sums.unending_bound(n_actions=k, horizon=horizon, epsilon=epsilon, times=c)
    assert by_hand(False) <= bound <= by_hand(False) * (1 + 1e-3)
    assert by_hand(True) < by_hand(False) or horizon == 1
