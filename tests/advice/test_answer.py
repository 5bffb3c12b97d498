"""The answer: six lines that say what they should, and a program that runs as printed."""

import contextlib
import io
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from replicate.advice import Question, Rule, advise
from replicate.advice.answer import Answer, lines
from replicate.advice.game import Candidate, Game
from replicate.advice.own import beside
from replicate.advice.program import program
from replicate.advice.rows import ranked
from replicate.advice.sought import bisected, sought
from replicate.learners import registry
from replicate.learners.entries import LOSSES

QUICK = Rule(first=64, short=2, start=4, looks=1)
KEYS = ["use", "costs", "assumes", "guaranteed", "open", "verdict"]
SMALL = {"feedback": "full", "n_actions": 4, "rounds": 500, "epsilon": 1.0}


def asked(**changes):
    return advise(Question(**SMALL | changes), rule=QUICK)


@pytest.fixture(scope="module")
def iid():
    return asked(losses="iid")


def test_an_answer_has_six_lines_and_a_program(iid):
    said = str(iid).splitlines()
    assert [line.split()[0] for line in said[2:8]] == KEYS
    assert said[8] == ""
    assert 10 <= len(said[9:]) <= 15
    assert all(line == line.rstrip() for line in said)


def test_the_lines_name_what_is_used_what_it_costs_and_what_another_assumption_would(iid):
    first, second = iid.answers
    said = lines(first, second)
    assert f"({first.use})" in said["use"]
    assert first.cost in said["costs"]
    assert "uniform play" in said["costs"]
    assert "without privacy" in said["costs"]
    assert second.use in said["assumes"]
    assert second.cost in said["assumes"]
    assert said["verdict"].startswith("its 99% interval lies below")
    assert (first.game.question.losses, second.game.question.losses) == ("iid", "fixed")


def test_without_an_assumption_both_answers_stand_side_by_side():
    few = {"feedback": "bandit", "local": True, "n_actions": 2, "rounds": 500}
    both, named = asked(**few), asked(losses="iid", **few)
    assert [line.partition("assume")[0] for line in str(both).splitlines() if line.startswith("If you can")] == [
        "If you can ",
        "If you cannot ",
    ]
    assert [answer.use for answer in both.answers] == [answer.use for answer in named.answers]
    assert str(both).count("registry.learner(") == 2


def test_too_few_rounds_are_said_to_be():
    """Uniform play is used, and a number of rounds is named at which that changes."""
    small = SMALL | {"losses": "iid", "n_actions": 2, "epsilon": 0.05}
    few = asked(**small | {"rounds": 40})
    assert few.answers[0].use == "uniform"
    said = lines(*few.answers)
    assert said["use"].startswith("uniform play")
    assert said["verdict"].startswith("too few rounds for this ε")
    start = int(said["verdict"].rpartition("T = ")[2].replace(",", ""))
    assert start > 40
    assert advise(Question(**small | {"rounds": 4 * start}), guaranteed=True).answers[0].learns


@pytest.mark.parametrize("rows", [[[0, 1], [1, 0]] * 4, [[0.3, 0.3]] * 5])
def test_ties_are_an_answer(rows):
    table = np.array(rows, dtype=float)
    own = advise(Question(feedback="full", n_actions=2, rounds=len(table), epsilon=1.0), table=table, rule=QUICK)
    assert own.answers[0].use == "uniform"
    assert "uniform play has no regret" in str(own)


def test_the_guarantee_is_that_of_the_register_or_says_when_it_starts(iid):
    for answer in iid.answers:
        said, entry = lines(answer, answer)["guaranteed"], registry.entry(answer.use)
        if entry.bound is None:
            assert "asymptotic" in said
        elif answer.best["promise"] == "vacuous here":
            start = int(said.rpartition("T = ")[2].split()[0].replace(",", ""))
            longer = Game(Question(**SMALL | {"losses": answer.game.question.losses, "rounds": start}), 1)
            assert answer.best["bound"] > answer.game.uniform()
            assert entry.bound(longer.question.setting, 0.02) < np.inf
        else:
            assert "at this size" in said


def test_where_nobody_can_be_sure_the_safe_answer_is_named_with_its_cost():
    said = str(asked(feedback="bandit", local=True, n_actions=2)).splitlines()[-1]
    assert said.startswith("If you are unsure, take the second: ")
    assert "If they are i.i.d., its regret is " in said


def test_by_bounds_alone_nobody_plays_and_the_smallest_bound_is_first():
    sizes = SMALL | {"losses": "fixed", "n_actions": 1000, "rounds": 10**4}
    first = advise(Question(**sizes), guaranteed=True).answers[0]
    assert (first.ranking["rounds"] == 0).all()
    proved = first.ranking[first.ranking["kind"] == "guaranteed"]
    assert first.use == proved.loc[proved["bound"].idxmin(), "learner"]
    assert len(lines(first, first)) == 6


def test_a_person_of_many_rounds_has_a_share_of_epsilon_and_of_delta_in_each():
    """Group privacy: m rounds at epsilon / m make epsilon, and their deltas, each times e^(i epsilon / m)."""
    q = Question(**SMALL | {"losses": "fixed", "epsilon": 2.0, "delta": 1e-6, "rounds_per_person": 4})
    each = q.setting
    assert each.epsilon == 0.5
    assert each.delta * sum(math.exp(0.5 * i) for i in range(4)) == pytest.approx(1e-6)
    first, second = asked(losses="iid", n_actions=2, rounds=200, epsilon=4.0, rounds_per_person=4).answers
    said = lines(first, second)["use"]
    assert "run at 1 for each round, which adds up to 4 for the 4 rounds of one person" in said
    prints(first.program, names := {})
    assert names["learner"].privacy.epsilon == 1


def test_a_learner_of_ones_own_stands_beside_the_best_one():
    """The best learner is not told apart from itself; uniform play costs more; one may not fit."""
    question = Question(**SMALL | {"losses": "iid", "rounds": 2000})
    game = Game(question, 1)
    best = Candidate(registry.entry("weighted_epochs"))
    assert game.run(best, 24)
    assert "not told apart" in beside(game, [best], registry.entry("weighted_epochs"))
    assert "larger by a 99% interval" in beside(game, [best], registry.entry("uniform"))
    assert "needs the losses" in beside(Game(replace(question, feedback="bandit"), 1), [best], best.entry)


def test_single_games_stand_beside_the_mean_and_ruin_is_named():
    """Two ruins in twenty are told; one has most of the variance, so that the interval is doubted."""
    game, candidate = (
        Game(Question(**SMALL | {"losses": "fixed"}), 1),
        Candidate(registry.entry("hedge_tree_cube")),
    )
    candidate.places, candidate.rounds = (0,), game.rounds
    for ruins, high, doubt in ((0, 10, ""), (1, 10, "one game decides it"), (2, 400, "")):
        candidate.regrets = [np.array([10.0] * (20 - ruins) + [400.0] * ruins)]
        assert game.tail(candidate) == (high, doubt)
        one = Answer(game, ranked(game, [candidate]))
        assert ("ruin: 1 game of 20 has regret above 400" in lines(one, one)["costs"]) is (ruins == 2)
    candidate.regrets = [np.array([10.0, 400.0])]
    assert game.tail(candidate) == (400, "few games")


def test_ruin_is_that_of_the_worst_instance_and_of_the_weighted_mean_over_drawn_ones():
    """Two games of twenty on one of two tables; all games on the instance whose losses hardly differ."""
    runner, ruined = Candidate(registry.entry("hedge_tree_cube")), np.repeat([10.0, 400.0], [18, 2])
    runner.places, runner.regrets = (0, 1), [np.full(20, 10.0), ruined]
    assert Game(Question(**SMALL | {"losses": "fixed"}), 1).tail(runner)[0] == 400
    drawn = Game(Question(**SMALL | {"losses": "iid"}), 1)
    light = [np.full(20, 400.0 if i.name == "gap 0.02" else 10.0) for i in drawn.instances()]
    runner.places, runner.regrets = (), light
    assert drawn.tail(runner)[0] == 10


@pytest.mark.parametrize("vary", ["epsilon", pytest.param("rounds", marks=pytest.mark.long)])
def test_what_a_regret_needs_is_sought(vary):
    """What is told suffices by its interval; a smaller epsilon, or more rounds, do not; nothing has no regret."""
    question = Question(
        **SMALL | {"feedback": "bandit", "losses": "iid", "n_actions": 2, "rounds": 1000, "local": True}
    )
    said = sought(question, 100.0, vary=vary, budget=0.5, seed=1)
    pattern = r" = (\S+) suffices for a regret of at most 100: .*?, (\S+) ± ([\d.,]+).* = (\S+) (?:does|may)"
    told = re.search(pattern, said)
    enough, mean, half, less = (float(x.replace(",", "")) for x in told.groups())
    assert mean + half <= 106, "two digits are told"
    assert (less < enough) is (vary == "epsilon")
    if vary == "epsilon":
        assert "not surely at most 0.01" in sought(question, 0.01, vary=vary, budget=0.5, seed=1)


@pytest.mark.parametrize(("half", "most", "told"), [(0.0, 10.0, True), (3.0, 10.0, True), (30.0, 41.0, False)])
def test_a_number_surely_does_not_suffice_only_where_the_lower_limit_exceeds_the_regret(half, most, told):
    """Regret 16 / x, known within a half width, of which the widest reaches across the regret to the far end."""

    def at(x):
        return 16 / x - half, 16 / x + half, f"asked at {x}"

    good, bad, edge, known = bisected(at, most, good=64.0, edge=0.25)
    assert known == f"asked at {good}", "and not where it was asked last"
    assert at(good)[1] <= most < at(edge)[1]
    assert good / edge < 1.05
    assert (bad is not None) is told
    assert not told or at(bad)[0] > most


def test_where_nobody_can_be_simulated_the_bounds_rank():
    far = advise(Question(**SMALL | {"losses": "fixed", "rounds": 10**12}), budget=0.5).answers[0]
    assert not far.measured
    assert far.cost.startswith("at most")
    assert "bounds decide the order" in lines(far, far)["open"]
    assert far.ranking[["bound", "forecast"]].min(axis=1).head(8).is_monotonic_increasing


def test_nobody_with_a_guarantee_is_no_recommendation():
    game = Game(Question(**SMALL | {"losses": "fixed"}), 1)
    none = Answer(game, ranked(game, [Candidate(registry.entry(name)) for name in ("gumbel", "hedge")]))
    assert none.use == "uniform"
    assert "no listed learner is known to beat uniform play" in lines(none, none)["verdict"]


def random_questions(many, seed, *, persons=False):
    """Questions of every kind and size; with `persons` a person has several rounds in half of them."""
    rng = np.random.default_rng(seed)
    for _ in range(many):
        losses, k = str(rng.choice(list(LOSSES))), int(rng.integers(2, 40))
        question = Question(
            feedback=str(rng.choice(["full", "bandit"])), losses=losses, n_actions=k,
            rounds=int(10 ** rng.uniform(2, 9)) + k, epsilon=float(10 ** rng.uniform(-2, 1)),
            delta=float(rng.choice([0.0, 1e-3])), local=bool(rng.random() < 0.3),
            n_switches=int(rng.integers(1, 9)) if losses in ("shifting", "switching") else 0,
            rounds_per_person=int(rng.choice([1, 3])) if persons else 1,
        )  # fmt: skip
        yield question, rng


def prints(code, names=None):
    """Run a program as it stands, and return what it prints; its names stay in a given dictionary."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "program", "exec"), {"__name__": "__main__"} if names is None else names)
    return out.getvalue()


@pytest.mark.parametrize("many", [50, pytest.param(500, marks=pytest.mark.long)])
def test_every_program_runs_as_printed(many):
    """Of a learner that fits a random question; refused are only those that cannot be built, nor advised.

    What runs is the learner that was asked for: of so many actions, at most at a round's level, with its delta.
    """
    ran = 0
    for question, rng in random_questions(many, 45, persons=True):
        fitting = [
            e for e in registry.register().values() if not question.refusal(e) and e.covers(question.losses)
        ]
        if not fitting:
            assert prints(program(question, None, None)).startswith("loss ")
            continue
        entry, game = fitting[int(rng.integers(len(fitting)))], Game(question, 1)
        code = program(question, entry, game.level(entry))
        assert len(code.splitlines()) <= 14
        try:
            ran += prints(code, names := {}).startswith("loss ")
        except ValueError:
            assert not game.run(Candidate(entry), 1, rounds=min(question.rounds, 64))
            continue
        stated = names["learner"].privacy
        assert names["learner"].n_actions == question.n_actions
        assert stated.epsilon <= question.setting.epsilon * (1 + 1e-9)
        assert stated.delta == (question.setting.delta if entry.approximate else 0)
    assert ran > 0.8 * many


@pytest.mark.long
def test_every_answer_to_a_random_question_has_six_lines_and_runs():
    for question, _ in random_questions(60, 46):
        advice = advise(question, budget=0.5)
        assert [line.split()[0] for line in str(advice).splitlines()[2:8]] == KEYS
        for answer in advice.answers:
            assert prints(answer.program).startswith("loss ")
