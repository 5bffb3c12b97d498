"""The rule of a race on real games, and the rows of a ranking from regrets that are given."""

import math
from dataclasses import replace

import numpy as np
import pytest

from replicate import certify
from replicate.advice import Question, race
from replicate.advice.game import Candidate, Game, order
from replicate.advice.ranking import contenders
from replicate.advice.rows import bound, kind_of, ranked, useful_from
from replicate.learners import registry
from replicate.learners.protocol import PSEUDO, Run

ASKED = {"feedback": "full", "n_actions": 4, "rounds": 4096, "epsilon": 0.5}
IID = Question(losses="iid", **ASKED)


def candidate(name, regrets=(), rounds=4096):
    """A learner with these regrets on each of six instances."""
    known = [np.asarray(regrets, dtype=float)] * 6 if len(regrets) else []
    return Candidate(registry.entry(name), regrets=known, rounds=rounds if len(regrets) else 0)


@pytest.mark.parametrize(
    ("rule", "changes", "stages"),
    [
        ({"first": 64, "growth": 4}, {}, [64, 256, 1024]),
        ({"first": 64, "growth": 4}, {"rounds": 4095}, [64, 256]),
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


@pytest.mark.parametrize("losses", ["iid", "shifting", "fixed", "switching", "reactive"])
def test_drawn_instances_are_averaged_and_of_others_the_worst_counts(losses):
    """By weight: regrets of two replicates, one of the instances apart; as many values."""
    game = Game(Question(losses=losses, **ASKED, n_switches=2 if losses in ("shifting", "switching") else 0), 1)
    runner, many = candidate("gumbel"), len(game.names)
    runner.regrets = [np.array(row, dtype=float) for row in [[0, 5], [5, 3]] + [[1, 1]] * (many - 2)]
    of_replicates, worst = game.score(runner)
    assert worst == 1
    weights = np.array([instance.weight for instance in game.instances()] or [1.0] * many) / many
    if losses in ("iid", "shifting"):
        expected = weights @ np.stack(runner.regrets) / weights.sum()
    else:
        expected = np.array([5.0, 3.0])
    assert of_replicates == pytest.approx(expected)
    assert game.over_instances([1.0] * (many - 1) + [4.0]) == pytest.approx(
        1 + 3 * weights[-1] / weights.sum() if losses in ("iid", "shifting") else 4
    )


RULE = race.Rule(first=64, growth=4, short=4, start=8, looks=3, far=3, wrong=1e-9)
RUNNERS = ("gumbel", "exponential", "dp_imed", "prefix_softmax", "bit_thompson", "htinf")


def test_a_race_keeps_its_rule():
    """A learner leaves that costs more in a shorter game than 3 times the best in all; doubt plays on."""
    game = Game(IID, 1)
    runners = [candidate(name) for name in RUNNERS]
    race.race(game, runners, RULE)
    whole = [c for c in runners if c.rounds == game.rounds]
    mean = {c.entry.name: game.score(c)[0].mean() for c in runners}
    best = min(whole, key=lambda c: mean[c.entry.name])
    first = min(np.mean([regrets[: RULE.start] for regrets in c.regrets]) for c in whole)
    assert len(whole) < len(runners)
    for runner in runners:
        left = runner not in whole
        assert left == ("cost more than 3 times what the best pays in all" in runner.reason)
        assert len(runner.regrets[0]) == (RULE.short if left else RULE.start * 2**runner.looks)
        assert not left or (runner.rounds in (64, 256, 1024) and mean[runner.entry.name] > 3 * first)
    level = RULE.level(len(whole) - 1)
    orders = {c.entry.name: order(game.score(c)[0], game.score(best)[0], level=level) for c in whole}
    assert best.looks == RULE.looks - 1
    assert all(c.looks == best.looks or orders[c.entry.name] == "larger" for c in whole)


def test_the_best_learner_has_all_replicates_though_nobody_races_with_it():
    game, alone = Game(IID, 1), candidate("gumbel")
    race.race(game, [alone], RULE)
    assert (alone.rounds, alone.looks, len(alone.regrets[0])) == (4096, 2, 32)


def test_where_the_worst_ranks_one_instance_tells_who_is_behind_and_a_rival_plays_all():
    """The best has all instances and replicates; who keeps one instance is behind there, with its own regrets."""
    game, rule = Game(Question(losses="fixed", **ASKED), 1), race.Rule(first=4096, short=4, start=8, looks=3)
    runners = [candidate(name) for name in ("hedge_tree_cube", "hedge_tree_cube_fourfold", "few_leaders", "exp3")]
    race.race(game, runners, rule)
    best, many = min(runners, key=lambda c: game.score(c)[0].mean()), len(game.names)
    assert (best.places, len(best.regrets[0])) == (tuple(range(many)), 32)
    one = [c for c in runners if len(c.places) == 1]
    assert 0 < len(one) < len(runners) - 1
    for runner in runners:
        for place, regrets in zip(runner.places, runner.regrets, strict=True):
            np.testing.assert_array_equal(regrets[:8], game.sample(runner.entry, place, 8, game.rounds))
    for runner in one:
        level = 1 - 0.01 / many  # of tables, shared over the instances among which one is chosen
        assert order(game.score(runner)[0], game.score(best)[0], level=level) == "larger"


@pytest.mark.parametrize(("deviations", "looks"), [(4.2, 1), (5.5, 0)])
def test_an_error_is_shared_by_the_instances_of_which_the_worst_ranks(deviations, looks):
    """0.01 by eight tables, five looks and a rival: 16 games decide from 4.8 errors on, not from 3.7."""

    def runner(name, mean, spread):
        def simulate(env, setting, *, replicates, rng):
            costs = mean + spread * np.resize([1.0, -1.0], (replicates, 1))
            return Run(np.array([setting.horizon]), costs, PSEUDO)

        return Candidate(replace(registry.entry("hedge_tree_cube"), label=name, simulate=simulate))

    best, rival = runner("best", 1.0, 0.0), runner("rival", 1 + deviations / math.sqrt(15), 1.0)
    race.race(Game(Question(losses="fixed", **ASKED), 1), [best, rival], race.Rule(first=4096))
    assert (best.looks, rival.looks) == (4, looks)


def test_who_is_behind_in_a_longer_game_has_played_where_the_shorter_one_was_worst():
    """On one of the three instances on which two games of 512 rounds cost the learner most."""
    game = Game(Question(losses="fixed", **ASKED), 1)
    rule = race.Rule(first=512, short=4, start=8, looks=1, far=100)
    runners = [candidate(name) for name in ("hedge_tree_cube", "hedge_tree_cube_fourfold", "htinf", "exp3")]
    race.race(game, runners, rule)
    one = [c for c in runners if len(c.places) == 1]
    assert one
    for runner in one:
        costs = [game.sample(runner.entry, i, 2, 512, look=-1).mean() for i in range(len(game.names))]
        assert runner.rounds == game.rounds
        assert runner.places[0] in np.argsort(costs)[-3:]


def test_who_cannot_be_measured_leaves_the_race_with_the_reason():
    short = Question(**ASKED | {"losses": "iid", "rounds": 4, "epsilon": 0.25})
    runners = [candidate(name) for name in ("exp3", "gumbel")]
    race.race(Game(short, 1), runners, RULE)
    assert [bool(c.regrets) for c in runners] == [False, True]
    assert "too short" in runners[0].reason


@pytest.mark.parametrize(
    ("name", "losses", "regrets", "kind"),
    [
        ("gumbel", "iid", [1.0, 2.0], "guaranteed"),
        ("gumbel", "fixed", [1.0, 2.0], "no guarantee"),
        ("hedge", "iid", [1.0, 2.0], "not private"),
        ("gumbel", "iid", [], "guaranteed"),
        ("gumbel", "fixed", [], "skipped"),
        ("hedge", "iid", [], "skipped"),
        ("dartboard", "iid", [], "unfit"),
    ],
)
def test_kinds_of_rows(name, losses, regrets, kind):
    assert kind_of(Question(losses=losses, **ASKED), candidate(name, regrets)) == kind


def test_the_numbers_of_a_ranking():
    """Relative to the best learner with a guarantee, to the best without privacy, and to uniform play."""
    scatter, game = [6.0, 10.0] * 4, Game(IID, 1)
    table = ranked(
        game,
        [
            candidate("hedge", [2.0] * 8), candidate("laplace", scatter), candidate("gumbel", [4.0] * 8),
            candidate("exponential", [3.0] * 7, 512), candidate("dp_imed_restarted", [1.0] * 7),
            candidate("restarts"), candidate("follow_the_leader", [0.5] * 7, 512),
        ],
    ).set_index("learner")  # fmt: skip
    assert sorted(table.index[-2:]) == ["follow_the_leader", "hedge"]
    table = table.drop("follow_the_leader")  # it played a shorter game, and divides nobody's regret
    assert list(table.index) == ["gumbel", "laplace", "exponential", "restarts", "dp_imed_restarted", "hedge"]
    row, band = table.loc["laplace"], certify.band(np.array(scatter), level=0.99)
    assert (row["regret"], row["difference"], row["order"]) == (pytest.approx(8), pytest.approx(4), "larger")
    assert row["half_width"] == pytest.approx(band.high - 8)
    assert row["difference_half_width"] == pytest.approx(band.high - 8)
    assert (row["of_uniform"], row["of_non_private"]) == (pytest.approx(8 / game.uniform()), 4)
    assert table.loc["exponential", "order"] == "far"
    assert math.isnan(table.loc["exponential", "of_non_private"])
    assert list(table.loc[["gumbel", "dp_imed_restarted"], "rough"]) == [False, True]
    assert list(table["rounds"]) == [4096, 4096, 512, 0, 4096, 4096]
    unmeasured = table.loc["restarts"]
    assert (unmeasured["kind"], unmeasured["order"]) == ("guaranteed", "")
    assert unmeasured[["regret", "half_width", "difference", "of_uniform", "of_non_private"]].isna().all()


def test_a_bound_is_worth_something_up_to_uniform_play():
    """Its value is the weighted mean over the instances' gaps; both verdicts occur."""
    promises = set()
    for rounds in (4096, 10**8):
        game = Game(Question(**ASKED | {"losses": "iid", "rounds": rounds}), 1)
        rows = ranked(game, [Candidate(entry) for entry in registry.register().values()]).dropna(subset="bound")
        assert ((rows["promise"] == "vacuous here") == (rows["bound"] > game.uniform())).all()
        promises |= set(rows["promise"])
        entry, gaps = registry.entry("prefix_softmax"), [instance.gap for instance in game.instances()]
        values = [entry.bound(game.question.setting, gap) for gap in gaps]
        assert rows.set_index("learner").loc["prefix_softmax", "bound"] == pytest.approx(
            np.average(values, weights=[instance.weight for instance in game.instances()])
        )
    assert promises == {"holds here", "vacuous here"}


@pytest.mark.parametrize("rounds", [4096, 5000, 10**7])
@pytest.mark.parametrize("name", ["hedge_tree_cube", "prefix_softmax", "bit_exp3_s"])
def test_a_guarantee_is_useful_from_where_its_bound_meets_uniform_play(name, rounds):
    game, entry = Game(Question(**ASKED | {"losses": "iid", "rounds": rounds}), 1), registry.entry(name)
    start = useful_from(game, entry)

    def share(length):
        return bound(game, entry, rounds=length) / (game.uniform() * length / rounds)

    assert share(start) < 1 <= share(start // 2)
    assert (start <= rounds) == (share(rounds) < 1)


def test_a_simulator_has_a_longest_game_but_against_losses_that_react():
    last = registry.entry("hedge").max_horizon
    for rounds, losses, said in (
        (last, "iid", "not private"), (last + 1, "iid", f"its simulator stops at {last:,} rounds"),
        (last + 1, "reactive", "not private"),
    ):  # fmt: skip
        reasons = {
            c.entry.name: c.reason for c in contenders(Question(**ASKED | {"losses": losses, "rounds": rounds}))
        }
        assert reasons["hedge"] == said
        assert reasons["local_exp4"] == "has no simulator"
