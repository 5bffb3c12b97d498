"""A claim at the reader's own sizes: the verdict follows the numbers, and bad questions are refused."""

import itertools
import math
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from replicate.claims import asking, register
from replicate.learners import registry
from tests.claims.quick import by_paper

SMALL = 4096
"""Horizon at which every learner answers at once; some bounds are vacuous there, some games shorter."""
ALL = [(claim, i) for claim, listed in asking.promises().items() for i in range(len(listed))]

CLOSE = ("DL-NP", "MM-LZ")
"""Claims whose bound the learner nearly attains: a second's runs do not tell them apart."""


def small(promise):
    return min(SMALL, promise.at["horizon"])


@cache
def at_small(claim):
    """Answers to a claim at small sizes."""
    return asking.ask(claim, horizon=max(map(small, asking.promises()[claim])))


def of_regret(low, high, bound, uniform, claim="PS-T1", **others):
    """A claim's answer with these numbers."""
    answer = at_small(claim)[0]
    numbers = {"mean": (low + high) / 2, "low": low, "high": high, "bound": bound, "uniform": uniform}
    return replace(answer, promise=replace(answer.promise, **others), data=answer.data.assign(**numbers))


@pytest.mark.parametrize(("claim", "i"), ALL)
def test_every_promise_answers(claim, i):
    answer = at_small(claim)[i]
    assert claim in register()
    assert answer.promise.label
    assert answer.last["horizon"] == small(answer.promise)
    assert answer.last["low"] <= answer.last["mean"] <= answer.last["high"]
    tight = claim in CLOSE and answer.last["mean"] <= answer.last["bound"]
    assert answer.verdict.startswith("not decided" if tight else ("holds here", "vacuous here"))
    assert set(answer.record()) >= {"claim", "setting", "mean", "bound", "uniform", "verdict"}


@by_paper(asking.promises())
def test_a_bound_on_the_other_side_of_the_regret_is_refuted(names):
    for answer in (answer for name in names for answer in at_small(name)):
        below, above = answer.last["low"] / 2, 2 * answer.last["high"]
        assert below > 0
        wrong = below if answer.promise.relation == "<=" else above
        assert replace(answer, data=answer.data.assign(bound=wrong)).verdict.startswith("refuted"), answer.promise


PHASED = [(claim, i) for claim, i in ALL if "gap" in asking.promises()[claim][i].at
          and asking.promises()[claim][i].subject in registry.register()]  # fmt: skip


@pytest.mark.parametrize(("claim", "i"), PHASED)
def test_uniform_play_is_what_it_says(claim, i):
    promise = asking.promises()[claim][i]
    own = promise.own({"horizon": small(promise)})
    env = asking.good_action(own)
    total = env.mean_sums(0, own.horizon)
    starts = np.linspace(0, own.horizon, own.n_switches + 2).astype(int)
    best = sum(env.mean_sums(a, b).min() for a, b in itertools.pairwise(starts))
    assert promise.uniform(own) == pytest.approx(total.mean() - best, rel=1e-3)


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((9, 11, 100, 1000), "holds here: at most 0.104 of the bound"),
        ((9, 11, 1000, 1000), "vacuous here: even uniform play keeps the bound"),
        ((90, 110, 100, 1000), "not decided: the interval reaches across the bound"),
        ((190, 210, 100, 1000), "refuted here: the regret exceeds the bound"),
    ],
)
def test_verdicts(numbers, verdict):
    found = of_regret(*numbers).verdict
    assert found.partition(":")[0] == verdict.partition(":")[0]


@pytest.mark.parametrize(
    ("numbers", "verdict"),
    [
        ((9, 11, 3, 1000), "holds here: at least 3 times the bound"),
        ((9, 11, 10, 1000), "not decided: the interval reaches across the bound"),
        ((9, 11, 20, 1000), "refuted here: the regret is less than the bound"),
    ],
)
def test_verdicts_of_lower_bounds(numbers, verdict):
    assert of_regret(*numbers, relation=">=").verdict.partition(":")[0] == verdict.partition(":")[0]


def test_a_short_game_is_shown_round_by_round():
    answer, _ = asking.ask("MM-UP", horizon=4)
    assert answer.data["horizon"].tolist() == [1, 2, 3, 4]
    assert "exactly, worst-case regret" in str(answer)
    assert answer.data["bound"].tolist() == sorted(answer.data["bound"])


def test_a_mean_that_is_computed_is_called_exact():
    assert "exactly, the mean of games that differ, pseudo-regret" in str(at_small("NL-T3")[0])
    assert "99%" in str(at_small("NL-T1")[0])


def test_outside_the_theorem():
    (answer,) = asking.ask("TR-B2", epsilon=2, horizon=4096)
    assert answer.verdict == "outside the theorem's assumptions: Theorem 5.2 is for epsilon below 1"
    (answer,) = asking.ask("BA-C2", epsilon=2, horizon=4096)
    assert answer.verdict.startswith("outside the theorem's assumptions: epsilon must be in")
    assert answer.last == {}
    assert answer.record()["verdict"] == answer.verdict


@pytest.mark.parametrize(
    ("claim", "sizes", "message"),
    [
        ("PS-T9", {}, "claim must be one of"),
        ("PS-T1", {"n_switches": 2}, "sizes of PS-T1 must be among"),
        ("PS-T1", {"epsilon": -1}, "epsilon must be a finite number in"),
        ("PS-T1", {"gap": 0}, "gap must be a finite number"),
        ("PS-T1", {"n_actions": 1.5}, "n_actions must be"),
        ("DL-T5", {"n_labels": 1}, "n_labels must be"),
        ("PS-T1", {"epsilon": math.inf}, "epsilon must be a finite number"),
        ("PS-T1", {"seed": -1}, "seed must be an integer of at least 0, got -1"),
        ("TR-T36c", {"horizon": 10**8}, "needs more than ten minutes, and an answer may take 20 s"),
        ("MM-UP", {"horizon": 30}, "too large to solve"),
    ],
)
def test_bad_questions_are_refused(claim, sizes, message):
    with pytest.raises(ValueError, match=message):
        asking.ask(claim, **sizes)


def test_the_same_question_has_the_same_answer():
    first, second, other = (asking.ask("PS-T1", seed=seed, horizon=4096)[0].last for seed in (1, 1, 2))
    assert first == second
    assert first["mean"] != other["mean"]


@pytest.mark.parametrize("look", range(19))
def test_one_long_pause_changes_no_answer(monkeypatch, look):
    """Whichever game compiles, or is interrupted, and seems to take ten seconds: a second look tells the truth."""
    (expected,) = at_small("NL-T1")
    clock, looks = time.process_time, itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: clock() + 10 * (next(looks) > look))
    assert str(asking.ask("NL-T1", horizon=SMALL)[0]) == str(expected)
