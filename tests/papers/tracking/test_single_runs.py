"""Single runs, sweeps and delays behind the figures, from plays that are given: every number has its place."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replicate.papers.tracking.algorithms.simulation import METHODS, Setting
from replicate.papers.tracking.experiments import single_runs

LONG = 2**16
AFTER = int(0.4 * LONG)
"""Rounds before the one shift."""


@pytest.fixture
def rules(monkeypatch):
    """Thresholds that only say what they are for, and what was asked of them."""
    asked = []

    def restart_rule(**words):
        asked.append(words)
        return SimpleNamespace(**words, constant=2.0, root=0.5, accuracy=3.0)

    monkeypatch.setattr(single_runs.bounds, "restart_rule", restart_rule)
    return asked


def planted(monkeypatch, name, losses):
    """Put losses in the place of an environment; return what was asked of it."""
    asked = []

    def environment(*words):
        asked.append(words)
        return SimpleNamespace(losses=lambda start, stop, rng: losses(start, stop, rng))

    monkeypatch.setattr(single_runs, name, environment)
    return asked


def phased(start, stop, rng):
    """Expert k is right in phase k of four, and nobody else."""
    return 1.0 - (np.arange(start, stop)[:, None] * 4 // stop == np.arange(4))


@pytest.fixture
def shift_run(monkeypatch, rules):
    """A run in which the restarted learner stays with the first expert, and another takes its turns."""
    calls = []

    def run_restarts(table, *, epsilon, rule, rng):
        calls.append((epsilon, rule, rng.random()))
        return SimpleNamespace(actions=np.zeros(LONG, int), restarts=np.array([0, 128, 129, 20_000]))

    def turns(setting):
        assert setting == Setting(n_actions=4, horizon=LONG, n_switches=3, epsilon=1.0)
        return lambda table, own: calls.append((None, None, own.random())) or (np.arange(LONG) % 4, None)

    monkeypatch.setattr(single_runs.restarts, "run_restarts", run_restarts)
    monkeypatch.setattr(single_runs.simulation, "METHODS", {"restarts": None, "turns": turns})
    asked = planted(monkeypatch, "phases", phased)
    data = single_runs.shift_run.__wrapped__("quick", 5)
    assert asked == [(4, 4, LONG, 0.9)]
    return data, calls


def test_one_run_is_that_of_four_phases_at_epsilon_1(shift_run, rules):
    """Algorithm 2 has half of epsilon for its restarts; every learner has draws of its own."""
    data, calls = shift_run
    assert rules == [{"n_actions": 4, "horizon": LONG, "epsilon": 1.0}]
    assert calls[0][:2] == (0.5, SimpleNamespace(**rules[0], constant=2.0, root=0.5, accuracy=3.0))
    assert calls[0][2] != calls[1][2]
    rounds = [1 + i * (LONG - 1) // 512 for i in range(1, 513)]
    for _, rows in data.groupby("method"):
        assert rows["round"].to_list() == rounds


def test_one_run_s_regret_and_experts_round_by_round(shift_run):
    """The first expert is right for a quarter; who takes turns is right in every fourth round."""
    data, _ = shift_run
    stays, turns = (data[data["method"] == name] for name in ("restarts", "turns"))
    assert stays["regret"].to_list() == [max(t - LONG // 4, 0) for t in stays["round"]]
    assert set(stays["expert"]) == {1}
    quarters = LONG // 4
    for row in turns.itertuples():
        right = sum(
            len(range(k * quarters + k, min((k + 1) * quarters, row.round), 4))
            for k in range(math.ceil(row.round / quarters))
        )
        assert (row.regret, row.expert) == (row.round - right, (row.round - 1) % 4 + 1)


def test_restarts_of_one_run_are_marked_at_the_next_round_that_is_shown(shift_run):
    """The start of the game is no restart."""
    data, _ = shift_run
    stays, turns = (data[data["method"] == name] for name in ("restarts", "turns"))
    marked = stays.loc[stays["restart"], "round"].to_list()
    assert marked == [stays.loc[stays["round"] >= s, "round"].min() for s in (128, 129, 20_000)]
    assert marked[:2] == [128, 256]
    assert not turns["restart"].any()


def test_losses_without_privacy_are_those_of_tuned_learners_restarted_at_the_shifts(monkeypatch):
    table, cuts = np.ones((6, 3)), [2, 4]
    tune, base = [], single_runs.baselines
    monkeypatch.setattr(base, "fixed_share_tuning", lambda *sizes: tune.append(sizes) or (0.25, 0.125))

    def shared(given, *, learning_rate, share):
        assert (given is table, learning_rate, share) == (True, 0.25, 0.125)
        return np.array([1.0, 2.0, 4.0])

    def led(given, *, restarts):
        assert (given is table, restarts) == (True, cuts)
        return np.array([3.0, 5.0])

    monkeypatch.setattr(base, "fixed_share_losses", shared)
    monkeypatch.setattr(base, "leader_losses", led)
    assert single_runs._expected_baselines(table, 2, cuts) == {"fixed_share": 7.0, "oracle_leader": 8.0}
    assert tune == [(3, 6, 2)]


def test_regret_without_privacy_is_against_the_best_sequence(monkeypatch):
    """Expert 0 is right, then 1, then 0 again, in tables of ten rounds: the best sequence loses 5 x."""
    drawn, asked = iter((0.2, 0.4, 0.8)), []
    wrong = np.ones((10, 2))
    wrong[:3, 0] = wrong[3:6, 1] = wrong[6:, 0] = 0.5
    env = SimpleNamespace(losses=lambda start, stop, rng: next(drawn) * wrong[start:stop])

    def expected(table, switches, cuts):
        asked.append((table.max(), len(table), switches, cuts))
        return {"one": 10.0, "other": 20.0 * table.max()}

    monkeypatch.setattr(single_runs, "_expected_baselines", expected)
    found = single_runs._baseline_regrets(env, 10, 2, [None] * 3)
    assert {name: pytest.approx(list(values)) for name, values in found.items()} == {
        "one": [9, 8, 6],
        "other": [3, 6, 12],
    }
    assert asked == [(x, 10, 2, [3, 6]) for x in (0.2, 0.4, 0.8)]


def test_a_point_of_a_sweep_is_a_mean_with_the_middle_four_fifths(monkeypatch):
    """Regrets 0 to 10 have the mean 5 and the tenths 1 and 9."""
    calls = []

    def simulate(env, *, method, rng, **words):
        calls.append((env, method, words))
        return SimpleNamespace(final=np.arange(11.0) * len(calls))

    monkeypatch.setattr(single_runs.simulation, "simulate", simulate)
    monkeypatch.setattr(single_runs, "phases", lambda *words: words)
    base = {"base": np.array([0.0, 10.0, 20.0])}
    monkeypatch.setattr(
        single_runs,
        "_baseline_regrets",
        lambda *words: calls.append((*words[:3], len({own.random() for own in words[3]}))) or base,
    )
    rows = single_runs._sweep_point(400, 2, 0.3, 7, np.random.default_rng(1))
    env, setting = (8, 3, 400, 0.9), {"horizon": 400, "n_switches": 2, "epsilon": 0.3}
    words = setting | {"replicates": 7}
    assert calls == [*((env, method, words) for method in METHODS), (env, 400, 2, 7)]
    numbers = [(name, 5.0 * i, 1.0 * i, 9.0 * i) for i, name in enumerate(METHODS, 1)]
    numbers += [("base", 10.0, 2.0, 18.0), ("uniform", 315.0, 315.0, 315.0)]
    for row, (name, mean, low, high) in zip(rows, numbers, strict=True):
        assert row["learner"] == name
        assert (row["regret"], row["low"], row["high"]) == pytest.approx((mean, low, high))
        assert {key: row[key] for key in setting} == setting


def test_sweeps_vary_one_of_rounds_switches_and_epsilon(monkeypatch):
    """Where T does not vary it is the largest; S and epsilon are 1 otherwise; points are played once if equal."""
    calls = []

    def point(*words):
        calls.append((*words[:4], words[4].random()))
        return [{"learner": "any", "regret": words[:3]}]

    monkeypatch.setattr(single_runs, "_sweep_point", point)
    data = single_runs.regret_sweeps.__wrapped__("quick", 5)
    known = [("T", 2**p, 1, 1.0) for p in (11, 12, 13, 14)]
    known += [("S", 2**14, s, 1.0) for s in (1, 2, 4, 8)]
    known += [("epsilon", 2**14, 1, e) for e in (0.1, 0.3, 1.0, 3.0)]
    assert data["axis"].to_list() == [axis for axis, *_ in known]
    assert data["regret"].to_list() == [tuple(words) for _, *words in known]
    settings = dict.fromkeys(data["regret"])
    assert [call[:4] for call in calls] == [(*words, 4) for words in settings]
    assert len({call[4] for call in calls}) == len(settings) == 10


def test_the_image_holds_the_weights_before_every_twentieth_round(monkeypatch):
    """Weights that name their round, their switches and their expert; who is played changes with the round."""
    made = []

    class Learner:
        def __init__(self, *words, dartboard, rng, **named):
            made.append((words, named, dartboard.learning_rate, dartboard.redraw, dartboard.batch))
            self.seen = 0

        @property
        def weights(self):
            return 100.0 * self.seen + 10 * np.arange(4)[:, None] + np.arange(4)

        def act(self):
            return self.seen // 20 % 4

        def observe(self, losses):
            assert losses[0] == self.seen
            self.seen += 1

    monkeypatch.setattr(single_runs.meta_experts, "MetaExperts", Learner)
    asked = planted(monkeypatch, "phases", lambda a, b, rng: np.tile(np.arange(a, b)[:, None], 4))
    data = single_runs.meta_expert_image.__wrapped__(5)
    assert asked == [(4, 4, 4000, 0.5)]
    assert made == [((4,), {"n_switches": 3, "horizon": 4000}, 0.08, 0.1, 1)]
    assert data["round"].to_list() == [t for t in range(0, 4000, 20) for _ in range(16)]
    assert data["weight"].to_list() == (100 * data["round"] + 10 * data["switches"] + data["expert"] - 1).to_list()
    assert data["played"].to_list() == (data["round"] // 20 % 4 + 1).to_list()
    assert len(data[["switches", "expert"]].drop_duplicates()) == 16


@pytest.mark.parametrize(("profile", "runs"), [("quick", 2), ("full", 4)])
def test_delays_are_counted_from_the_shift_to_the_first_restart_after_it(profile, runs, monkeypatch, rules):
    """Restarts before, at, 90 and 500 rounds after the shift: the third counts. Without one there is no delay."""
    calls, starts = [], ([0, 9, AFTER, AFTER + 90, AFTER + 500], [0, AFTER - 1, AFTER])

    def run_restarts(table, *, epsilon, rule, rng):
        calls.append((rule.windows, table, epsilon, rng.random()))
        return SimpleNamespace(restarts=np.array(starts[len(calls) % 2]))

    monkeypatch.setattr(single_runs.restarts, "run_restarts", run_restarts)
    monkeypatch.setattr(
        single_runs,
        "one_shift",
        lambda horizon, gap: SimpleNamespace(losses=lambda a, b, rng: (horizon, gap, a, b)),
    )
    data = single_runs.detection_delays.__wrapped__(profile, 5)
    gaps = [gap for gap in (0.4, 0.5, 0.6, 0.8, 1.0) for _ in range(runs)]
    assert rules == [{"n_actions": 10, "epsilon": 1.0, "horizon": LONG, "windows": w} for w in ("all", "dyadic")]
    known = [(w, (LONG, gap, 0, LONG), 0.5) for w in ("all", "dyadic") for gap in gaps]
    assert [call[:3] for call in calls] == known
    assert len({call[3] for call in calls}) == len(calls)
    pd.testing.assert_frame_equal(data[["windows"]], pd.DataFrame({"windows": [w for w, *_ in known]}))
    assert data["gap"].to_list() == gaps * 2
    np.testing.assert_array_equal(data["delay"], [math.nan, 90.0] * (len(known) // 2))


@pytest.mark.parametrize("restarts", [[0], [0, 200, 700]])
def test_queries_are_those_of_the_window_that_exceeds_its_threshold_most(restarts, monkeypatch, rules):
    """The played expert loses 1 in the last 40 rounds before each 64th round.

    Of w rounds with m losses the query is m - 2 - sqrt(w - 1) / 2 - 3 - 1.
    """
    horizon = 2**15

    def losses(start, stop, rng):
        table = np.zeros((stop - start, 10))
        table[:, 3] = np.arange(start, stop) % 64 >= 24
        return table

    def run_restarts(table, *, epsilon, rule, rng):
        assert (epsilon, vars(rule)["horizon"], len(rules)) == (0.5, horizon, 1)
        return SimpleNamespace(actions=np.full(horizon, 3), restarts=np.array(restarts))

    asked = planted(monkeypatch, "one_shift", losses)
    monkeypatch.setattr(single_runs.restarts, "run_restarts", run_restarts)
    data = single_runs.query_run.__wrapped__(5)
    stop = restarts[1] if len(restarts) > 1 else horizon
    assert asked == [(horizon, 0.96)]
    assert rules == [{"n_actions": 10, "epsilon": 1.0, "horizon": horizon}]
    assert data["round"].to_list() == [*range(64, stop, 64), stop]
    assert data[["accuracy", "shift", "restart"]].drop_duplicates().to_numpy().tolist() == [[3, 13_107, stop]]
    for row in data[data["round"] <= 256].itertuples():
        lost = (np.arange(row.round) % 64 >= 24).tolist()
        queries = {w: sum(lost[row.round - w :]) - 6 - math.sqrt(w - 1) / 2 for w in range(1, row.round + 1)}
        best = max(queries, key=lambda w: queries[w])
        assert (row.window, row.regret) == (best, sum(lost[row.round - best :]))
        assert row.query == pytest.approx(queries[best])
