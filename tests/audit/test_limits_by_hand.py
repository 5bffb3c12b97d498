"""Limits that samples give, computed by hand from counts; shares of samples and of false alarms."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import audit
from replicate.audit import certificates
from replicate.audit.certificates import Event


def least(k, n, alarm):
    return float(stats.beta.ppf(alarm, k, n - k + 1))


def most(k, n, alarm):
    return float(stats.beta.isf(alarm, k + 1, n - k))


def fixed(values):
    """A sampler that returns given outputs, over and over, in their order."""
    place = [0]

    def sampler(n, rng):
        taken = np.take(values, np.arange(place[0], place[0] + n), mode="wrap")
        place[0] += n
        return taken

    return sampler


@pytest.mark.parametrize("swapped", [False, True])
def test_an_event_under_a_delta_has_two_limits_of_half_the_false_alarm(swapped, rng):
    """3 of 4 against 1 of 10: 750 and 100 of 1,000 runs; the likelier input is named first."""
    pair = [fixed(np.arange(4.0) > 0), fixed(np.arange(10.0) > 8)]
    event = Event(lambda outputs: np.asarray(outputs, dtype=float), 1.0, 0.5, swapped)
    options = {"runs": 1000, "delta": 0.05, "false_alarm": 0.01, "rng": rng}
    found = certificates.bounded(event, pair[::-1] if swapped else pair, **options)
    assert (found.counts, found.runs) == ((750, 100), (1000, 1000))
    known = math.log((least(750, 1000, 0.005) - 0.05) / most(100, 1000, 0.005))
    assert found.epsilon == pytest.approx(known)
    never = certificates.bounded(event, pair if swapped else pair[::-1], **options)
    assert (never.counts, never.epsilon) == ((100, 750), 0)


def test_counts_of_a_pure_claim_have_one_limit(rng):
    """Numbers of runs are Poisson; given both counts the first is binomial."""
    pair = [fixed(np.arange(4) > 0), fixed(np.arange(10) > 8)]
    event = Event(lambda outputs: np.asarray(outputs, dtype=float), 1.0, 0.5, False)
    found = certificates.bounded(event, pair, runs=10_000, delta=0.0, false_alarm=0.01, rng=rng)
    (x, y), runs = found.counts, found.runs
    assert runs[0] != runs[1]
    assert np.abs(np.array(runs) - 10_000).max() < 600
    share = stats.beta.ppf(0.01, x, y + 1)
    assert found.epsilon == pytest.approx(math.log(share / (1 - share)))


def test_numbers_are_cut_at_the_best_threshold_of_one_half_and_certified_on_the_other(rng):
    """Zeros are 100 of 1,000 on the first input and 700 on the second, in either half."""
    outputs = [np.resize(np.arange(10) >= 1, 2000) * 1.0, np.resize(np.arange(10) >= 7, 2000) * 1.0]
    limits = [
        audit.certified_privacy_loss(*map(fixed, outputs), samples=2000, delta=d, false_alarm=0.02, rng=rng)
        for d in (0.0, 0.1)
    ]
    below = math.log(least(700, 1000, 0.01) / most(100, 1000, 0.01))
    with_delta = math.log((least(700, 1000, 0.01) - 0.1) / most(100, 1000, 0.01))
    assert limits == pytest.approx([below, with_delta])


def test_an_event_of_a_divergence_is_certified_by_limits_of_half_the_false_alarm(rng):
    """Of 1,000 samples 200 fit, 100 choose and 700 certify: 70 and 490 of these are zeros."""
    outputs = [np.resize(np.arange(10) >= 1, 1000) * 1.0, np.resize(np.arange(10) >= 7, 1000) * 1.0]
    p, q = least(490, 700, 0.01), most(70, 700, 0.01)
    found = audit.certified_renyi(
        *map(fixed, outputs), order=2, samples=1000, false_alarm=0.02, rng=rng, score=lambda x: x
    )
    assert found == pytest.approx(math.log(p**2 / q + (1 - p) ** 2 / (1 - q)))


def test_a_trade_off_band_by_hand(rng):
    """One threshold: 70 of 700 fall below it on the first input, 210 reach it on the second."""
    outputs = [np.resize(np.arange(10) >= 7, 1000) * 1.0, np.resize(np.arange(10) >= 1, 1000) * 1.0]
    band = audit.trade_off_band(
        *map(fixed, outputs[::-1]), samples=1000, false_alarm=0.04, rng=rng, score=lambda x: x
    )
    wrong, missed = most(70, 700, 0.01), most(210, 700, 0.01)
    assert band == pytest.approx(np.array([[0, 1], [wrong, missed], [1, 0]]))


def in_two_parts(first, share, n=2000):
    """A sampler whose first outputs, a `share` of n, are `first`; all later ones are 0 and 1 in turn, for ever."""
    place, values = [0], np.arange(2.0 * n) % 2
    values[: round(share * n)] = first

    def sampler(size, rng):
        place[0] += size
        return values[place[0] - size : place[0]]

    return sampler


SPLIT = {
    "certified_privacy_loss, numbers": (audit.certified_privacy_loss, {}, 0.5),
    "certified_privacy_loss, delta": (audit.certified_privacy_loss, {"delta": 0.1}, 0.5),
    "certified_privacy_loss, fitted": (audit.certified_privacy_loss, {"score": "fitted"}, 0.3),
    "certified_privacy_loss, score": (audit.certified_privacy_loss, {"score": lambda x: x}, 0.1),
    "certified_renyi": (audit.certified_renyi, {"order": 2}, 0.3),
    "certified_zcdp": (audit.certified_zcdp, {}, 0.3),
}
"""How a limit is certified, and the share of the samples that choose its event."""


@pytest.mark.parametrize("name", SPLIT)
def test_samples_that_choose_an_event_certify_nothing(name, rng):
    """Inputs that differ only in the samples that choose are not told apart; if all samples differ, they are."""
    certified, options, share = SPLIT[name]
    found = [
        certified(*(in_two_parts(first, part) for first in (0.0, 1.0)), samples=2000, rng=rng, **options)
        for part in (share, 1.0)
    ]
    assert found[0] == 0
    assert found[1] > 1
