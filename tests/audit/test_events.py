"""Which event is chosen: the best of all scores and thresholds in any order, by what further runs promise."""

import re
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from replicate import audit
from replicate.audit.certificates import chosen_event
from replicate.audit.outputs import stacked
from replicate.streams import stream


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


def test_limits_of_an_interval_of_normal_deviations_are_of_the_false_alarm():
    """A rarer false alarm wants more runs in the event: the threshold of a far tail moves inwards."""
    one, other = columns(20_000)
    often, never = (
        chosen_event([SCORES["well"]], (one, other), runs=500, delta=0.0, false_alarm=alarm)
        for alarm in (0.1, 1e-12)
    )
    assert never.holds(one).mean() > often.holds(one).mean() > stats.norm.sf(4.0)


ROWS = np.array([[0, 1, 2], [1, 0, 2], [2, 1, 0], [-3, 3, 3], [0, 1, 3], [0, 0, 0]])
NAMES = {"numbers": np.arange(6), "words": np.array(list("abcdef")), "rows": ROWS, "rows to sort": ROWS * 10**9}


@pytest.mark.parametrize("order", [[5, 3, 1, 0, 2, 4], [2, 0, 1, 5, 4, 3]])
@pytest.mark.parametrize("kind", NAMES)
def test_relabelled_outcomes_give_the_same_certified_numbers(kind, order):
    """On one stream, whatever outcomes are made of; the same laws the other way round give others."""
    names = NAMES[kind]

    def found(names, *, swapped=False):
        laws = ([0.3, 0.25, 0.2, 0.1, 0.1, 0.05], [0.1, 0.2, 0.2, 0.3, 0.1, 0.1])[:: -1 if swapped else 1]
        pair = [lambda n, rng, law=law: names[rng.choice(6, size=n, p=law)] for law in laws]
        words = {"samples": 5000, "false_alarm": 1e-3}
        return [
            audit.certified_privacy_loss(*pair, **words, rng=stream(1)),
            audit.certified_renyi(*pair, order=2.0, **words, rng=stream(2)),
            audit.certified_zcdp(*pair, **words, rng=stream(3)),
        ]

    known = found(NAMES["numbers"])
    assert found(names[order]) == pytest.approx(known, rel=1e-12)
    assert min(known) > 0
    assert abs(np.subtract(found(names, swapped=True), known)).max() > 1e-3


@pytest.mark.parametrize("law", [stats.laplace, stats.norm, stats.logistic])
def test_an_event_of_one_number_is_where_that_number_lies(law):
    """The law says how often the more likely input ends there: within six deviations."""
    with pytest.raises(AssertionError) as failed:
        audit.assert_private(
            lambda x: lambda n, rng: law.rvs(loc=x, size=n, random_state=rng), (0.0, 3.0), epsilon=0.5, seed=1
        )
    said = str(failed.value).replace(",", "")
    side, place = re.search(r"Event: the output is (at least|below) (-?[\d.]+);", said).groups()
    came, runs, likely = re.search(r"It came in (\d+) of (\d+) runs on the (\w+) input", said).groups()
    at = law(loc=0.0 if likely == "first" else 3.0)
    chance = at.sf(float(place)) if side == "at least" else at.cdf(float(place))
    assert abs(int(came) - int(runs) * chance) < 6 * (int(runs) * chance * (1 - chance)) ** 0.5


def bits(x):
    """Eight bits; the first two depend on the input."""
    chances = np.array([0.3 + 0.5 * x, 0.7 - 0.5 * x, *[0.4] * 6])
    return lambda n, rng: (rng.random((n, 8)) < chances).astype(int)


def pairs(x):
    """Two numbers with noise, of which the difference tells."""
    return lambda n, rng: np.cumsum(rng.laplace(loc=[0, 3 * x], size=(n, 2)), axis=1)


def words(x):
    """A word and a number."""
    return lambda n, rng: [
        ("yes" if rng.random() < 0.2 + 0.6 * x else "no", int(rng.integers(4))) for _ in range(n)
    ]


def lies(place, values):
    """Return whether values lie where the words say."""
    inside = np.full(len(values), True)
    for part in place.split(" and "):
        how, number = re.fullmatch(r"(at least |at most |below |above |)(.+)", part).groups()
        compare = {
            "at least ": np.greater_equal,
            "at most ": np.less_equal,
            "below ": np.less,
            "above ": np.greater,
            "": np.isclose,
        }
        inside &= compare[how](values, float(number))
    return inside


def feature(name, rows):
    """A feature of rows by its name."""
    places = [int(c) for c in re.findall(r"\d+", name)]
    named = {"largest": rows.max(axis=1), "least": rows.min(axis=1), "sum": rows.sum(axis=1)}
    named |= {"place of the largest": rows.argmax(axis=1), "place of the least": rows.argmin(axis=1)}
    return named[name] if name in named else rows[:, places[0]] - (rows[:, places[1]] if places[1:] else 0)


@pytest.mark.parametrize("make", [bits, pairs, words])
def test_an_event_of_several_numbers_is_recomputed_from_its_words(make):
    """On outputs that no audit saw; with one weight left out the words say something else."""
    verdict = audit.examine(make, (0, 1), 0.5, runs=8_000, seed=1)
    assert verdict.refuted
    event, base = verdict.event, getattr(verdict.event.score, "base", verdict.event.score)
    if base is not event.score:
        event = type(event)(base, event.sign, event.threshold, event.swapped)
    said = re.fullmatch(r"the sum of these is at least (-?[\d.e-]+): (.+)", str(event))
    terms = [(event.sign * weight, *when.rsplit(" is ", 1)) for weight, when in base.terms()[1]]
    listed = [f"{weight:+.6g} if {name} is {place}" for weight, name, place in terms]
    assert set(listed) >= {part for part in said[2].split("; ") if " if " in part}
    outputs = stacked(list(make(0)(500, np.random.default_rng(5))) + list(make(1)(500, np.random.default_rng(6))))
    rows, held = base.layout.rows(outputs), event.holds(outputs)
    parts = np.array([weight * lies(place, feature(name, rows)) for weight, name, place in terms])
    assert 0 < held.mean() < 1
    assert ((parts.sum(axis=0) >= float(said[1])) == held).all()
    assert (
        (np.delete(parts, np.abs(parts).max(axis=1).argmax(), axis=0).sum(axis=0) >= float(said[1])) != held
    ).any()
    assert [event(output) for output in list(make(0)(20, np.random.default_rng(7)))] == event.holds(
        stacked(list(make(0)(20, np.random.default_rng(7))))
    ).tolist()


@pytest.mark.parametrize("end", [np.inf, -np.inf])
def test_an_infinite_output_is_told_by_an_example_and_by_no_number(end):
    def make(x):
        return lambda n, rng: np.where(rng.random(n) < 0.3 * x, end, rng.laplace(size=n))

    with pytest.raises(AssertionError, match=rf"for example {end}") as failed:
        audit.assert_private(make, (0, 1), epsilon=0.5, seed=1)
    assert "e+1" not in str(failed.value)
