"""The proved tail of a wrong selection, against exact laws."""

from itertools import product

import numpy as np
import pytest
from scipy import special

from replicate import mechanisms
from replicate.learners import dyadic


def exact_law(means, rounds, *, noise, scale):
    """P(k is selected) after `rounds` independent Bernoulli losses, by enumeration of all summed losses."""
    counts = np.arange(rounds + 1)
    binomial = [
        np.array([special.comb(rounds, c) * m**c * (1 - m) ** (rounds - c) for c in counts]) for m in means
    ]
    sums = np.array(list(product(counts, repeat=len(means))), dtype=float)
    weights = np.array([np.prod(p) for p in product(*binomial)])
    return weights @ mechanisms.report_noisy_max_pmf(-sums, noise=noise, scale=scale)


def exact_pair(steps, rounds, *, noise, scale):
    """P(the worse of two is selected), the law of the difference convolved round by round."""
    law = np.ones(1)
    for _ in range(rounds):
        law = np.convolve(law, steps)
    scores = np.stack([np.zeros(len(law)), -np.arange(-rounds, rounds + 1.0)], axis=-1)
    return float(law @ mechanisms.report_noisy_max_pmf(scores, noise=noise, scale=scale)[:, 1])


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("scale", [0.05, 1.0, 7.0, 100.0])
def test_it_bounds_the_exact_law(noise, scale):
    for means in ([0.2, 0.6], [0.0, 1.0], [0.5, 0.5], [0.3, 0.4, 0.9], [0.0, 0.1, 0.1]):
        steps = dyadic.difference_law(means[0], means[1:])
        for rounds in (0, 1, 2, 5, 12):
            bound = dyadic.selection_tail(steps, rounds, noise=noise, scale=scale)
            assert (exact_law(means, rounds, noise=noise, scale=scale)[1:] <= bound * (1 + 1e-9)).all()
            assert (bound <= 1).all()


@pytest.mark.parametrize("noise", mechanisms.NOISES)
@pytest.mark.parametrize("steps", [[0.0, 0.0, 1.0], [0.2, 0.1, 0.7]])
def test_it_is_the_infimum_over_all_rates_of_the_largest_ratio(noise, steps):
    """sup_y exp(u y) P(Z - Z' >= y) times the moment, on grids of u and y; it falls with every round."""
    y, u, scale = np.linspace(-60, 60, 24_001), 1 - np.geomspace(0.5, 1e-9, 600)[:, None], 2.0
    log_tail = {
        "gumbel": -np.logaddexp(0, y),
        "exponential": np.where(y >= 0, -y - np.log(2), np.log1p(-np.exp(-abs(y)) / 2)),
        "laplace": np.where(y >= 0, np.log((2 + abs(y)) / 4) - y, np.log1p(-(2 + abs(y)) * np.exp(-abs(y)) / 4)),
    }[noise]
    factor = (u * y + log_tail).max(axis=1)
    moment = np.log(np.exp(-u / scale * [-1, 0, 1]) @ steps)
    rounds = np.array([10, 25, 60])
    found = dyadic.selection_tail(steps, rounds, noise=noise, scale=scale)
    np.testing.assert_allclose(np.log(found), [(factor + n * moment).min() for n in rounds], rtol=1e-3)
    assert (np.diff(found) < 0).all()


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_noise_of_another_scale_exceeds_it(noise):
    """The bound of noise with half the scale is no bound: the exact tail is above it."""
    steps = np.array([0.05, 0.15, 0.8])
    exact = exact_pair(steps, 60, noise=noise, scale=8.0)
    assert exact <= dyadic.selection_tail(steps, 60, noise=noise, scale=8.0)
    assert exact > dyadic.selection_tail(steps, 60, noise=noise, scale=4.0)


def test_below_one_half_it_holds_for_longer_prefixes():
    for noise, scale, gap in product(mechanisms.NOISES, (0.05, 1.0, 40.0), (0.05, 0.3, 1.0)):
        bound = dyadic.selection_tail([(1 - gap) / 2, 0, (1 + gap) / 2], np.arange(400), noise=noise, scale=scale)
        first = int(np.argmax(bound < 0.499)) if (bound < 0.499).any() else len(bound)
        assert (np.diff(bound[first:]) <= 1e-12).all()


def test_other_losses_are_covered():
    """Losses 0, 1/2, 1 of two actions that depend on each other: the two-point step bounds the exact law."""
    halves = np.array([0.1, 0.1, 0.3, 0.3, 0.2])  # difference -1, -1/2, 0, 1/2, 1
    gap = float(halves @ np.linspace(-1, 1, 5))
    law = np.ones(1)
    for rounds in range(1, 40):
        law = np.convolve(law, halves)
        exact = law @ (1 / (1 + np.exp(np.arange(-2 * rounds, 2 * rounds + 1) / 2 / 3.0)))
        assert exact <= dyadic.selection_tail([(1 - gap) / 2, 0, (1 + gap) / 2], rounds, noise="gumbel", scale=3.0)


def test_astronomical_blocks_and_shapes():
    steps = dyadic.difference_law(0.4999, np.array([0.5, 0.75, 1.0]))
    bound = dyadic.selection_tail(steps, 2.0 ** np.arange(59)[:, None], noise="laplace", scale=200.0)
    assert bound.shape == (59, 3)
    assert np.isfinite(bound).all()
    assert bound[-1].max() == 0
    assert dyadic.selection_tail(steps[0], 2**20, noise="laplace", scale=1e50) > 0.3
