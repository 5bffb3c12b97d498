"""The gray box: thirteen classes of violation and their corrected twins; errors of sensitivity in learners."""

import inspect
import time

import numpy as np
import pytest

from replicate import audit
from replicate.learners import protocol, registry


def clipped_sum(data, rng, *, high=1.0, scale=1.0):
    return np.clip(data, 0, high).sum() + rng.laplace(scale=scale)


def bounds_from_data(data, rng, *, high=None):
    top = max(data) if high is None else high
    return np.clip(data, 0, top).sum() + rng.laplace(scale=top)


def histogram(data, rng, *, keys=None):
    found = sorted(set(data)) if keys is None else keys
    return {key: float((np.asarray(data) == key).sum() + rng.laplace(scale=2.0)) for key in found}


def branch(data, rng, *, noisy):
    total = sum(data) + (rng.laplace(scale=2.0) if noisy else 0.0)
    return total + rng.laplace(scale=2.0) if total > 2 else "small"


def exact_beside_noise(data, rng, *, exact):
    return len(data) if not exact else max(data), sum(data) + rng.laplace(scale=1.0)


def conditional_noise(data, rng, *, always):
    return sum(data) + rng.laplace(scale=1.0 if always or sum(data) < 3 else 0.0)


def nan_mean(data, rng, *, careful):
    values = np.nan_to_num(data, nan=0.0) if careful else np.asarray(data)
    return values.sum() + rng.laplace(scale=1.0)


def crash(data, rng, *, careful):
    first = 1 / data[0] if data[0] or not careful else 0.0
    return min(first, 1.0) + rng.laplace(scale=1.0)


def vector(data, rng, *, scale):
    return np.array([sum(data), -sum(data), 0.0]) + rng.laplace(scale=scale, size=3)


def twice(data, rng, *, scale):
    return [sum(data) + rng.laplace(scale=scale) for _ in range(2)]


def chance(data, rng, *, keep):
    return [bool(rng.random() < (keep if x else 1 - keep)) for x in data]


def selection(data, rng, *, scale):
    scores = np.array([sum(data), -sum(data)])
    return int((scores + rng.gumbel(scale=scale, size=2)).argmax())


def until(data, rng, *, rounds):
    return [sum(data) + rng.laplace(scale=9.0) for _ in range(rounds or int(sum(data)))]


def gaussian(data, rng, *, scale):
    return rng.normal(loc=sum(data), scale=scale)


ZERO, ONE = [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]
CLASSES = {
    "clipped too late": (clipped_sum, ZERO, [3.0, 1.0, 1.0], {"high": 3.0}, {"high": 1.0}, "sensitivity"),
    "bounds from the data": (bounds_from_data, ZERO, [3.0, 1.0, 1.0], {}, {"high": 1.0}, "scale"),
    "a domain from the data": (histogram, [1, 1, 2], [1, 1, 1], {}, {"keys": [1, 2, 3]}, "control flow"),
    "a branch on the data": (branch, ZERO, ONE, {"noisy": False}, {"noisy": True}, "control flow"),
    "an exact answer beside": (exact_beside_noise, [0, 0], [1, 0], {"exact": True}, {"exact": False}, "output"),
    "no noise for some inputs": (conditional_noise, ZERO, ONE, {"always": False}, {"always": True}, "scale"),
    "NaN": (nan_mean, ZERO, [np.nan, 1.0, 1.0], {"careful": False}, {"careful": True}, "no noise"),
    "an exception": (crash, ONE, ZERO, {"careful": False}, {"careful": True}, "exception"),
    "the norm of a vector": (vector, ZERO, ONE, {"scale": 1.0}, {"scale": 2.0}, "sensitivity"),
    "two releases for the price of one": (twice, ZERO, ONE, {"scale": 1.0}, {"scale": 2.0}, "sensitivity"),
    "a chance that is too large": (chance, ZERO, ONE, {"keep": 0.75}, {"keep": 0.7}, "sensitivity"),
    "scores that move apart": (selection, ZERO, ONE, {"scale": 1.0}, {"scale": 2.0}, "sensitivity"),
    "releases until the data say stop": (until, ZERO, ONE, {"rounds": 0}, {"rounds": 5}, "control flow"),
}  # fmt: skip
"""A mechanism, two neighbours, settings that are wrong and right at epsilon 1, and the kind of the finding."""


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_violation_is_convicted_by_its_line_and_its_twin_is_not(name):
    function, one, other, wrong, right, kind = CLASSES[name]
    start = time.perf_counter()
    found = audit.replay(lambda x, rng: function(x, rng, **wrong), one, other, epsilon=1.0)
    assert time.perf_counter() - start < 1
    assert kind in {finding.kind for finding in found.findings}
    first, lines = found.findings[0].where.rpartition(":")[::2], inspect.getsourcelines(function)
    assert first[0] == __file__
    assert lines[1] <= int(first[1]) < lines[1] + len(lines[0])
    acquitted = audit.replay(lambda x, rng: function(x, rng, **right), one, other, epsilon=1.0)
    assert acquitted.findings == ()
    assert acquitted.cost <= 1
    assert acquitted.notes == ()


@pytest.mark.parametrize("seed", range(5))
def test_costs_by_hand(seed):
    """Two coordinates of a vector, the log ratio of two chances, scores that move apart by two."""
    costs = {"the norm of a vector": 2.0, "a chance that is too large": np.log(3), "scores that move apart": 2.0}
    for name, known in costs.items():
        function, one, other, wrong, *_ = CLASSES[name]
        found = audit.replay(lambda x, rng, f=function, w=wrong: f(x, rng, **w), one, other, seed=seed)
        assert found.cost == pytest.approx(known)
        assert found.findings == ()


def test_gaussian_noise_costs_rho():
    def run(x, rng):
        return gaussian(x, rng, scale=2.0)

    found = audit.replay(run, ZERO, ONE, rho=0.1)
    assert (found.rho, found.cost) == (1 / 8, np.inf)
    assert [finding.kind for finding in found.findings] == ["sensitivity"]
    assert audit.replay(run, ZERO, ONE, rho=0.125).findings == ()


LEARNERS = (
    "gumbel", "exponential", "laplace", "gumbel_resampled", "limited_updates", "restarts", "mirror_descent",
    "sticky_leader", "adap_ucb", "dp_klucb", "dp_imed", "lazy_dp_ts",
)  # fmt: skip
UNSEEN = ("meta_experts", "exp3", "hedge_tree_laplace", "hedge_factorized", "fixed_share_cube", "bit_thompson")
TABLE = np.random.default_rng(1).integers(0, 2, size=(40, 4)).astype(float)
NEIGHBOUR = TABLE.copy()
NEIGHBOUR[2] = 1 - NEIGHBOUR[2]


def plays(name, epsilon):
    def run(table, rng):
        learner = registry.learner(name, n_actions=4, horizon=40, epsilon=epsilon, rng=rng)
        return protocol.actions_of(learner, table)

    return run


@pytest.mark.parametrize("name", LEARNERS)
def test_an_error_of_sensitivity_in_a_learner_is_named_by_its_line(name):
    """Noise for half as much again as is declared; the learner as it is costs what it declares at most."""
    audit.replay(plays(name, 0.5), TABLE, NEIGHBOUR)  # compiles
    start = time.perf_counter()
    found = audit.replay(plays(name, 0.75), TABLE, NEIGHBOUR, epsilon=0.5)
    assert time.perf_counter() - start < 1
    assert [finding.kind for finding in found.findings] == ["sensitivity"]
    assert "/replicate/" in found.findings[0].where
    assert name in str(found) or ".py:" in str(found)
    honest = audit.replay(plays(name, 0.5), TABLE, NEIGHBOUR, epsilon=0.5)
    assert honest.findings == honest.notes == ()
    assert 0.25 < honest.cost <= 0.5 * (1 + 1e-9)


@pytest.mark.parametrize("name", UNSEEN)
def test_what_is_not_followed_is_noted_and_not_judged(name):
    for epsilon in (0.5, 0.75):
        found = audit.replay(plays(name, epsilon), TABLE, NEIGHBOUR, epsilon=0.5)
        assert found.findings == ()
        assert found.notes


def test_a_generator_of_its_own_is_noted():
    own = np.random.default_rng(3)
    found = audit.replay(lambda x, rng: sum(x) + own.laplace(), ZERO, ONE)
    assert "no draw was seen" in found.notes[0]


def test_the_recorded_run_has_the_law_of_the_mechanism():
    """On equal inputs nothing costs and nothing changes; draws of all kinds pass through."""

    def run(x, rng):
        order = list(range(5))
        rng.shuffle(order)
        child = rng.spawn(1)[0]
        return (
            order, rng.permutation(4).tolist(), rng.integers(9), rng.choice(3, p=[0.2, 0.3, 0.5]), rng.poisson(3),
            2 * rng.standard_normal(3) - 1, 1 - rng.uniform(), rng.uniform(2, 3),
            child.exponential(2.0, size=2).sum(),
            -rng.laplace(size=(2, 2))[0], rng.binomial(5, 0.5), 3 / rng.gumbel(), rng.random(4) < 0.5,
        )  # fmt: skip

    found = audit.replay(run, 0, 0, epsilon=0.0)
    assert found.findings == ()
    assert found.draws > 15


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"function": 3}, "function must"),
        ({"epsilon": -1}, "epsilon must"),
        ({"rho": -1}, "rho must"),
        ({"seed": -1}, "seed must"),
        ({"primitives": (audit.Primitive(sum),)}, "primitives must"),
        ({"function": lambda x, rng: 1 / 0}, "function must run on data, raised .*ZeroDivisionError"),
    ],
)
def test_bad_arguments_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        audit.replay(**({"function": clipped_sum, "data": ZERO, "neighbour": ONE} | change))
