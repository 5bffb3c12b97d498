"""Coverage of every certified limit, beside its nearest faulty twin: it exceeds the truth as rarely as it says.

The laws of the two inputs are equal, or have a known loss. With 400 outcomes that are as good as each other, an
event that is chosen on the samples that bound it is always too good.
"""

import inspect
from functools import cache

import numpy as np
import pytest

from replicate import audit
from replicate.audit.certificates import bounded, certificate, chosen_event
from replicate.audit.outputs import pair_of
from replicate.audit.scores import Rounded, fitted_scores
from replicate.audit.wealth import log_factors
from replicate.streams import stream
from tests.coverage import Coverage, counted


def labels(side):
    """Two times 400 outcomes; those of one side come e^(2 side) times as often on one input as on the other."""
    return lambda n, rng: rng.integers(400, size=n) + 400 * (rng.random(n) < 1 / (1 + np.exp(side)))


def coin(p):
    return lambda n, rng: (rng.random(n) < p).astype(np.int64)


def noise(n, rng):
    return rng.laplace(size=n)


def number(outputs):
    return np.asarray(outputs, dtype=float)


EQUAL, APART, FAIR, NOISE = (labels(0.0),) * 2, (labels(0.5), labels(-0.5)), (coin(0.5),) * 2, (noise,) * 2
AT_ONE = coin(np.e * 0.2), coin(0.2)
"""Ones have the log ratio 1."""
LOSS = audit.certified_privacy_loss


def twice(sampler):
    """Outputs whose second half, which bounds the event, is the first half, which chooses it."""
    return lambda n, rng: np.tile(sampler(n // 2, rng), 2)


def again(sampler):
    """A sampler that hands out its first outputs again and again: what was learned from them is bet on them."""
    kept = []

    def draw(n, rng):
        kept.extend([] if kept else [sampler(n, rng)])
        return np.resize(kept[0], n)

    return draw


def loss(limit, pair, samples, alarm, truth=0.0, **options):
    return counted(lambda rng: limit(*pair, samples=samples, false_alarm=alarm, rng=rng, **options) > truth)


def on_its_own_samples(pair, samples, alarm, *, delta=1e-300, score=None):
    """The limit of an event that is chosen, by scores that are fitted, on the outputs that bound it."""

    def wrong(rng):
        known = pair_of(*pair, samples, rng)
        scores = fitted_scores(*known) if score is None else [Rounded.of(score, known)]
        event = chosen_event(scores, known, runs=samples, delta=delta, false_alarm=alarm)
        same = [lambda n, rng, part=part: np.resize(part, n) for part in known]
        return bounded(event, same, runs=samples, delta=delta, false_alarm=alarm, rng=rng).epsilon > 0

    return counted(wrong)


@cache
def certified(run, pair, samples, alarm, delta, score):
    """The certificate of one repetition, which the limit and its estimate share."""
    rng = stream(1, "coverage", run)
    return certificate(*pair, samples=samples, delta=delta, false_alarm=alarm, rng=rng, score=score)


def certified_loss(pair, samples, alarm, *, delta, score):
    """`audit.certified_privacy_loss` with a score: the certificate's limit, as its first repetition says too."""
    known = (pair, samples, alarm, delta, score if callable(score) else None)

    def wrong(runs):
        options = {"samples": samples, "delta": delta, "false_alarm": alarm, "score": score}
        assert LOSS(*pair, **options, rng=stream(1, "coverage", 0)) == certified(0, *known).epsilon
        return sum(certified(run, *known).epsilon > 0.0 for run in range(runs))

    return wrong


def estimate(pair, samples, alarm, *, delta, score):
    """The ratio of the event's frequencies in the place of its limit."""

    def wrong(run):
        p, q = certified(run, pair, samples, alarm, delta, score).probabilities
        return p - delta > q

    return lambda runs: sum(map(wrong, range(runs)))


def below_the_diagonal(*pair, **options):
    """Distance by which a band lies below the curve of equal distributions, 1 - x."""
    return 1 - 1e-12 - audit.trade_off_band(*pair, **options).sum(axis=1).min()


def examined(alarm, *sizes):
    """Return whether an audit of a fair coin refutes epsilon = 0, of several; one of 8,000 runs has two stages."""

    def wrong(rng):
        options = {"false_alarm": alarm, "seed": int(rng.integers(2**31)), "score": number}
        return any(audit.examine(FAIR.__getitem__, (0, 1), 0.0, runs=n, **options).refuted for n in sizes)

    return counted(wrong)


def failed(alarm, share=1.0):
    """The assertion of the same audit fails."""

    def wrong(rng):
        seed = int(rng.integers(2**31))
        try:
            audit.assert_private(
                FAIR.__getitem__, (0, 1), 0.0, runs=2_000, false_alarm=alarm * share, seed=seed, score=number
            )
        except AssertionError:
            return True
        return False

    return counted(wrong)


def bet(pair, alarm, runs, **options):
    return counted(lambda rng: audit.refute(*pair, false_alarm=alarm, most_runs=runs, rng=rng, **options).refuted)


def learned_twice(alarm):
    """A bet on what was learned from the same outputs."""
    return counted(
        lambda rng: audit.refute(*map(again, EQUAL), epsilon=0.0, false_alarm=alarm, most_runs=64, rng=rng).refuted
    )


def largest_wealth(alarm):
    """The richest stake in the place of their mean."""

    def wrong(rng):
        values = [sampler(1_000, rng) for sampler in AT_ONE]
        return log_factors(*values, epsilon=1.0).cumsum(axis=1).max() >= -np.log(alarm)

    return counted(wrong)


CHOSEN = cache(on_its_own_samples(EQUAL, 1000, 0.2))
OWN, ESTIMATE = "event chosen on the samples that bound it", "estimate for limit"
CASES = [
    *(
        Coverage(
            f"certified_privacy_loss, outcomes, delta {delta}",
            loss(LOSS, pair, 2000, 0.05, truth, delta=delta), OWN,
            loss(LOSS, tuple(map(twice, pair)), 2000, 0.05, truth, delta=delta), 0.05, 30,
        )
        for pair, truth in ((EQUAL, 0.0), (APART, 0.5)) for delta in (0.0, 1e-3)
    ),
    Coverage(
        "certified_privacy_loss, numbers", loss(LOSS, NOISE, 600, 0.2), OWN,
        loss(LOSS, tuple(map(twice, NOISE)), 600, 0.2), 0.2, 140,
    ),
    *(
        Coverage(
            f"certified_privacy_loss, {kind} score, delta {delta}",
            loss(LOSS, pair, n, alarm, delta=delta, score=score), OWN,
            on_its_own_samples(pair, n, alarm, delta=delta, score=score if callable(score) else None), alarm, runs,
        )
        for kind, score, pair, delta, n, alarm, runs in (
            ("fitted", "fitted", EQUAL, 0.0, 1000, 0.2, 50),
            ("fitted", "fitted", EQUAL, 1e-3, 1000, 0.2, 50),
            ("given", number, NOISE, 0.0, 200, 0.5, 680),
        )
    ),
    *(
        Coverage(
            f"certified_privacy_loss, {kind} score, delta {delta}",
            certified_loss(pair, n, 0.05, delta=delta, score=score), ESTIMATE,
            estimate(pair, n, 0.05, delta=delta, score=score if callable(score) else None), 0.05, 140,
        )
        for kind, score, pair, delta, n in (
            ("fitted", "fitted", EQUAL, 0.0, 1000),
            ("given", number, NOISE, 0.0, 600),
            ("given", number, NOISE, 1e-6, 600),
        )
    ),
    Coverage("bits", loss(audit.bits, NOISE, 1000, 0.05), OWN,
             loss(audit.bits, tuple(map(twice, NOISE)), 1000, 0.05), 0.05, 30),
    *(
        Coverage(
            name, loss(limit, EQUAL, 1000, 0.2, **options), OWN, CHOSEN, 0.2, 50
        )
        for name, limit, options in (
            ("certified_renyi", audit.certified_renyi, {"order": np.inf}),
            ("certified_renyi", audit.certified_renyi, {"order": 2.0}),
            ("certified_zcdp", audit.certified_zcdp, {}),
            ("trade_off_band", below_the_diagonal, {}),
        )
    ),
    Coverage("refute", bet(EQUAL, 0.2, 64, epsilon=0.0), "event learned on what it bets on",
             learned_twice(0.2), 0.2, 40),
    Coverage(
        "refute, an event given", bet(AT_ONE, 0.5, 2_000, epsilon=1.0, event=number),
        "largest wealth for the mean", largest_wealth(0.5), 0.5, 1_200,
    ),
    Coverage("examine", examined(0.3, 8_000), "false alarm for each stage", examined(0.3, 2_000, 6_000), 0.3, 700),
    Coverage("assert_private", failed(0.25), "budget spent twice", failed(0.25, 2.0), 0.25, 500),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_limit_exceeds_the_truth_as_rarely_as_it_says(case):
    case.check()


def test_every_limit_that_may_err_is_tried():
    """By the name of its argument, over all that the audit offers."""
    functions = {n: getattr(audit, n) for n in audit.__all__ if inspect.isfunction(getattr(audit, n))}
    fallible = {n for n, function in functions.items() if "false_alarm" in inspect.signature(function).parameters}
    assert fallible == {case.name.split(",")[0] for case in CASES}
