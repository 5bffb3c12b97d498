"""A claim at the reader's own sizes: verdicts follow the numbers, words are by hand, bad questions are refused."""

import itertools
import math
import time
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from replicate.claims import asking, register
from replicate.learners import registry
from replicate.learners.protocol import PHASES, PSEUDO
from tests.claims.quick import LATER, by_paper

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


@pytest.mark.parametrize(
    ("claim", "i"), [pytest.param(*one, marks=[pytest.mark.long] if one[0] in LATER else []) for one in ALL]
)
def test_every_promise_answers(claim, i):
    answer = at_small(claim)[i]
    assert claim in register()
    assert answer.promise.label
    assert answer.last["horizon"] == small(answer.promise)
    assert answer.last["low"] <= answer.last["mean"] <= answer.last["high"]
    tight = claim in CLOSE and answer.last["mean"] <= answer.last["bound"]
    assert answer.verdict.startswith("not decided" if tight else ("holds here", "vacuous here"))


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
        pytest.param(
            "TR-T36c",
            {"horizon": 10**8},
            "needs more than ten minutes, and an answer may take 20 s",
            marks=pytest.mark.long,
        ),
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


AT = {"n_actions": 4, "epsilon": 0.5, "horizon": 6400, "gap": 0.1}


def promise(at=AT, **words):
    """Regret 0.01 T, give or take a tenth; the bound is 0.04 T, uniform play 0.08 T."""
    given = {
        "play": lambda own, n, rng: own.horizon * np.linspace(0.009, 0.011, n),
        "bound": lambda own: 0.04 * own.horizon,
        "uniform": lambda own: 0.08 * own.horizon,
        "losses": "losses that are given",
    }
    return asking.Promise(
        claim="PS-T1", subject="prefix_softmax", at=at, work=lambda own: 0.1, **{**given, **words}
    )


@pytest.mark.parametrize(
    ("low", "high", "bound", "uniform", "relation", "verdict"),
    [
        (11, 12, 10, 20, "<=", "refuted here: the regret exceeds the bound"),
        (10, 12, 10, 20, "<=", "not decided: the interval reaches across the bound"),
        (9, 10, 10, 20, "<=", "holds here: at most 1 of the bound"),
        (1, 2, 10, 10, "<=", "vacuous here: even uniform play keeps the bound"),
        (9, 11, 3, 100, ">=", "holds here: at least 3 times the bound"),
        (9, 11, 10, 100, ">=", "not decided: the interval reaches across the bound"),
        (9, 11, 20, 100, ">=", "refuted here: the regret is less than the bound"),
    ],
)
def test_verdicts_at_their_borders(low, high, bound, uniform, relation, verdict):
    row = {"horizon": 1, "mean": (low + high) / 2, "low": low, "high": high, "bound": bound, "uniform": uniform}
    asked = promise(relation=relation)
    found = asking.Answer(promise=asked, own=asked.own({}), runs=4, data=pd.DataFrame([row]))
    assert found.verdict == verdict
    half = f"± {(high - low) / 2:g} (99%, 4 runs), {PSEUDO}"
    assert str(found).splitlines()[1:5] == [
        f"measured  {(low + high) / 2:g} {half}", "on        losses that are given",
        f"bound     {bound}", f"uniform   {uniform}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2, "2"), (0.25, "0.25"), (1 / 3, "0.333"), (10**6, "1,000,000"), (2**20, "1,048,576"), (2**40, "2^40"),
        (3 * 10**9, "3e+09"), (10**7, "1e+07"), (1234.5, "1,230"), (0.0002, "0.0002"), (1.5e-4, "0.00015"),
        (1234567.8, "1,230,000"), (0.0, "0"),
    ],
)  # fmt: skip
def test_sizes_as_text(value, shown):
    assert asking.count(value) == shown


def test_a_setting_in_the_papers_letters():
    sizes = {"n_actions": 4, "gap": 0.1, "epsilon": 0.5, "delta": 1e-6, "horizon": 2**30, "n_switches": 3}
    own = promise(at=sizes).own({})
    said = asking.described(promise(at=sizes), own)
    assert said == "K = 4, Δ = 0.1, ε = 0.5, δ = 10⁻⁶, T = 2^30, S = 3"


def test_work_is_counted_by_blocks_and_by_rounds():
    own = promise().own({"horizon": 1000})
    assert asking.by_blocks(50)(own) == pytest.approx(50e-9 * 4 * 10)
    assert asking.by_rounds(50)(own) == pytest.approx(50e-9 * 4 * 1000)


def test_the_good_action_changes_from_phase_to_phase():
    """Means (1 - gap) / 2 and (1 + gap) / 2; S + 1 equal phases, the good action of the next is the next one."""
    own = promise(at={**AT, "n_switches": 4}).own({"horizon": 100, "gap": 0.3})
    means = asking.good_action(own).mean_sums(np.arange(0, 100, 20), np.arange(20, 101, 20)) / 20
    expected = np.full((5, 4), 0.65)
    expected[np.arange(5), [0, 1, 2, 3, 0]] = 0.35
    np.testing.assert_allclose(means, expected)


def test_quantities_of_promises():
    """Of phases where the number of switches is read; the register's own learner is played at its own level."""
    made = [
        asking.of_learner("PS-T1", "prefix_softmax", bound=lambda own: 1.0, at=at, work=asking.by_rounds(1))
        for at in (AT, {**AT, "n_switches": 2})
    ]
    assert [p.quantity for p in made] == [PSEUDO, PHASES]
    assert made[0].uniform(made[0].own({})) == pytest.approx(6400 * 0.1 * 3 / 4)
