"""Coverage of every certified limit: at a large false alarm the limit exceeds the truth as rarely as it says.

The pairs of laws have known losses at which events are chosen among many that are as good, or seem to be. The
control is a limit whose event is chosen on the samples that bound it: it is wrong far more often.
"""

import inspect
from functools import partial

import numpy as np
import pytest
from scipy import stats

from replicate import audit, certify
from replicate.streams import stream

ALARM, LEVEL, RUNS, FEW = 0.2, 1e-6, 200, 40
"""The false alarm allowed; that of a test; repetitions, and those of limits that fit a score."""


def shifted(x):
    """Laplace noise: every event beyond both means has the log ratio 1."""
    return lambda n, rng: x + rng.laplace(size=n)


def labels(side, k=400):
    """Two k outcomes; those of one side come e times as often as those of the other."""
    return lambda n, rng: rng.integers(k, size=n) + k * (rng.random(n) < 1 / (1 + np.exp(side)))


def rows(x):
    """Numbers, five a row, of which the first tells the inputs apart."""
    return lambda n, rng: x * np.eye(5)[0] + rng.laplace(size=(n, 5))


PAIRS = {
    "numbers": (shifted(0.0), shifted(1.0), 1.0),
    "labels": (labels(0.5), labels(-0.5), 0.5),
    "rows": (rows(0.0), rows(1.0), 1.0),
    "equal rows": (rows(0.0), rows(0.0), 0.0),
}


def identity(outputs):
    return np.asarray(outputs, dtype=float)


def loss(name, samples, rng, **options):
    *pair, truth = PAIRS[name]
    return audit.certified_privacy_loss(*pair, samples=samples, false_alarm=ALARM, rng=rng, **options) > truth


def renyi(name, samples, rng, *, order, **options):
    *pair, truth = PAIRS[name]
    if order < np.inf:  # of equal laws
        assert truth == 0
    found = audit.certified_renyi(*pair, order=order, samples=samples, false_alarm=ALARM, rng=rng, **options)
    return found > truth


def zcdp(name, samples, rng):
    *pair, truth = PAIRS[name]
    assert truth == 0
    return audit.certified_zcdp(*pair, samples=samples, false_alarm=ALARM, rng=rng) > 0


def band(name, samples, rng):
    """The trade-off curve of equal laws is 1 - x."""
    *pair, truth = PAIRS[name]
    assert truth == 0
    return audit.trade_off_band(*pair, samples=samples, false_alarm=ALARM, rng=rng).sum(axis=1).min() < 1 - 1e-12


def refuted(name, samples, rng):
    *pair, truth = PAIRS[name]
    return audit.refute(*pair, epsilon=truth, most_runs=samples, false_alarm=ALARM, rng=rng).refuted


def failed(name, samples, rng):
    """An assertion of one stage."""
    one, other, truth = PAIRS[name]
    seed = int(rng.integers(2**31))
    try:
        audit.assert_private({0: one, 1: other}.get, (0, 1), truth, runs=2_000, false_alarm=ALARM, seed=seed)
    except AssertionError:
        return True
    return False


WRONG = {
    "loss, numbers": partial(loss, "numbers", 600),
    "loss, numbers, delta": partial(loss, "numbers", 600, delta=1e-3),
    "loss, labels": partial(loss, "labels", 2000),
    "loss, a score": partial(loss, "numbers", 2000, score=identity),
    "loss, a score, delta": partial(loss, "numbers", 2000, score=identity, delta=1e-3),
    "loss, fitted to nothing": partial(loss, "equal rows", 300, score="fitted"),
    "certified_renyi": partial(renyi, "numbers", 600, order=np.inf, score=identity),
    "certified_renyi, fitted": partial(renyi, "equal rows", 200, order=2.0),
    "certified_zcdp": partial(zcdp, "equal rows", 200),
    "trade_off_band": partial(band, "equal rows", 200),
    "refute": partial(refuted, "numbers", 200),
    "assert_private": partial(failed, "rows", 2000),
}

SLOW = {"loss, fitted to nothing", "certified_renyi, fitted", "certified_zcdp", "trade_off_band", "assert_private"}
SLOW |= {"refute"}


def naive(name, samples, rng):
    """Of every event {x >= c} or {x <= c}, the largest limit: chosen and bounded on the same samples."""
    one, other, truth = PAIRS[name]
    x, y = one(samples, rng), other(samples, rng)
    limits = []
    for sign, first, second in ((1, x, y), (-1, x, y), (1, y, x), (-1, y, x)):
        cuts = np.sort(sign * first)[: -5 : samples // 100]
        p, q = ((sign * v >= cuts[:, None]).sum(axis=1) for v in (first, second))
        share = stats.beta.ppf(ALARM, p, q + 1)  # of p among both, of Poisson counts
        limits.append(np.log(share / (1 - share)).max())
    return max(limits) > truth


def least_rate(wrong, runs):
    """Lower limit of how often a limit is wrong."""
    errors = sum(bool(wrong(rng=stream(1, "coverage", r))) for r in range(runs))
    return certify.binomial_lower(errors, runs, false_alarm=LEVEL)


@pytest.mark.parametrize("name", WRONG)
def test_a_limit_exceeds_the_truth_as_rarely_as_it_says(name):
    assert least_rate(WRONG[name], FEW if name in SLOW else RUNS) <= ALARM


def test_an_event_chosen_on_the_samples_that_bound_it_is_caught():
    assert least_rate(partial(naive, "numbers", 600), RUNS) > ALARM


def test_every_limit_that_may_err_is_tried():
    """By the name of its argument, over all that the audit offers."""
    functions = {n: getattr(audit, n) for n in audit.__all__ if inspect.isfunction(getattr(audit, n))}
    fallible = {n for n, function in functions.items() if "false_alarm" in inspect.signature(function).parameters}
    assert fallible - {"certified_privacy_loss", "examine", "bits"} == {name.split(",")[0] for name in WRONG} - {
        "loss"
    }
