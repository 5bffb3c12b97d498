"""The rule of a race and the rows of a ranking, from regrets that are given: nothing is simulated."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from replicate import certify
from replicate.advice import Question, race, ranking, rows
from replicate.advice.game import Candidate, Game
from replicate.learners import registry

ASKED = {"feedback": "full", "n_actions": 4, "rounds": 4096, "epsilon": 0.5}
IID = Question(losses="iid", **ASKED)


def game(question=IID, **words):
    """A game in which a learner's score is its regrets on the first instance, and uniform play costs 100."""
    known = {
        "question": question, "rounds": question.rounds, "score": lambda c: (c.regrets[0], 0), "names": ["one"],
        "uniform": lambda: 100.0, "instances": lambda: [SimpleNamespace(gap=0.2), SimpleNamespace(gap=0.4)],
        "over_instances": lambda values: float(np.mean(values)),
    }  # fmt: skip
    return SimpleNamespace(**known | words)


def candidate(name, regrets=(), rounds=4096, **words):
    found = [np.asarray(regrets, dtype=float)] if len(regrets) else []
    return Candidate(registry.entry(name), regrets=found, rounds=rounds if len(regrets) else 0, **words)


@pytest.mark.parametrize(
    ("rule", "changes", "stages"),
    [
        ({"first": 64, "growth": 4}, {}, [64, 256, 1024]),
        ({"first": 64, "growth": 4}, {"rounds": 4095}, [64, 256]),
        ({"first": 16, "growth": 8}, {}, [16, 128, 1024]),
        ({"first": 15, "growth": 8}, {}, [120, 960]),
        ({"first": 64, "growth": 4}, {"losses": "switching", "n_switches": 17}, [256, 1024]),
    ],
)
def test_shorter_games_have_room_for_every_action_and_switch(rule, changes, stages):
    """At least four rounds for each, at most a quarter of the whole game."""
    assert race.Rule(**rule).stages(Question(**{"losses": "iid", **ASKED, **changes})) == stages


def test_an_error_is_shared_by_learners_and_looks():
    assert race.Rule(wrong=0.01, looks=5).level(4) == pytest.approx(1 - 0.01 / 20)
    assert race.Rule(wrong=0.01, looks=5).level(0) == pytest.approx(1 - 0.01 / 5)


@pytest.mark.parametrize(
    ("losses", "regrets", "value"),
    [
        ("iid", [2, 3], 2.5), ("shifting", [2, 3], 2.5), ("fixed", [5, 3], 4.0), ("switching", [5, 3], 4.0),
        ("reactive", [5, 3], 4.0),
    ],
)  # fmt: skip
def test_drawn_instances_are_averaged_and_of_others_the_worst_counts(losses, regrets, value):
    """Regrets of two replicates on three instances; one value of each, 1, 4 and 2.5."""
    asked = Question(losses=losses, **ASKED, n_switches=2 if losses in ("shifting", "switching") else 0)
    found = Game(asked, 1)
    runner = candidate("gumbel")
    runner.regrets = [np.array(row, dtype=float) for row in ([0, 5], [5, 3], [1, 1])]
    of_replicates, worst = found.score(runner)
    assert (of_replicates.tolist(), worst) == (regrets, 1)
    assert found.over_instances([1.0, 4.0, 2.5]) == value


def test_who_is_far_behind_leaves():
    """More than twice the best regret of a whole game, in a shorter one; what is negative counts as nothing."""
    runners = [
        candidate("gumbel", [3.0, 5.0]), candidate("laplace", [9.0, 9.0]), candidate("restarts", [8.0], 512),
        candidate("exponential", [8.1], 512),
    ]  # fmt: skip
    near = race._near(game(), runners, race.Rule(far=2.0))
    assert [c.entry.name for c in near] == ["gumbel", "laplace", "restarts"]
    assert runners[3].reason == "512 rounds cost more than 2 times what the best pays in all"
    below = [candidate("gumbel", [-1.0, -2.0]), candidate("restarts", [0.1], 512)]
    assert [c.entry.name for c in race._near(game(), below, race.Rule(far=2.0))] == ["gumbel"]
    assert len(race._near(game(), [candidate("restarts", [8.0], 512)], race.Rule())) == 1


class Course:
    """A game whose regrets are given: mean +- spread in turn, by name and by the rounds of a shorter game."""

    def __init__(self, whole, shorter=None, refused=(), whole_only=False):
        self.whole, self.shorter, self.refused, self.whole_only = whole, shorter or {}, refused, whole_only
        self.question, self.rounds, self.calls = IID, IID.rounds, []

    def run(self, runner, replicates, *, rounds=None, look=0):
        name = runner.entry.name
        self.calls.append((name, replicates, rounds or self.rounds, look))
        if (name, rounds or self.rounds) in self.refused:
            return False
        mean, spread = self.whole[name] if rounds is None else (self.shorter[rounds][name], 0.0)
        new = mean + spread * (-1.0) ** np.arange(replicates)
        runner.regrets = [np.append(runner.regrets[0], new) if look else new]
        runner.rounds, runner.looks = rounds or self.rounds, look
        return True

    def score(self, runner):
        return runner.regrets[0], 0


RULE = race.Rule(first=64, growth=4, short=4, start=8, looks=3, far=2.0)
BEHIND = {"gumbel": (10.0, 1.0), "laplace": (10.1, -1.0), "restarts": (30.0, 0.0)}
"""Of 8 or 16 pairs +-2 apart by 0.1 neither is the better one; 30 is 20 more than the first, all but +-1."""
SHORT = {
    64: {"gumbel": 3.0, "laplace": 4.0, "restarts": 9.0}, 256: {"laplace": 6.0, "restarts": 21.0, "gumbel": 5.0},
}  # fmt: skip


def test_a_race_by_hand():
    """The best of every shorter game plays the whole one; who is far behind leaves; doubt plays again."""
    course, runners = Course(BEHIND, SHORT), [candidate(name) for name in BEHIND]
    race.race(course, runners, RULE)
    short = [(name, 4, 64, 0) for name in BEHIND]
    longer = [("gumbel", 8, 4096, 0), ("laplace", 4, 256, 0), ("restarts", 4, 256, 0), ("laplace", 8, 4096, 0)]
    looks = [(name, 8 * look, 4096, look) for look in (1, 2) for name in ("gumbel", "laplace")]
    assert course.calls == short + longer + looks
    assert [c.rounds for c in runners] == [4096, 4096, 256]
    assert runners[2].reason.startswith("256 rounds cost more than 2 times")


def test_a_race_of_whole_games_looks_again_at_those_who_may_be_the_best():
    """No shorter games; doubt between two of them lets the third, which is behind, rest."""
    course, runners = Course(BEHIND, whole_only=True), [candidate(name) for name in BEHIND]
    race.race(course, runners, RULE)
    looks = [(name, 8 * look, 4096, look) for look in (1, 2) for name in ("gumbel", "laplace")]
    assert course.calls == [(name, 8, 4096, 0) for name in BEHIND] + looks


def test_a_look_is_sure_of_as_many_orders_as_there_are_rivals(monkeypatch):
    """1 % over three looks and two rivals, in every one of them."""
    levels = []
    monkeypatch.setattr(race, "order", lambda *_, level: levels.append(level) or "not decided")
    course = Course(BEHIND, whole_only=True)
    race.race(course, [candidate(name) for name in BEHIND], RULE)
    assert levels == pytest.approx([1 - 0.01 / 6] * 6)


@pytest.mark.parametrize("whole", [{"gumbel": (10.0, 1.0), "laplace": (10.5, 1.0)}, {"gumbel": (10.0, 1.0)}])
def test_a_race_without_doubt_ends_with_the_first_look(whole):
    """Always 1/2 more is larger; one learner by itself is behind nobody."""
    course = Course(whole, whole_only=True)
    race.race(course, [candidate(name) for name in whole], RULE)
    assert course.calls == [(name, 8, 4096, 0) for name in whole]


def test_who_cannot_be_measured_leaves_the_race():
    """In a shorter game; or as its best one, in the whole game, which then has no result to be far behind."""
    refused = {("restarts", 64), ("gumbel", 4096)}
    course, runners = Course(BEHIND, {64: SHORT[64], 256: SHORT[256]}, refused), [candidate(n) for n in BEHIND]
    race.race(course, runners, RULE)
    short = [(name, 4, 64, 0) for name in BEHIND]
    assert course.calls == [*short, ("gumbel", 8, 4096, 0), ("laplace", 4, 256, 0), ("laplace", 8, 4096, 0)]


@pytest.mark.parametrize(
    ("name", "losses", "regrets", "kind"),
    [
        ("gumbel", "iid", [1.0, 2.0], "guaranteed"),
        ("gumbel", "fixed", [1.0, 2.0], "no guarantee"),
        ("hedge", "iid", [1.0, 2.0], "not private"),
        ("gumbel", "iid", [], "skipped"),
        ("hedge", "iid", [], "skipped"),
        ("dartboard", "iid", [], "unfit"),
    ],
)
def test_kinds_of_rows(name, losses, regrets, kind):
    assert rows.kind_of(Question(losses=losses, **ASKED), candidate(name, regrets)) == kind


def test_the_numbers_of_a_ranking():
    """Relative to the best learner with a guarantee, to the best without privacy, and to uniform play."""
    best, scatter = [4.0] * 8, [6.0, 10.0] * 4
    table = rows.ranked(
        game(),
        [
            candidate("hedge", [2.0] * 8), candidate("laplace", scatter), candidate("gumbel", best),
            candidate("exponential", [3.0] * 7, 512), candidate("adap_ucb_customary", [1.0] * 7),
        ],
    ).set_index("learner")  # fmt: skip
    assert list(table.index) == ["gumbel", "laplace", "exponential", "adap_ucb_customary", "hedge"]
    row, band = table.loc["laplace"], certify.band(np.array(scatter), level=0.99)
    assert (row["regret"], row["difference"], row["order"]) == (8, 4, "larger")
    assert row["half_width"] == row["difference_half_width"] == pytest.approx(band.high - 8)
    assert (row["of_uniform"], row["of_non_private"]) == (pytest.approx(0.08), 4)
    assert table.loc["exponential", "order"] == "far"
    assert math.isnan(table.loc["exponential", "of_non_private"])
    assert list(table.loc[["gumbel", "adap_ucb_customary"], "rough"]) == [False, True]
    assert list(table["rounds"]) == [4096, 4096, 512, 4096, 4096]


def test_a_learner_that_was_not_measured_has_no_numbers_and_the_whole_game():
    row = rows.ranked(game(), [Candidate(registry.entry("gumbel"), "skipped: too slow")]).iloc[0]
    assert (row["kind"], row["rounds"], row["order"], row["reason"]) == ("skipped", 4096, "", "skipped: too slow")
    assert row[["regret", "half_width", "difference", "of_uniform", "of_non_private"]].isna().all()


@pytest.mark.parametrize(("uniform", "promise"), [(30.0, "holds here"), (29.9, "vacuous here")])
def test_a_bound_is_worth_something_up_to_uniform_play(uniform, promise):
    entry = SimpleNamespace(covers=lambda losses: True, bound=lambda setting, gap: 100 * gap)
    found = rows._promise(game(uniform=lambda: uniform), entry)
    assert found == {"bound": pytest.approx(30), "promise": promise}
    reactive = game(Question(losses="reactive", **ASKED), instances=list)
    whole = SimpleNamespace(covers=lambda losses: True, bound=lambda setting, gap: 4096 * 0.75)
    assert rows._promise(reactive, whole)["promise"] == "holds here"


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("gumbel", {}, "n_actions=4, horizon=4096, epsilon=0.5"),
        ("hedge", {}, "n_actions=4, horizon=4096"),
        ("meta_experts", {"delta": 1e-6}, "n_actions=4, horizon=4096, epsilon=0.5, delta=1e-06"),
        (
            "restarts", {"losses": "switching", "n_switches": 3},
            "n_actions=4, horizon=4096, epsilon=0.5, n_switches=3",
        ),
    ],
)  # fmt: skip
def test_the_code_that_is_printed_asks_for_the_question(name, changes, words):
    code = rows._code(Question(**{"losses": "iid", **ASKED, **changes}), registry.entry(name))
    assert code.splitlines()[1] == f'learner = registry.learner("{name}", {words}, rng=np.random.default_rng())'
    assert code.endswith("learner.observe(losses)")
    assert rows._code(IID, registry.entry("htinf")).endswith("learner.observe(losses[action])")


@pytest.mark.parametrize(
    ("entry", "rounds", "reason"),
    [
        ({"simulate": None}, 4096, "has no simulator"),
        ({"max_horizon": 4095}, 4096, "its simulator stops at 4,095 rounds"),
        ({"max_horizon": 4096}, 4096, ""),
    ],
)
def test_who_can_be_measured(entry, rounds, reason):
    known = {"simulate": len, "max_horizon": 10**9, "private": True, "approximate": False, "local": False}
    made = SimpleNamespace(**{"feedback": "full", "name": "made", **known, **entry})
    assert ranking._candidate(IID, made).reason == reason
    reactive = Question(losses="reactive", **ASKED)
    assert ranking._candidate(reactive, SimpleNamespace(**{**vars(made), "max_horizon": 1})).reason in (
        "", "has no simulator"
    )  # fmt: skip
