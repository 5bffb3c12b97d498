"""Scores and their events: likelihood ratios found again, one limit for two, nothing certified of equal laws."""

import dataclasses
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from replicate import audit, budget, certify
from replicate.audit import certificates, logistic, scores
from tests.conftest import FALSE_ALARM


def sums(x, scale=2.0, d=3):
    return lambda n, rng: np.cumsum(x + rng.laplace(scale=scale, size=(n, d)), axis=1)


def test_the_fitted_score_is_close_to_the_exact_likelihood_ratio(rng):
    """Bits with known odds: the exact log ratio is a weighted sum, and the fit finds its weights."""
    chances = np.array([[0.6, 0.5, 0.3], [0.4, 0.5, 0.35]])
    one, other = ((rng.random((100_000, 3)) < p).astype(int) for p in chances)
    score = scores.additive(logistic.tally(one, other), scores.coordinates)
    cube = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    exact = np.log(np.where(cube, chances[0] / chances[1], (1 - chances[0]) / (1 - chances[1]))).sum(axis=1)
    found = score(cube)
    assert np.abs(found - exact).max() < 0.05
    assert np.abs(found - exact[::-1]).max() > 0.3


@pytest.mark.parametrize("base", [0, 10**6])
def test_whole_outcomes_are_corrected_where_coordinates_alone_say_nothing(base, rng):
    """The parity of three fair bits, added to large numbers too: each two have one law on both inputs."""

    def draw(odd):
        def sampler(n, rng):
            bits = rng.integers(2, size=(n, 3))
            bits[:, 2] = (bits[:, 0] + bits[:, 1] + (rng.random(n) < odd)) % 2
            return base + bits

        return sampler

    pair = draw(0.6), draw(0.4)
    limit = audit.certified_privacy_loss(*pair, samples=100_000, rng=rng, score="fitted")
    assert 0.8 * np.log(1.5) < limit <= np.log(1.5)
    counts, cube = (
        logistic.tally(*(s(50_000, rng) for s in pair)),
        base + np.array(list(product((0, 1), repeat=3))),
    )
    alone = scores.additive(counts, scores.coordinates)
    assert np.ptp(alone(cube)) < 0.1
    assert np.ptp(scores.patterned(alone, counts, whole=True)(cube)) > 0.7


def test_rows_of_floats_certify_most_of_the_exact_loss_of_prefix_sums(rng):
    """Three sums of three numbers that move by 1 with noise of scale 2: 3/2. No outcome ever comes twice."""
    pair = sums(0.0), sums(1.0)
    limits = [audit.certified_privacy_loss(*pair, samples=400_000, rng=rng, score=s) for s in (None, "fitted")]
    assert 1.25 < min(limits) <= max(limits) <= 1.5
    by_coordinates = audit.certified_privacy_loss(*pair, samples=400_000, rng=rng, score=lambda rows: rows[:, 0])
    assert by_coordinates <= 0.5


def test_a_delta_covers_what_is_rare(rng):
    def reveal(value):
        return lambda n, rng: np.where(rng.random((n, 1)) < 0.01, value, rng.normal(size=(n, 2)))

    pair = reveal(10.0), reveal(20.0)
    assert audit.certified_privacy_loss(*pair, samples=100_000, rng=rng) > 2
    assert audit.certified_privacy_loss(*pair, samples=100_000, delta=0.01, rng=rng) == 0


@pytest.mark.parametrize(("p", "q"), [(0.02, 0.01), (0.5, 0.4), (0.001, 0.001)])
def test_one_limit_for_two_misses_as_often_as_it_says_and_beats_two(p, q, rng):
    """Poisson counts at means m p and m q: the limit exceeds log(p / q) in at most a tenth of the cases."""
    m, runs, alpha = 20_000, 4_000, 0.1
    x, y = rng.poisson(m * p, size=runs), rng.poisson(m * q, size=runs)
    limits = np.array(
        [certificates.ratio_lower(int(a), int(b), false_alarm=alpha) for a, b in zip(x, y, strict=True)]
    )
    wrong = int((limits > np.log(p / q)).sum())
    assert certify.clopper_pearson(wrong, runs, false_alarm=FALSE_ALARM).low <= alpha
    assert wrong > 0.6 * alpha * runs
    low = stats.beta.ppf(alpha / 2, x, m - x + 1)
    high = stats.beta.isf(alpha / 2, y + 1, m - y)
    assert np.median(limits) > np.median(np.log(low / high))


BITS = np.array([0.7, 0.5, 0.45]), np.array([0.5, 0.5, 0.55])
"""Chances of three bits on two inputs; the worst log ratio is that of 0, 0, 1."""


def bits(chances):
    return lambda n, rng: (rng.random((n, 3)) < chances).astype(int)


def frequencies(first, second, samples, rng):
    """Log ratio of the frequencies of the worst outcome: no limit at all."""
    hits = [(draw(samples, rng) == [0, 0, 1]).all(axis=1).mean() for draw in (first, second)]
    return -np.log(hits[0] / hits[1])


def test_a_limit_is_booked_once(rng):
    """An audit spends its false alarm, whichever number of events it looks at."""
    pair = [bits(p) for p in BITS]
    for options in ({}, {"delta": 0.01}):
        known = {"samples": 2_000, "false_alarm": 0.1, "rng": rng, "score": "fitted", **options}
        _, book = budget.noted(audit.certified_privacy_loss, *pair, **known)
        assert sum(book.values()) == pytest.approx(0.1)


KINDS = {
    "rows of floats": (lambda leak, rng: leak[:, None] + rng.random((len(leak), 2)), 0.29),
    "floats": (lambda leak, rng: leak + rng.random(len(leak)), 0.49), "integers": (lambda leak, rng: leak, 0.49),
    "words": (lambda leak, rng: np.where(leak, "yes", "no").tolist(), 0.49),
}  # fmt: skip
"""Outputs that tell a bit, and the share of the samples that choose the event."""


@pytest.mark.parametrize("score", [None, "fitted"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_output_that_chose_an_event_certifies_it(kind, score):
    """Outputs of which the first ones alone tell the input certify nothing, where those that choose are first."""
    made, share = KINDS[kind]

    def make(x, last):
        told = 0

        def sampler(n, rng):
            nonlocal told
            place = np.arange(told, told + n)
            told += n
            return made(x * (place < last).astype(int), rng)

        return sampler

    samples = 4000
    first, always = (0.29 if score else share) * samples, math.inf
    limits = [
        audit.certified_privacy_loss(
            make(0, last), make(1, last), samples=samples, score=score, rng=np.random.default_rng(3)
        )
        for last in (first, always)
    ]
    assert limits[0] == 0
    assert limits[1] > 2


def test_equal_outcomes_are_counted_together_and_fit_alike(rng):
    one, other = (bits(p)(5_000, rng) for p in BITS)
    together = logistic.tally(one, other)
    apart = logistic.tally(one.astype(float), other.astype(float))
    assert len(together.rows) == 8
    assert len(apart.rows) == 10_000
    for counts in (together, apart):
        assert counts.total.sum() == 10_000
        assert counts.first.sum() == 5_000
    cube = together.rows
    weights = [scores.additive(counts, scores.coordinates)(cube) for counts in (together, apart)]
    np.testing.assert_allclose(*weights, atol=1e-3)
    assert np.abs(scores.additive(together.every(2), scores.coordinates)(cube) - weights[0]).max() > 0.01


def test_no_score_is_finer_than_its_step(rng):
    """Last bits of weights, which differ between machines, move no output across a threshold."""
    one, other = sums(0.0)(20_000, rng), sums(1.0)(20_000, rng)
    score = scores.additive(logistic.tally(one, other), scores.differences)
    values = score(one)
    assert (values % score.step == 0).all()
    moved = dataclasses.replace(score, weights=score.weights * (1 + 1e-14))
    assert (moved(one) == values).mean() > 0.9999
    assert 50 < values.std() / score.step < 5_000


def test_extremes_of_a_saturated_score_do_not_tempt(rng):
    """A Laplace number's log ratio is bounded: half of the outputs certify it. Its far tail promises less."""
    pair = [lambda n, rng, x=x: x + rng.laplace(scale=10.0, size=n) for x in (0.0, 1.0)]
    for _ in range(5):
        limit = audit.certified_privacy_loss(*pair, samples=400_000, false_alarm=0.1, rng=rng, score="fitted")
        assert 0.07 < limit < 0.11
