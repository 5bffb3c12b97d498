"""The ranking: who is in it, in which order, within which time, and what it promises."""

import time

import numpy as np
import pandas as pd
import pytest

from replicate.advice import Question, text
from replicate.advice.game import Candidate, Game, difference, order
from replicate.advice.instances import instances
from replicate.advice.race import Rule, race
from replicate.advice.ranking import compiled, contenders, final, timed, trial
from replicate.advice.rows import KINDS, bound, forecast, learnt, promised, ranked
from replicate.learners import registry

SMALL = {"feedback": "full", "losses": "iid", "n_actions": 4, "rounds": 2000, "epsilon": 1.0}


@pytest.fixture(scope="module")
def ranking():
    game, candidates = Game(Question(**SMALL), 2026), contenders(Question(**SMALL))
    for candidate in candidates:
        if candidate.reason in ("", "not private"):
            game.run(candidate, 6)
    return ranked(game, candidates)


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
    best = ranking[(ranking["kind"] == "guaranteed") & ranking["regret"].notna()]
    assert len(best) >= 8
    assert best["regret"].is_monotonic_increasing
    assert all(registry.entry(n).private and not registry.entry(n).approximate for n in best["learner"])
    assert all(value == value for row in text.finite(ranking) for value in row.values()), "no NaN in plain data"


def test_regrets_are_those_of_the_register(ranking):
    """Whoever else is asked; another seed gives others, and more replicates agree within the intervals."""
    rows = ranking.set_index("learner")
    again = measured("exponential", "gumbel", replicates=6)
    assert again["regret"].tolist() == rows.loc[again.index, "regret"].tolist()
    row, other = rows.loc["exponential"], measured("exponential", replicates=40, seed=7).loc["exponential"]
    assert 0 < abs(row["regret"] - other["regret"]) <= 1.5 * (row["half_width"] + other["half_width"])
    found = instances(Question(**SMALL))
    uniform = np.average([i.uniform for i in found], weights=[i.weight for i in found])
    assert row["of_uniform"] == pytest.approx(row["regret"] / uniform)


def test_a_budget_is_kept_and_who_is_left_out_is_named():
    """To within what a learner with a guarantee may take in any case."""
    game = Game(Question(**SMALL | {"rounds": 10**6, "n_actions": 8}), 1)
    compiled(game)
    start = time.process_time()
    candidates = timed(game, 0.5)
    assert time.process_time() - start < 0.5 + 30
    rows = ranked(game, candidates)
    assert rows[rows["kind"] == "guaranteed"]["rounds"].iloc[0] == game.rounds
    assert (rows[rows["rounds"] != game.rounds]["reason"] != "").all()


@pytest.mark.long
def test_a_learner_that_alone_decides_is_given_the_time():
    """In a short game of many arms nobody can have learnt; whole games name who beats uniform play."""
    asked = Question(feedback="bandit", losses="iid", n_actions=600, rounds=60_000, epsilon=1.0)
    rows = ranked(Game(asked, 1), timed(Game(asked, 1), 0.5, compared=False))
    best = rows[(rows["kind"] == "guaranteed") & (rows["rounds"] == 60_000)].iloc[0]
    assert best["regret"] + best["half_width"] < 0.8 * Game(asked, 1).uniform()


@pytest.mark.parametrize(("name", "growth"), [("hedge_tree_cube", None), ("dp_imed", np.log(4096) / np.log(512))])
def test_a_forecast_grows_as_the_bound_does(name, growth):
    """Where none is explicit, and losses are independent, as log T."""
    game = Game(Question(**SMALL | {"losses": "fixed" if growth is None else "iid", "rounds": 4096}), 1)
    candidate = Candidate(registry.entry(name))
    candidate.trials[512] = np.full(len(game.names), 30.0)
    if growth is None:
        growth = bound(game, candidate.entry) / bound(game, candidate.entry, rounds=512)
        assert 1 < growth < 8
    assert forecast(game, candidate) == pytest.approx(30 * growth)
    assert learnt(game, candidate)
    candidate.trials[1024] = np.full(len(game.names), 0.9 * game.uniform(1024))
    assert not learnt(game, candidate), "the longest game counts, and there it is as bad as uniform play"


def test_finalists_play_longer_games_and_nobody_else_is_named_before_them():
    game = Game(Question(**SMALL | {"losses": "fixed", "rounds": 2048}), 1)
    names = ("few_leaders", "hedge_tree_cube", "exponential", "fixed_share_cube", "fading_batches")
    running = [Candidate(registry.entry(name)) for name in names]
    for candidate in running:
        trial(game, candidate, 128)
        candidate.reason = "no time for the whole game"
    before = sorted(running, key=lambda c: promised(game, c))
    final(game, running, 1024)
    assert {c.reason for c in running} == {"no time for the whole game"}, "the longer game was not the whole one"
    assert [max(c.trials) for c in before] == [1024] * 3 + [128] * 2
    paid = [np.mean(game.sample(before[0].entry, i, 4, 1024)) for i in range(len(game.names))]
    np.testing.assert_allclose(before[0].trials[1024], paid)
    least = min(promised(game, c) for c in before[:3])
    assert all(c.foretold > least for c in before[3:])


def test_learners_with_a_guarantee_are_not_skipped_below_a_second():
    """However small the budget."""
    asked = Question(**SMALL | {"losses": "reactive", "rounds": 200, "feedback": "bandit"})
    rows = ranked(Game(asked, 1), timed(Game(asked, 1), 0.01))
    left = rows["reason"].isin(["foretold to be far behind", "has no simulator"])
    proved = rows[(rows["kind"] == "guaranteed") & ~left]
    assert (proved["rounds"] == 200).all()


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


def test_on_some_instances_the_worst_of_these_ranks():
    game, candidate = Game(Question(**SMALL | {"losses": "fixed"}), 3), Candidate(registry.entry("gumbel"))
    assert game.run(candidate, 3, places=[1, 5])
    regrets, worst = game.score(candidate)
    assert worst in (1, 5)
    assert regrets.mean() == max(sample.mean() for sample in candidate.regrets)


def raced():
    game = Game(Question(**SMALL), 2026)
    runners = [
        Candidate(registry.entry(n)) for n in ("exponential", "gumbel", "restarts", "bit_thompson", "htinf")
    ]
    race(game, runners, Rule(first=64, growth=2, start=4, looks=2, far=1.2))
    return ranked(game, runners)


def test_a_race_has_the_same_numbers_again_and_says_whom_it_left_behind(ranking):
    best = raced()
    pd.testing.assert_frame_equal(best, raced())
    assert best["learner"][0] in set(ranking["learner"].head(6))
    far = best[best["order"] == "far"]
    assert len(far)
    assert (far["rounds"] < SMALL["rounds"]).all()
    assert (far["reason"] != "").all()


def test_losses_that_react_are_played():
    rows = measured("mirror_descent", "gumbel", replicates=4, losses="reactive", rounds=300)
    assert rows["kind"].to_dict() == {"mirror_descent": "guaranteed", "gumbel": "no guarantee"}
    assert rows.loc["gumbel", "regret"] > 50
    assert rows.loc["gumbel", "of_uniform"] == pytest.approx(rows.loc["gumbel", "regret"] / (150 * 3 / 4))
    assert rows.loc["gumbel", "rough"]


@pytest.mark.parametrize("epsilon", [2.0, 50.0])
def test_who_is_made_for_small_levels_answers_larger_ones_at_one(epsilon):
    one, larger = (
        measured("htinf", "gumbel", replicates=3, feedback="full", losses="fixed", rounds=600, epsilon=level)
        for level in (1.0, epsilon)
    )
    assert one.loc["htinf", "bound"] == larger.loc["htinf", "bound"]
    assert one.loc["htinf", "rounds"] == larger.loc["htinf", "rounds"] == 600
    assert one.loc["gumbel", "regret"] != larger.loc["gumbel", "regret"]


@pytest.mark.parametrize("anytime", [False, True])
def test_who_leads_has_played_on_every_instance(anytime):
    """At T = 2**15 the worst of a short game is one on which some learners gain in the whole one."""
    question = Question(**SMALL | {"losses": "fixed", "n_actions": 8, "rounds": 2**15, "anytime": anytime})
    game = Game(question, 2026)
    whole = [
        c
        for c in timed(game, 0.5, compared=False)
        if c.rounds == game.rounds and c.entry.covers("fixed") and c.entry.private
    ]
    best = min(whole, key=lambda c: game.score(c)[0].mean())
    assert best.places == tuple(range(len(game.names)))
    assert game.score(best)[0].mean() > 0
    assert all(c.entry.anytime for c in whole) is anytime
