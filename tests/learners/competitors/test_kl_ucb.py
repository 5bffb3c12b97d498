"""KL-UCB: limits by bisection, actions by computing all limits; the divergence under privacy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from replicate.learners import protocol
from replicate.learners.competitors import kl_ucb
from replicate.streams import stream


def divergence(p, q):
    return special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q)


def by_bisection(total, count, level):
    mean = total / count
    if mean <= 0 or level <= 0:
        return mean

    def excess(x):
        return count * divergence(mean, math.exp(x)) - level

    return math.exp(optimize.brentq(excess, -700, math.log(mean))) if excess(-700) > 0 else 0.0


def lowest(total, count, level, guess=0.0):
    return kl_ucb.lowest_mean(total, count, kl_ucb.negative_entropy(total, count), level, guess)


@given(
    count=st.sampled_from([0.5, 1, 2, 30, 10**4, 10**8]), share=st.floats(0, 1), level=st.floats(0.0, 50),
    guess=st.floats(0, 1),
)  # fmt: skip
def test_the_limit_is_the_smallest_mean_within_the_level(count, share, level, guess):
    """From any guess."""
    if level and share and (level / count > 300 or count * share < 1e-9 or level < 1e-6):
        return
    assert lowest(count * share, count, level, guess) == pytest.approx(
        by_bisection(count * share, count, level), rel=1e-9, abs=1e-12
    )


def naive(sums, counts):
    """All limits by bisection, before the next round."""
    level = math.log(sum(counts) + 1)
    return np.array([by_bisection(s, n, level) for s, n in zip(sums, counts, strict=True)])


@pytest.mark.parametrize("losses", ["bits", "numbers", "rare"])
def test_the_action_has_the_smallest_limit(losses):
    rng, k = stream(1, "log t", losses), 6
    learner = kl_ucb.KLUCB(k, rng=rng)
    means, played = {"bits": 0.5, "numbers": 0.5, "rare": 0.02}[losses] * np.linspace(0.8, 1.2, k), []
    sums, counts = [0.0] * k, [0] * k
    for t in range(800):
        arm = learner.act()
        if t >= k:
            limits = naive(sums, counts)
            assert limits[arm] <= limits.min() + 1e-11
        loss = rng.beta(means[arm], 1 - means[arm]) if losses == "numbers" else float(rng.random() < means[arm])
        learner.observe(loss)
        played.append(arm)
        sums[arm], counts[arm] = sums[arm] + loss, counts[arm] + 1
    assert sorted(played[:k]) == list(range(k))
    assert len(set(played[k:])) == k


@pytest.mark.parametrize("losses", [[1.0, 0.0], [0.5, 1.0, 0.0, 1.0]])
def test_an_action_that_never_lost_is_played_for_ever(losses):
    """Its limit is 0, whatever the marks of earlier rounds were: at first there is none."""
    run = protocol.play(kl_ucb.KLUCB(len(losses), rng=stream(6)), np.tile(losses, (60, 1)))
    actions = run.actions[0].tolist()
    assert sorted(actions[: len(losses)]) == list(range(len(losses)))
    assert actions[len(losses) :] == [losses.index(0)] * (60 - len(losses))


UNIT = st.floats(0.001, 0.999)
LEVEL = st.floats(-3, 1.5).map(lambda x: 10**x)


def by_grid(x, y, epsilon):
    """The least value of a convex function, on grids that close in on it."""
    values, low, high = np.zeros(1), y, x
    for _ in range(3):
        z = np.linspace(low, high, 2_001)
        values = special.rel_entr(z, y) + special.rel_entr(1 - z, 1 - y) + epsilon * (x - z)
        low, high = z[max(values.argmin() - 1, 0)], z[min(values.argmin() + 1, 2_000)]
    return values.min()


@given(x=UNIT, share=UNIT, epsilon=LEVEL)
def test_the_private_divergence_is_the_infimum(x, share, epsilon):
    y = x * share
    assert kl_ucb.private_divergence(x, y, epsilon) == pytest.approx(by_grid(x, y, epsilon), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("x", [0.0, 0.3, 1.0])
def test_edges(x):
    assert kl_ucb.private_divergence(x, 0.0, 0.7) == pytest.approx(0.7 * x)
    assert kl_ucb.private_divergence(x, x, 0.7) == 0
    assert kl_ucb.divergence(x, x) == 0
    assert kl_ucb.divergence(0.5, 0.0) == math.inf
    assert kl_ucb.divergence(0.5, 1.0) == math.inf
    assert kl_ucb.private_divergence(x, x / 2, 1e300) == kl_ucb.divergence(x, x / 2)
