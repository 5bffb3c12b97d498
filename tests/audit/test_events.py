"""Which event is chosen: the best of all scores and thresholds in any order, by what further runs promise."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from replicate.audit import certificates, sampling
from replicate.audit.certificates import (
    _CAUTION_CALIBRATED,
    _DOUBT,
    _FEWEST,
    Certificate,
    Event,
    _Levels,
    chosen_event,
)
from replicate.audit.wealth import _Learner, log_factors


def columns(n=4000, seed=1):
    """Outputs of both inputs: numbers that tell them apart well, badly and not at all."""
    one, other = np.random.default_rng(seed).normal(size=(2, n, 3))
    one[:, 0] += 1.5
    one[:, 1] -= 0.3
    return one, other


SCORES = {name: (lambda outputs, i=i: outputs[:, i]) for i, name in enumerate(("well", "badly", "not"))}


@pytest.mark.parametrize("order", list(permutations(SCORES)))
@pytest.mark.parametrize("first", [0, 1])
def test_the_score_that_promises_most_is_chosen_in_any_order(order, first):
    """Column 0 is larger on the first input; with the inputs exchanged the same outputs, or those below, speak."""
    known = columns()[:: 1 - 2 * first]
    event = chosen_event([SCORES[name] for name in order], known, runs=4000, delta=0.0, false_alarm=1e-6)
    assert event.score is SCORES["well"]
    inside = [event.holds(outputs).mean() for outputs in known]
    more, less = inside[::-1] if event.swapped else inside
    assert more > 3 * less > 0


@pytest.mark.parametrize("order", list(permutations(SCORES)))
def test_the_bet_that_grew_most_is_chosen_in_any_order(order):
    """Every score and every threshold that occurs, by brute force, in either direction."""
    one, other = columns(15)
    bettor = _Learner(1.0, 0.0)
    for sign, (x, y) in ((1.0, (one, other)), (-1.0, (other, one))):
        event = bettor._best([SCORES[name] for name in order], x, y, sign)
        candidates = [(sign * v >= sign * c).astype(float) for v in np.vstack([x, y]).T for c in v]
        growth = [mean_growth(inside[:15], inside[15:]) for inside in candidates]
        found = np.concatenate([event(x), event(y)])
        assert mean_growth(found[:15], found[15:]) == pytest.approx(max(growth))


def mean_growth(x, y):
    """Of the best stake, for every run on one input beside every one on the other, half a run added to each."""
    p, q = (x.sum() + 0.5) / 16, (y.sum() + 0.5) / 16
    corners = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
    chances = [p * (1 - q), (1 - p) * q, p * q, (1 - p) * (1 - q)]
    return (log_factors(*corners.T, epsilon=1.0, delta=0.0) @ chances).max()


def levels(p, q, n):
    """Counts of n runs that follow two laws exactly, at thresholds 0, 1, 2, ..."""
    return _Levels(np.arange(len(p), dtype=float), n * np.array(p), n * np.array(q), (int(n), int(n)))


@pytest.mark.parametrize("calibrate", [False, True])
@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_with_many_runs_an_event_promises_its_log_ratio(calibrate, delta):
    """Laws whose log odds are linear in the score, so that a calibration is exact too."""
    q = np.full(6, 1 / 6)
    p = np.exp(0.4 * np.arange(6)) / np.exp(0.4 * np.arange(6)).sum()
    tails = [law[::-1].cumsum()[::-1] for law in (p, q)]
    found = levels(p, q, 1e14).promises(runs=10**14, delta=delta, z=5.0, calibrate=calibrate)
    exact = np.log((tails[0] - delta) / tails[1])
    assert found == pytest.approx(exact, abs=2e-3 if calibrate else 1e-4)


def test_frequencies_are_counts_over_runs():
    event = Event(SCORES["well"], 1.0, 0.0, False)
    assert Certificate(0.5, event, (30, 5), (100, 200)).probabilities == (0.3, 0.025)
    assert Certificate(0.0, event, (0, 0), (0, 0)).probabilities == (0.0, 0.0)


def test_a_promise_takes_deviations_off_both_counts_and_off_those_to_come():
    """90 runs of 1,000 against 30; then z deviations of the counts to come at the ratio of 90 to 30.5."""
    found = levels([0.91, 0.09], [0.97, 0.03], 1000.0).promises(runs=500, delta=0.0, z=2.0, calibrate=False)
    careful = 2 * np.log((np.sqrt(90.375) - 2) / (np.sqrt(30.375) + 2))
    rare = 120 / 1000 / (1 + 90 / 30.5)
    to_come = np.sqrt((1 / (0.12 - rare) + 1 / rare) / 500)
    assert found[1] == pytest.approx(careful - 2 * to_come)


@pytest.mark.parametrize("expected", [0.4, 1.4])
@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_a_calibrated_promise_is_a_mean_by_precision_and_never_exceeds_the_calibration(
    expected, delta, monkeypatch
):
    """90 runs of 1,000 against 30 and a half, and a calibration that is trusted up to a share of itself."""
    monkeypatch.setattr(certificates, "_calibrated", lambda *_: np.exp([0.1, expected]))
    found = levels([0.91, 0.09], [0.97, 0.03], 1000.0).promises(runs=500, delta=delta, z=2.0, calibrate=True)
    seen = np.log((0.09 - delta) / 0.0305)
    precisions = [1000 / (0.09 / (0.09 - delta) ** 2 + 1 / 0.0305), (_DOUBT * expected) ** -2]
    ratio = min(np.average([seen, expected], weights=precisions), expected)
    rare = (0.12 - delta) / (1 + np.exp(ratio))
    common = 0.12 - rare
    to_come = np.sqrt((common / (common - delta) ** 2 + 1 / rare) / 500)
    assert found[1] == pytest.approx(ratio - _CAUTION_CALIBRATED / np.sqrt(sum(precisions)) - 2 * to_come)


def test_too_few_runs_promise_nothing():
    few = levels([0.5, 0.5], [0.5, 0.5], _FEWEST - 1.0).promises(runs=10, delta=0.0, z=1.0, calibrate=False)
    assert np.isfinite(few[0])
    assert few[1] == -np.inf


def test_the_threshold_of_numbers_is_the_best_of_all_that_occur():
    one, other = np.random.default_rng(2).integers(0, 12, size=(2, 300)) ** 2 / 10.0
    one += 1.0
    threshold, loss = sampling._best_threshold(one, other, delta=0.02, z=1.5)
    p, q = (np.array([(v >= c).sum() for c in np.unique([one, other])]) for v in (one, other))
    low, high = (p - 1.5 * np.sqrt(p)) / 300 - 0.02, (q + 1.5 * np.sqrt(q) + 1.5**2 / 2) / 300
    promised = np.log(np.maximum(low, 1e-300) / high)
    assert loss == pytest.approx(promised.max())
    assert threshold == np.unique([one, other])[promised.argmax()]


def test_limits_of_an_interval_of_normal_deviations_are_of_the_false_alarm():
    """A rarer false alarm wants more runs in the event: the threshold of a far tail moves inwards."""
    one, other = columns(20_000)
    often, never = (
        chosen_event([SCORES["well"]], (one, other), runs=20_000, delta=0.0, false_alarm=alarm)
        for alarm in (0.1, 1e-12)
    )
    assert never.holds(one).mean() > often.holds(one).mean() > stats.norm.sf(4.0)
