"""The gray box: thirteen kinds of violation and their corrected twins; honest noise; learners; real errors."""

import inspect
import math
import random
import re
from pathlib import Path

import numpy as np
import pytest

from replicate import audit, mechanisms
from replicate.learners import protocol, registry
from replicate.papers import tracking
from replicate.studies.audit_bench.instances import MEMBERS


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


def degree(data, rng, *, features, parents, floor):
    """Sensitivity that is zero at one setting."""
    return np.asarray(data) + rng.laplace(scale=max(features - parents, floor), size=len(data))


def mean(data, rng, *, counted):
    if counted:
        return (sum(data) + rng.laplace(scale=2.0)) / max(len(data) + rng.laplace(scale=2.0), 1.0)
    return sum(data) / len(data) + rng.laplace(scale=1 / len(data))


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


def until(data, rng, *, rounds):
    return [sum(data) + rng.laplace(scale=9.0) for _ in range(rounds or int(sum(data)))]


def gaussian(data, rng, *, scale):
    return rng.normal(loc=sum(data), scale=scale)


ZERO, ONE = [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]
CLASSES = {
    # data reach what must not depend on them
    "the number of records as public": (mean, ZERO, ZERO[:2], {"counted": False}, {"counted": True}, "scale"),
    "a domain from the data": (histogram, [1, 1, 2], [1, 1, 1], {}, {"keys": [1, 2, 3]}, "control flow"),
    "bounds from the data": (bounds_from_data, ZERO, [3.0, 1.0, 1.0], {}, {"high": 1.0}, "scale"),
    "a branch on the data": (branch, ZERO, ONE, {"noisy": False}, {"noisy": True}, "control flow"),
    "releases until the data say stop": (until, ZERO, ONE, {"rounds": 0}, {"rounds": 5}, "control flow"),
    "an exact answer beside": (exact_beside_noise, [0, 0], [1, 0], {"exact": True}, {"exact": False}, "output"),
    "an exception": (crash, ONE, ZERO, {"careful": False}, {"careful": True}, "exception"),
    # sensitivity
    "clipped too late": (clipped_sum, ZERO, [3.0, 1.0, 1.0], {"high": 3.0}, {"high": 1.0}, "sensitivity"),
    "NaN": (nan_mean, ZERO, [np.nan, 1.0, 1.0], {"careful": False}, {"careful": True}, "no noise"),
    "the norm of a vector": (vector, ZERO, ONE, {"scale": 1.0}, {"scale": 2.0}, "sensitivity"),
    # noise, composition, the primitive itself
    "no noise at one setting": (
        degree, ZERO, ONE, {"features": 3, "parents": 3, "floor": 0}, {"features": 3, "parents": 3, "floor": 1},
        "no noise",
    ),
    "two releases for the price of one": (twice, ZERO, ONE, {"scale": 1.0}, {"scale": 2.0}, "sensitivity"),
    "a chance that is too large": (chance, ZERO, ONE, {"keep": 0.75}, {"keep": 0.7}, "sensitivity"),
}  # fmt: skip
"""A mechanism, two neighbours, settings that are wrong and right at epsilon 1, and the kind of the finding.

Kinds of violation that 2602.17454 and its examples describe, in code of our own.
"""


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_of_violation_is_convicted_by_its_line_and_its_twin_is_not(name):
    function, one, other, wrong, right, kind = CLASSES[name]
    found = audit.replay(lambda x, rng: function(x, rng, **wrong), one, other, epsilon=1.0)
    assert kind in {finding.kind for finding in found.findings}
    first, lines = found.findings[0].where.rpartition(":")[::2], inspect.getsourcelines(function)
    assert first[0] == __file__
    assert lines[1] <= int(first[1]) < lines[1] + len(lines[0])
    for seed in range(6):
        acquitted = audit.replay(lambda x, rng: function(x, rng, **right), one, other, epsilon=1.0, seed=seed)
        assert acquitted.findings == ()
        assert acquitted.cost <= 1
        assert acquitted.notes == ()


@pytest.mark.parametrize("moves", [(1.0, 0.5), (-1.0, -0.5), (1.0, -0.5), (0.25, -1.0)])
def test_a_threshold_costs_the_largest_move_and_its_queries_the_range_of_all_moves(moves):
    """Either way: the threshold has noise 2 / epsilon, a query 4 / epsilon (`AboveThreshold`)."""

    def ask(queries, rng):
        test = mechanisms.AboveThreshold(epsilon=2.0, threshold=1e3, rng=rng)
        return [test.above(query) for query in queries]

    found = audit.replay(ask, (0.0, 0.0), moves)
    assert found.cost == pytest.approx(max(map(abs, moves)) + (max(*moves, 0.0) - min(*moves, 0.0)) / 2)


@pytest.mark.parametrize(("instances", "cost"), [(1, 1.5), (3, 4.5)])
def test_every_threshold_costs_once_wherever_its_queries_stand(instances, cost):
    """The queries of each are asked at two lines; all of them stand at the same lines."""

    def ask(query, rng):
        for _ in range(instances):
            test = mechanisms.AboveThreshold(epsilon=2.0, threshold=1e3, rng=rng)
            test.above(query)
            test.above(query / 2)

    assert audit.replay(ask, 0.0, 1.0).cost == pytest.approx(cost)


def by_hand(x, rng):
    """Laplace noise by inversion."""
    u = rng.uniform(-0.5, 0.5)
    return sum(x) - np.sign(u) * np.log(1 - 2 * abs(u))


def in_parts(x, rng):
    return sum(x) + sum(rng.laplace(scale=2.0) for _ in range(3))


def with_signs(x, rng):
    return sum(x) + math.copysign(rng.exponential(), rng.random() - 0.5)


def moved(x, rng):
    return np.array([sum(x), 0.0, 0.0]) + np.concatenate([rng.laplace(size=2), rng.laplace(size=1)])


def of_integers(x, rng):
    return int(sum(x)) + rng.geometric(0.5) - rng.geometric(0.5)


def by_a_coin(x, rng):
    return [bool(rng.binomial(1, 0.73 if a else 0.27)) for a in x]


def flipped(x, rng):
    return np.where(rng.random(len(x)) < 0.27, 1 - np.asarray(x), x)


def one_by_one(x, rng):
    return max(range(2), key=lambda i: sum(x) * (-1) ** i / 2 + rng.gumbel(scale=1.0))


NOT_FOLLOWED = (by_hand, in_parts, with_signs, moved, of_integers, by_a_coin, flipped, one_by_one)


@pytest.mark.parametrize("function", NOT_FOLLOWED)
def test_honest_noise_that_is_not_followed_is_noted_and_not_accused(function):
    found = [audit.replay(function, ZERO, ONE, epsilon=1.0, seed=seed) for seed in range(6)]
    assert not any(replayed.findings for replayed in found)
    assert any(replayed.notes for replayed in found)


def by_inversion(x, rng):
    sums = np.exp(np.array([sum(x), 0.0, 0.0]) / 2).cumsum()
    return int((rng.random() * sums[-1] >= sums).sum())


def step_by_step(x, rng):
    sums = np.exp(np.array([sum(x), 0.0, 0.0]) / 2).cumsum()
    u = rng.random() * sums[-1]
    return next(i for i in range(3) if u < sums[i])


def resampled(x, rng):
    return sum(bool(rng.random() < 0.25 + 0.5 * a) for a in x) + rng.laplace()


def located(x, rng):
    return rng.laplace(sum(x), 1.0)


def located_at_zero(x, rng):
    return sum(x) + rng.laplace(0, 1.0)


def shuffled(x, rng):
    return rng.permutation(x).sum() + rng.laplace()


def largest(x, rng):
    return int((np.array([sum(x), -sum(x)]) + rng.exponential(2.0, size=2)).argmax())


def two_chances(x, rng, *, one=(0.3, 0.6), other=(0.4, 0.7)):
    """A number that two chances are compared with."""
    u = rng.random()
    return [bool(u < chance) for chance in (one if sum(x) < 3 else other)]


SELECTION = 0.5 - np.log((np.exp(1.5) + 2) / (np.exp(1.0) + 2))
FOLLOWED = {
    by_inversion: max(SELECTION, 0.5 - SELECTION), step_by_step: max(SELECTION, 0.5 - SELECTION),
    resampled: 1.0, located: 1.0, located_at_zero: 1.0, shuffled: 1.0, largest: 1.0, two_chances: np.log(4 / 3),
}  # fmt: skip


@pytest.mark.parametrize("function", FOLLOWED)
def test_noise_that_is_followed_costs_what_it_does(function):
    for seed in range(6):
        found = audit.replay(function, ZERO, ONE, epsilon=1.0, seed=seed)
        assert found.findings == found.notes == ()
        assert found.cost == pytest.approx(FOLLOWED[function])


ROWS = {
    "laws": (lambda s, n, rng: mechanisms.sample_pmf([[s - 1.5, 3.5 - s]] * n, rng=rng), np.log(3)),
    "laws of choice": (
        lambda s, n, rng: [rng.choice(2, p=[(s - 1.5) / 2, (3.5 - s) / 2]) for _ in range(n)], np.log(3),
    ),
    "selections": (
        lambda s, n, rng: mechanisms.report_noisy_max([[s, 0.0]] * n, noise="gumbel", scale=2.0, rng=rng), 0.5,
    ),
    "places": (
        lambda s, n, rng: (np.tile([s, 0.0], (n, 1)) + rng.gumbel(scale=2.0, size=(n, 2))).argmax(axis=1), 0.5,
    ),
    "chances": (lambda s, n, rng: rng.random(n) < (s - 1.5) / 2, np.log(3)),
}  # fmt: skip
"""Some draws at once, each from s = 2 or 3, and what one of them costs."""


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("name", ROWS)
def test_draws_of_one_call_add_up(name, rows):
    draw, cost = ROWS[name]
    for seed in range(5):
        found = audit.replay(lambda x, rng: np.asarray(draw(sum(x), rows, rng)).tolist(), ZERO, ONE, seed=seed)
        assert found.notes == ()
        assert found.cost == pytest.approx(rows * cost)


def released(x, rng):
    return (np.array([sum(x), 0.0]) + rng.exponential(size=2)).max()


def wrong_sign(x, rng):
    return int((np.array([sum(x), 0.0]) - rng.exponential(4.0, size=2)).argmax())


def never_cleared(x, rng):
    return [bool(a or rng.random() < 0.38) for a in x]


def never_off(x, rng):
    return [bool(rng.random() < (1.0 if a else 0.38)) for a in x]


def chances_that_change_places(x, rng):
    """From 0.3 to 0.6 one run answers yes and no, the other no and yes."""
    return two_chances(x, rng, one=(0.3, 0.6), other=(0.6, 0.3))


def equal_chances_that_part(x, rng):
    """But for the last bit, which puts them in the other order."""
    return two_chances(x, rng, one=(0.3, np.nextafter(0.3, 1)), other=(0.6, 0.3))


@pytest.mark.parametrize(
    "function", [released, wrong_sign, never_off, chances_that_change_places, equal_chances_that_part]
)
@pytest.mark.parametrize("pair", [(ZERO, ONE), (ONE, ZERO)])
def test_what_one_input_makes_impossible_costs_an_infinity(function, pair):
    for seed in range(6):
        found = audit.replay(function, *pair, epsilon=1.0, seed=seed)
        assert (found.cost, [f.kind for f in found.findings]) == (np.inf, ["sensitivity"])
    assert "control flow" in {f.kind for f in audit.replay(never_cleared, *pair, epsilon=1.0).findings}


@pytest.mark.parametrize("seed", range(5))
def test_costs_by_hand(seed):
    """Two coordinates of a vector, and the log ratio of two chances."""
    costs = {"the norm of a vector": 2.0, "a chance that is too large": np.log(3)}
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


@pytest.mark.parametrize(("move", "rho"), [([1, 0, 0], 1 / 8), ([1, -1, 1], 3 / 8), ([0.6, 0, 0.8], 1 / 8)])
def test_a_vector_with_gaussian_noise_costs_its_euclidean_norm(move, rho):
    """Of scale 2: the square of the norm over 8. Declared is as much as that, or the third part."""

    def run(x, rng):
        return np.asarray(x, dtype=float) + rng.normal(scale=2.0, size=3)

    found = [audit.replay(run, np.zeros(3), np.array(move), rho=share * rho) for share in (1.0, 1 / 3)]
    assert [replayed.rho for replayed in found] == pytest.approx([rho, rho])
    assert [[f.kind for f in replayed.findings] for replayed in found] == [[], ["sensitivity"]]


SHARED = "its noise is on sums that overlap: costs of draws do not add up"
COMPILED = "its noise is drawn in compiled code"
PRIVATE = [name for name, entry in registry.register().items() if entry.private]


def like(*starts):
    """Private learners whose names begin so: of one kind at several rates."""
    return [name for name in PRIVATE if name.startswith(starts)]


NOT_SEEN = {
    "prefix_softmax": "its privacy is the chance that a random prefix holds the round: one run does not show it",
    **dict.fromkeys(("meta_experts", "dartboard", "pure_dartboard"), COMPILED),
    **dict.fromkeys(("htinf", "exp3", "ftpl", "per_round_exp3", "per_round_htinf"), COMPILED),
    **dict.fromkeys(("local_exp4", "batched_exp4", "bit_tsallis_inf", "bit_thompson"), COMPILED),
    **dict.fromkeys(("bit_exp4", *like("bit_exp3_s", "batch_bit_")), COMPILED),
    **dict.fromkeys(like("hedge_tree_", "hedge_factorized"), SHARED),
    **dict.fromkeys(like("fixed_share_cube"), "its noise is put together from several draws"),
    **dict.fromkeys(like("coordinate_"), "its coordinate is computed from a uniform number"),
    "random_epochs": "its lengths of epochs are computed from a uniform number",
    "uniform": "it reads no losses",
}
"""Learners of which two runs say nothing, and why."""
TRACED = [name for name in PRIVATE if name not in NOT_SEEN]


def tables():
    table = np.random.default_rng(1).integers(0, 2, size=(40, 4)).astype(float)
    neighbour = table.copy()
    neighbour[2] = 1 - neighbour[2]
    return table, neighbour


def plays(name, epsilon):
    def run(table, rng):
        sizes = {"n_actions": table.shape[1], "horizon": len(table)}
        return protocol.actions_of(registry.learner(name, epsilon=epsilon, rng=rng, **sizes), table)

    return run


@pytest.mark.parametrize("name", TRACED)
def test_an_error_of_sensitivity_in_a_learner_is_named_by_its_line(name):
    """Noise for half as much again as is declared; the learner as it is costs what it declares at most."""
    pair = tables()
    honest = audit.replay(plays(name, 0.5), *pair, epsilon=0.5)
    found = audit.replay(plays(name, 0.75), *pair, epsilon=0.5)
    assert [finding.kind for finding in found.findings] == ["sensitivity"]
    path, line = found.findings[0].where.rsplit(":", 1)
    text = Path(path).read_text().splitlines()[int(line) - 1]
    assert "/replicate/" in path
    assert re.search("noise|laplace|gumbel|sample_pmf|report_noisy_max|any_above", text)
    assert honest.findings == honest.notes == ()
    assert 0.25 < honest.cost <= 0.5 * (1 + 1e-9)


@pytest.mark.parametrize("name", [name for name, why in NOT_SEEN.items() if name != "batched_exp4"])
def test_what_is_not_followed_is_noted_and_not_judged(name):
    for epsilon in (0.5, 0.75):
        found = audit.replay(plays(name, epsilon), *tables(), epsilon=0.5)
        assert found.findings == ()
        assert found.notes or name in ("prefix_softmax", "uniform")


def test_every_private_learner_is_traced_or_it_is_said_why_not():
    assert {*TRACED, *NOT_SEEN} == set(PRIVATE)
    assert len(TRACED) >= 18


@pytest.mark.parametrize("name", ["RNM4", "leader", "squares"])
def test_a_real_error_is_convicted_by_two_runs_where_its_noise_can_be_followed(name):
    """The others of the zoo are convicted from samples: the analysis of sparse vectors is no sum of costs."""
    for version, wrong in (("wrong", True), ("corrected", False)):
        mechanism = MEMBERS[name].version(version).mechanism
        for seed in range(6):
            found = audit.replay(
                lambda x, rng, m=mechanism: m(x, 1, rng), *MEMBERS[name].pair, epsilon=1.0, seed=seed
            )
            assert bool(found.findings) == wrong
            assert found.notes == ()


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_mirror_descent_as_printed_is_convicted_by_its_line(calibration):
    def run(table, rng):
        sizes = {"n_switches": 10, "horizon": len(table), "epsilon": 1.0, "calibration": calibration}
        return protocol.actions_of(tracking.MirrorDescent(table.shape[1], rng=rng, **sizes), table)

    found = audit.replay(run, *MEMBERS["mirror"].pair, epsilon=1.0)
    assert found.cost == pytest.approx(200.0 if calibration == "printed" else 1.0)
    assert [f.where.rpartition("/")[2].partition(":")[0] for f in found.findings] == (
        ["mirror_descent.py"] if calibration == "printed" else []
    )


OWN = np.random.default_rng(3)


@pytest.mark.parametrize(
    "draw",
    [OWN.laplace, lambda: OWN.geometric(0.95), random.random],
    ids=["real", "mostly alike", "of Python"],
)
@pytest.mark.parametrize("more", [False, True], ids=["alone", "beside a recorded draw"])
def test_what_draws_from_a_generator_of_its_own_is_noted_and_not_accused(draw, more):
    found = audit.replay(lambda x, rng: sum(x) + draw() + (rng.laplace() if more else 0), ZERO, ONE, epsilon=0.0)
    assert found.findings == ()
    assert "differ: it draws from another generator" in found.notes[0]


def test_what_draws_nothing_is_accused():
    """The nearest wrong thing: a generator that begins with the same seed in every run."""
    found = audit.replay(lambda x, rng: sum(x) + np.random.default_rng(42).laplace(), ZERO, ONE, epsilon=1.0)
    assert [finding.kind for finding in found.findings] == ["output"]


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
    assert found.draws == 15


@pytest.mark.parametrize("epsilon", [1e-10, 1.0, 1e4])
def test_a_cost_is_compared_with_a_claim_by_its_size(epsilon):
    def release(x, rng):
        return x + rng.laplace(scale=1 / epsilon)

    assert not audit.replay(release, 0.0, 1.0, epsilon=epsilon).findings
    assert audit.replay(release, 0.0, 1.0, epsilon=epsilon / 1.0001).findings
