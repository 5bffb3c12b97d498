"""The ranking: who is in it, in which order, within which time, and what it promises."""

import numpy as np
import pandas as pd
import pytest

from replicate.advice import Question, advise, text
from replicate.advice import ranking as ranking_module
from replicate.advice.game import Candidate, Game, difference, order
from replicate.advice.instances import instances
from replicate.advice.race import Rule
from replicate.advice.ranking import _priority
from replicate.advice.rows import KINDS
from replicate.learners import registry

SMALL = {"feedback": "full", "losses": "iid", "n_actions": 4, "rounds": 2000, "epsilon": 1.0}


@pytest.fixture(scope="module")
def ranking():
    return advise(Question(**SMALL), replicates=12)


def test_every_learner_has_a_place(ranking):
    assert set(ranking["learner"]) == set(registry.register())
    assert set(ranking["kind"]) <= set(KINDS)
    assert (ranking[ranking["kind"] == "unfit"]["reason"] != "").all()
    assert list(ranking["kind"].map(KINDS.index)) == sorted(ranking["kind"].map(KINDS.index))


def test_guaranteed_learners_are_private_and_sorted_by_regret(ranking):
    best = ranking[ranking["kind"] == "guaranteed"]
    assert len(best) >= 8
    assert best["regret"].is_monotonic_increasing
    for name in best["learner"]:
        entry = registry.entry(name)
        assert entry.private
        assert entry.covers("iid")
        assert not entry.approximate


@pytest.fixture
def few(monkeypatch):
    """Three learners for a register: what is asked of the ranking needs no more."""
    entries = {name: registry.entry(name) for name in ("exponential", "gumbel", "prefix_softmax")}
    monkeypatch.setattr(registry, "register", lambda: entries)


def test_regrets_are_those_of_the_register(ranking, few):
    """Another seed and more replicates agree within the intervals."""
    row = ranking.set_index("learner").loc["exponential"]
    again = advise(Question(**SMALL), replicates=40, seed=7).set_index("learner").loc["exponential"]
    assert abs(row["regret"] - again["regret"]) <= 1.5 * (row["half_width"] + again["half_width"])
    assert row["of_uniform"] == pytest.approx(
        row["regret"] / np.mean([i.uniform for i in instances(Question(**SMALL))])
    )


def test_the_same_replicates_give_the_same_numbers(ranking, few):
    """Whoever else is asked; another seed gives others."""
    once = ranking.set_index("learner")["regret"]
    again, other = (advise(Question(**SMALL), replicates=12, seed=seed) for seed in (2026, 1))
    assert len(again) == 3
    assert again["regret"].tolist() == once[again["learner"]].tolist()
    assert set(again["regret"]).isdisjoint(other["regret"])


def test_nothing_is_announced_unless_asked(few, capsys):
    advise(Question(**SMALL), replicates=2)
    assert capsys.readouterr() == ("", "")
    advise(Question(**SMALL), replicates=2, announce=True)
    assert capsys.readouterr() == ("", "compiling and timing 3 learners ...\n")


def test_bounds_are_those_of_the_theorems(ranking, few):
    from replicate.papers.prefix_softmax import bounds

    asked = Question(**SMALL)
    row = ranking.set_index("learner").loc["prefix_softmax"]
    values = [bounds.theorem_1(n_actions=4, gap=i.gap, epsilon=1.0) for i in instances(asked)]
    assert row["bound"] == pytest.approx(np.mean(values))
    assert row["promise"] == "vacuous here"
    long = advise(Question(**SMALL | {"rounds": 10**8}), budget=2).set_index("learner").loc["prefix_softmax"]
    assert long["promise"] == "holds here"


@pytest.fixture
def clock(monkeypatch):
    """Processor time that only simulations spend: so much a replicate, an instance and a round."""
    seconds = {"gumbel": 1e-9, "prefix_softmax": 1e-8, "hedge": 1e-7, "restarts": 1e-4, "htinf": 1e-6}
    now = [0.0]

    def sample(game, entry, number, replicates, rounds, *, look=0):
        now[0] += seconds[entry.name] * replicates * rounds
        return np.arange(replicates, dtype=float)

    monkeypatch.setattr(ranking_module.time, "process_time", lambda: now[0])
    monkeypatch.setattr(Game, "sample", sample)
    entries = {name: registry.entry(name) for name in seconds}
    monkeypatch.setattr(registry, "register", lambda: entries)
    return now


@pytest.mark.parametrize("budget", [2, 20, 200])
def test_the_budget_is_kept_and_what_it_excludes_is_listed(clock, budget):
    ranking = advise(Question(**SMALL | {"rounds": 300_000}), budget=budget)
    trials = 4 * sum((1e-9, 1e-8, 1e-7, 1e-4, 1e-6)) * sum(ranking_module._TRIALS)
    assert clock[0] <= budget + trials
    rows = ranking.set_index("learner")
    assert rows.loc["gumbel", "kind"] == rows.loc["prefix_softmax", "kind"] == "guaranteed"
    assert rows.loc["restarts", "kind"] == "skipped"
    assert rows.loc["restarts", "reason"] == "skipped: 8 replicates need about 960.0 s; see --budget"
    assert (rows.loc["htinf", "kind"] == "skipped") == (budget == 2)


TRIAL = 2**11
"""Rounds of the first trial; the second has four times as many."""


@pytest.mark.parametrize(
    ("name", "power", "rounds", "expected"),
    [
        ("gumbel", 0.5, 2**17, 8.0), ("gumbel", -1.0, 2**17, 0.25), ("gumbel", 3.0, 2**18, 64 * 32**2.2),
        ("hedge", 0.5, 2**17, 2.0 * 16), ("hedge", -1.0, 2**17, 0.25 * 16), ("hedge", 1.5, 2**17, 512.0),
        ("hedge", 3.0, 2**18, 64 * 32**2.2), ("htinf", 0.0, 2**14, 2.0), ("hedge", 2.0, 2**12, 4.0),
        ("hedge", 0.5, 2**9, 0.5), ("gumbel", 0.5, 2**9, 0.5),
    ],
)  # fmt: skip
def test_two_trials_foretell_the_time_by_a_power_law(name, power, rounds, expected, monkeypatch):
    """A replicate takes (t / 2048)**power seconds: by hand, the power 0 to 2.2, and 1 at least round by round."""
    now = [0.0]

    def sample(game, entry, number, replicates, rounds, *, look=0):
        now[0] += replicates * (rounds / TRIAL) ** power

    monkeypatch.setattr(ranking_module.time, "process_time", lambda: now[0])
    monkeypatch.setattr(Game, "sample", sample)
    game, candidate = Game(Question(**SMALL | {"rounds": rounds}), 1, None), Candidate(registry.entry(name))
    ranking_module._time(game, candidate)
    assert candidate.seconds == pytest.approx(len(game.names) * expected)


def test_a_trial_that_the_clock_does_not_see_took_a_microsecond(monkeypatch):
    """Nothing for 2,048 rounds, 8 microseconds for 8,192: the power is 3 / 2; 128 times as many rounds follow."""
    times = {TRIAL: 0.0, 4 * TRIAL: 8e-6}
    monkeypatch.setattr(ranking_module, "_clocked", lambda game, candidate, many, rounds: times[rounds])
    monkeypatch.setattr(Game, "sample", lambda *_, **__: None)
    game, candidate = Game(Question(**SMALL | {"rounds": 2**20}), 1, None), Candidate(registry.entry("gumbel"))
    ranking_module._time(game, candidate)
    assert candidate.seconds == pytest.approx(len(game.names) * 8e-6 * 128**1.5)


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


RULE = Rule(first=64, start=4, looks=3, far=1.2)


@pytest.fixture(scope="module")
def raced():
    return advise(Question(**SMALL), rule=RULE)


def test_a_race_has_the_winner_of_the_ranking(ranking, raced):
    assert raced["learner"][0] == ranking["learner"][0]


def test_a_race_has_the_same_numbers_again(few):
    pd.testing.assert_frame_equal(*(advise(Question(**SMALL), rule=RULE) for _ in range(2)))


def test_a_race_says_whom_it_left_behind(raced):
    """They stand behind those that played the whole game, with the regret of the game that cost too much."""
    best = raced[raced["kind"] == "guaranteed"]
    far = best[best["order"] == "far"]
    assert len(far)
    assert (far["rounds"] < SMALL["rounds"]).all()
    assert (far["regret"] > best["regret"].iloc[0]).all()
    assert far["reason"].str.contains("rounds cost more than 1.2 times what the best pays in all").all()
    assert best["rounds"].is_monotonic_decreasing or set(best["rounds"].iloc[: -len(far)]) == {SMALL["rounds"]}


@pytest.fixture
def doubtful(monkeypatch):
    """Two learners alike, one with so much scatter that it takes many replicates to see it, and a bad one."""
    means, asked = {"gumbel": 1.0, "laplace": 1.0, "exponential": 30.0}, []

    def sample(game, entry, number, replicates, rounds, *, look=0):
        asked.append((entry.name, rounds, look, replicates))
        rng = np.random.default_rng([len(entry.name), rounds, look])
        scatter = 0.5 if entry.name == "laplace" else 0.01
        return means[entry.name] * rounds / 4096 + scatter * rng.normal(size=replicates) * (rounds == 4096)

    monkeypatch.setattr(Game, "sample", sample)
    entries = {name: registry.entry(name) for name in means}
    monkeypatch.setattr(registry, "register", lambda: entries)
    return asked


def test_replicates_double_until_the_order_is_known_or_the_looks_are_spent(doubtful):
    found = advise(Question(**SMALL | {"rounds": 4096}), rule=Rule(start=8, looks=4)).set_index("learner")
    games = {(name, rounds, look): many for name, rounds, look, many in doubtful}
    assert found.loc["exponential", "order"] == "far"
    assert ("exponential", 4096, 0) not in games
    looks = sorted(look for name, _, look in games if name == "laplace" and look)
    assert [games["laplace", 4096, look] for look in looks] == [8 * 2**i for i in range(len(looks))]
    assert looks
    assert looks[-1] <= 3


@pytest.mark.parametrize("wrong", [{"start": 1}, {"looks": 0}, {"far": 0.5}, {"wrong": 0}, {"growth": 1}])
def test_a_rule_is_complete(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Rule(**wrong)


def test_losses_that_react_are_played(monkeypatch):
    entries = {name: registry.entry(name) for name in ("mirror_descent", "gumbel")}
    monkeypatch.setattr(registry, "register", lambda: entries)
    ranking = advise(Question(**SMALL | {"losses": "reactive", "rounds": 300}), replicates=4)
    rows = ranking.set_index("learner")
    assert rows.loc["mirror_descent", "kind"] == "guaranteed"
    assert rows.loc["gumbel", "kind"] == "no guarantee"
    assert rows.loc["gumbel", "regret"] > 50
    assert np.isnan(rows.loc["gumbel", "of_uniform"])
    assert rows.loc["gumbel", "rough"]


def test_learners_with_a_guarantee_come_first():
    class Game:
        question = Question(**SMALL)

    candidates = [Candidate(registry.entry(name)) for name in ("htinf", "sticky_leader", "gumbel")]
    order = [c.entry.name for c in sorted(candidates, key=lambda c: _priority(Game, c))]
    assert order == ["gumbel", "sticky_leader", "htinf"]


def test_the_text_names_the_answer_and_its_code_runs(ranking):
    said = text.text(Question(**SMALL), ranking)
    first = ranking.iloc[0]
    assert f"({first['learner']})" in said
    assert "K = 4, T = 2,000; ε = 1, pure" in said
    scope = {"losses": np.zeros(4)}
    exec(first["code"], scope)
    assert scope["action"] in range(4)


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


def test_plain_data_has_no_infinities(ranking):
    data = text.plain(Question(**SMALL), ranking)
    assert data["version"] == 1
    assert data["question"]["n_actions"] == 4
    assert all(value == value for row in data["ranking"] for value in row.values())


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
