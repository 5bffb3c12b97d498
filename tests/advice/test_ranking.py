"""The ranking: who is in it, in which order, within which time, and what it promises."""

import re

import numpy as np
import pandas as pd
import pytest

from replicate.advice import Question, advise, text
from replicate.advice.game import Candidate, Game, difference, order
from replicate.advice.instances import instances
from replicate.advice.race import Rule, race
from replicate.advice.rows import KINDS, ranked
from replicate.learners import registry

SMALL = {"feedback": "full", "losses": "iid", "n_actions": 4, "rounds": 2000, "epsilon": 1.0}


@pytest.fixture(scope="module")
def ranking():
    return advise(Question(**SMALL), replicates=12)


def measured(*names, replicates, seed=2026, **changes):
    """The ranking of a few learners."""
    game, candidates = Game(Question(**SMALL | changes), seed), [Candidate(registry.entry(n)) for n in names]
    assert all(game.run(candidate, replicates) for candidate in candidates)
    return ranked(game, candidates).set_index("learner")


def test_every_learner_has_a_place(ranking):
    assert set(ranking["learner"]) == set(registry.register())
    assert set(ranking["kind"]) <= set(KINDS)
    assert (ranking[ranking["kind"] == "unfit"]["reason"] != "").all()
    assert list(ranking["kind"].map(KINDS.index)) == sorted(ranking["kind"].map(KINDS.index))
    best = ranking[ranking["kind"] == "guaranteed"]
    assert len(best) >= 8
    assert best["regret"].is_monotonic_increasing
    assert all(registry.entry(n).private and not registry.entry(n).approximate for n in best["learner"])
    plain = text.plain(Question(**SMALL), ranking)["ranking"]
    assert all(value == value for row in plain for value in row.values()), "no NaN in plain data"


def test_regrets_are_those_of_the_register(ranking):
    """Whoever else is asked; another seed gives others, and more replicates agree within the intervals."""
    rows = ranking.set_index("learner")
    again = measured("exponential", "gumbel", replicates=12)
    assert again["regret"].tolist() == rows.loc[again.index, "regret"].tolist()
    row, other = rows.loc["exponential"], measured("exponential", replicates=40, seed=7).loc["exponential"]
    assert 0 < abs(row["regret"] - other["regret"]) <= 1.5 * (row["half_width"] + other["half_width"])
    uniform = np.mean([instance.uniform for instance in instances(Question(**SMALL))])
    assert row["of_uniform"] == pytest.approx(row["regret"] / uniform)


@pytest.mark.parametrize("sizes", [{"rounds": 300_000}, {"rounds": 10_000, "n_actions": 3000}])
def test_what_the_budget_excludes_is_listed_with_its_seconds(sizes):
    """Restarts look at all rounds so far; with many actions, no game is shorter than their number."""
    rows = advise(Question(**SMALL | sizes), budget=1).set_index("learner")
    skipped = rows[(rows["kind"] == "skipped") & ~rows["reason"].str.contains("no simulator|tuning")]
    assert rows.loc["restarts", "kind"] == "skipped"
    assert all(re.match(r"skipped: .* need.* about [\d,.]+ s; see --budget$", said) for said in skipped["reason"])
    assert "guaranteed" in set(rows["kind"])
    assert np.isfinite(rows["seconds"]).sum() > 10


def test_differences_are_paired_and_decide_the_order():
    best = np.tile([1.0, 3.0], 20)
    found = difference(best + np.tile([1.0, 1.2, 0.8, 1.0], 10), best)
    assert found.estimate == pytest.approx(1)
    assert found.high - found.low < 0.3, "the spread of the losses is no part of it"
    assert order(best + 1, best) == "larger"
    assert order(best, best) == "alike"
    assert order(best - 0.01, best) == "alike"
    assert order(best[::-1], best) == "not decided", "the same mean, but the difference scatters"
    assert difference(best[:8], best).estimate == 0


@pytest.mark.parametrize(("losses", "rounds"), [("iid", 200), ("reactive", 50)])
def test_a_sample_is_the_first_look_of_a_run_and_each_later_look_draws_anew(losses, rounds):
    game = Game(Question(**SMALL | {"losses": losses, "rounds": rounds}), 3)
    candidate = Candidate(registry.entry("gumbel"))
    looks = [game.sample(candidate.entry, 0, 4, rounds, look=look) for look in range(3)]
    assert game.sample(candidate.entry, 0, 4, rounds).tolist() == looks[0].tolist()
    assert len({tuple(look) for look in looks}) == 3
    for look in range(3):
        assert game.run(candidate, 4, look=look)
        assert (candidate.looks, candidate.rounds) == (look, rounds)
        assert candidate.regrets[0].tolist() == np.concatenate(looks[: look + 1]).tolist()


def raced():
    game = Game(Question(**SMALL), 2026)
    runners = [Candidate(registry.entry(n)) for n in ("exponential", "gumbel", "restarts", "adap_ucb", "dp_se")]
    race(game, runners, Rule(first=64, growth=2, start=4, looks=2, far=1.2))
    return ranked(game, runners)


def test_a_race_has_the_same_numbers_again_and_says_whom_it_left_behind(ranking):
    """They stand behind those that played the whole game, with the regret of the game that cost too much."""
    best = raced()
    pd.testing.assert_frame_equal(best, raced())
    order = ranking["learner"][ranking["learner"].isin(best["learner"])]
    assert best["learner"][0] == order.iloc[0]
    far = best[best["order"] == "far"]
    assert len(far)
    assert (far["rounds"] < SMALL["rounds"]).all()
    assert set(best["rounds"].iloc[: -len(far)]) == {SMALL["rounds"]}


@pytest.mark.parametrize("wrong", [{"start": 1}, {"looks": 0}, {"far": 0.5}, {"wrong": 0}, {"growth": 1}])
def test_a_rule_is_complete(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Rule(**wrong)


def test_losses_that_react_are_played():
    rows = measured("mirror_descent", "gumbel", replicates=4, losses="reactive", rounds=300)
    assert rows["kind"].to_dict() == {"mirror_descent": "guaranteed", "gumbel": "no guarantee"}
    assert rows.loc["gumbel", "regret"] > 50
    assert np.isnan(rows.loc["gumbel", "of_uniform"])
    assert rows.loc["gumbel", "rough"]


def test_the_text_names_the_answer(ranking):
    said = text.text(Question(**SMALL), ranking)
    assert f"({ranking['learner'][0]})" in said
    assert "K = 4, T = 2,000; ε = 1, pure" in said


def test_rivals_that_are_alike_or_not_told_apart_are_named(ranking):
    said = text.text(
        Question(**SMALL),
        ranking.assign(order=["larger", "alike", "not decided"] + ["larger"] * (len(ranking) - 3)),
    )
    assert f"Alike, within a tenth of its regret: {ranking['label'][1]}." in said
    assert f"Not decided by these runs: {ranking['label'][2]}." in said
    plain = text.text(Question(**SMALL), ranking.assign(order="larger"))
    assert "Not decided" not in plain
    assert "Alike" not in plain


def test_without_a_guarantee_there_is_no_recommendation(ranking):
    none = ranking.assign(kind=ranking["kind"].replace("guaranteed", "no guarantee"))
    assert text.text(Question(**SMALL), none).splitlines()[2].startswith("No learner of the register")


@pytest.mark.parametrize(
    ("value", "shown"), [(42.34, "42"), (1_312.0, "1,300"), (4.13e7, "4.1e+07"), (0.0123, "0.012"), (np.nan, "-")]
)
def test_numbers_are_shown_to_two_digits(value, shown):
    assert text.short(value) == shown


@pytest.mark.parametrize("wrong", [{"budget": 0}, {"replicates": 1}, {"seed": -1}])
def test_bad_arguments_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        advise(Question(**SMALL), **wrong)
    with pytest.raises(ValueError, match="question must be"):
        advise("which one?")
