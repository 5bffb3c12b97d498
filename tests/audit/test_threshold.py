"""AboveThreshold's worst privacy loss: attained in the limit, and never passed by search or by sampling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from replicate import audit
from replicate.streams import stream


def worst_loss(*, epsilon, sensitivity=1.0, down=None, up=None):
    """(max(down, up) / 2 + (down + up) / 4) epsilon / sensitivity, for queries that move within [-down, up]."""
    a, b = (sensitivity if end is None else end for end in (down, up))
    return (max(a, b) / 2 + (a + b) / 4) * epsilon / sensitivity


INTERVALS = [(1.0, 1.0), (0.0, 2.0), (2.0, 0.0), (0.5, 1.5), (2.0, 2.0), (0.0, 1.0)]


@pytest.mark.parametrize(("down", "up"), INTERVALS)
@pytest.mark.parametrize(("epsilon", "sensitivity"), [(0.7, 1.0), (2.0, 1.0), (1.0, 3.0)])
def test_the_worst_loss_is_attained_in_the_limit(down, up, epsilon, sensitivity):
    setting = {"epsilon": epsilon, "sensitivity": sensitivity}
    worst = worst_loss(**setting, down=down, up=up)
    reached = [
        audit.above_threshold_pair_loss(
            *audit.above_threshold_pair(**setting, down=down, up=up, distance=distance), **setting
        )
        for distance in (2, 5, 30)
    ]
    assert reached[0] < reached[1] < worst
    assert reached[2] == pytest.approx(worst, rel=1e-9)


def test_known_cases():
    """Sensitivity 1 either way costs epsilon; windows that move by 2 the same way cost half as much again."""
    assert worst_loss(epsilon=0.8) == pytest.approx(0.8)
    assert worst_loss(epsilon=0.8, sensitivity=5.0) == pytest.approx(0.8)
    assert worst_loss(epsilon=0.8, down=0, up=1) == pytest.approx(0.6)
    assert worst_loss(epsilon=0.8, down=0, up=2) == pytest.approx(1.2)
    assert worst_loss(epsilon=0.8, down=2, up=2) == pytest.approx(1.6)
    assert worst_loss(epsilon=0.8, down=0, up=0) == 0


@given(
    st.lists(st.floats(-20, 40), min_size=1, max_size=7),
    st.lists(st.floats(0, 1) | st.sampled_from([0.0, 1.0]), min_size=7, max_size=7),
    st.sampled_from(INTERVALS),
    st.sampled_from([0.3, 1.0, 3.0]),
)
def test_no_sequence_of_queries_loses_more(queries, shape, interval, epsilon):
    down, up = interval
    first = np.array(queries)
    second = first - down + (down + up) * np.array(shape)[: len(first)]
    worst = worst_loss(epsilon=epsilon, down=down, up=up)
    assert audit.above_threshold_pair_loss(first, second, epsilon=epsilon) <= worst + 1e-9


@pytest.mark.parametrize(("down", "up"), [(1.0, 1.0), (0.0, 2.0), (1.5, 0.5)])
def test_a_search_over_five_queries_and_their_moves_ends_at_the_worst_loss(down, up):
    """The control: what one would charge if only the larger move counted is passed."""
    worst = worst_loss(epsilon=1.0, down=down, up=up)

    def loss(x):
        return -audit.above_threshold_pair_loss(x[:5], x[:5] + x[5:], epsilon=1.0)

    rng = stream(7, "threshold search", down, up)
    start = np.concatenate([rng.uniform(5, 30, size=4), rng.uniform(-30, 0, size=1), rng.uniform(-down, up, 5)])
    found = -optimize.minimize(loss, start, bounds=[(-60, 60)] * 5 + [(-down, up)] * 5).fun
    assert 0.999 * worst < found <= worst + 1e-9
    assert found > 1.2 * worst_loss(epsilon=1.0, down=0, up=max(down, up)) / 1.5


def halting(queries, epsilon):
    """Sampler of the moment at which AboveThreshold halts, all runs at once."""

    def draw(n, rng):
        threshold = rng.laplace(scale=2 / epsilon, size=(n, 1))
        above = queries + rng.laplace(scale=4 / epsilon, size=(n, len(queries))) >= threshold
        return np.where(above.any(axis=1), above.argmax(axis=1), len(queries))

    return draw


@pytest.mark.parametrize("by", [1.0, 2.0])
def test_samples_certify_that_windows_that_move_by_two_cost_more_than_epsilon(by, rng):
    """Eight queries just below the threshold that rise together, then one above it; epsilon = 3."""
    first = np.append(np.full(8, -2 / 3), 2 / 3)
    second = first + np.append(np.full(8, by), 0.0)
    exact = audit.above_threshold_pair_loss(first, second, epsilon=3.0)
    pair = halting(first, 3.0), halting(second, 3.0)
    certified = audit.certified_privacy_loss(*pair, samples=600_000, rng=rng)
    assert 0.7 * exact < certified <= exact <= worst_loss(epsilon=3.0, down=0, up=by)
    assert (certified > 3) == (by == 2)
