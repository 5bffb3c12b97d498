"""The adversary, the simulator, and arguments that are refused."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import baselines, registry
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    meta_experts,
    mirror_descent,
    restarts,
    simulation,
    switching,
)
from replicate.papers.tracking.instances import phases
from replicate.streams import stream
from tests.papers.tracking.common import table_of


def test_adversary_spoils_the_pair_played_and_keeps_a_perfect_expert():
    foe = tracking.PairAdversary(6, copy_rounds=5, rng=stream(14, "pairs"))
    learner = baselines.Hedge(12, learning_rate=0.5, rng=stream(14, "hedge"))
    game = tracking.duel(learner, foe, horizon=10, n_switches=1)
    assert set(np.unique(game.table)) <= {0.0, 1.0}
    for t in range(9):
        pair = game.actions[t] // 2
        if t != 4:
            assert (game.table[t + 1, 2 * pair : 2 * pair + 2] == 1).all()
    assert (game.table.min(axis=1) == 0).all()
    loss = game.table[np.arange(10), game.actions].sum()
    assert game.regret == pytest.approx(loss)
    again = simulation.replay(
        baselines.Hedge(12, learning_rate=0.5, rng=stream(14, "h")), game.table, n_switches=1
    )
    np.testing.assert_array_equal(again.table, game.table)


@pytest.mark.parametrize("method", ["restarts", "limited_updates", "meta_experts", "mirror_descent"])
def test_simulate_plays_the_corrected_learner_at_the_privacy_level_that_is_asked_for(method):
    """Half of epsilon for Algorithm 1 inside Algorithm 2, the whole of it elsewhere; T = 300, N = 3, S = 2."""
    table, epsilon, delta, switches = table_of(300, 3, "sim"), 0.7, 1e-5, 2
    sizes = {"n_actions": 3, "horizon": 300}
    rule = bounds.restart_rule(**sizes, epsilon=epsilon, calibration="corrected")
    tuned = meta_experts.tune_dartboard(
        epsilon=epsilon, delta=delta, horizon=300, log_d=switching.log_count_sequences(300, 3, switches)
    )
    rate, noise = mirror_descent.parameters(**sizes, n_switches=switches, epsilon=epsilon, calibration="corrected")
    descent = {"learning_rate": rate, "noise": noise, "floor": switches / 900}
    own = stream(15, method).spawn(1)[0]
    known = {
        "restarts": lambda: restarts.run_restarts(table, epsilon=epsilon / 2, rule=rule, rng=own).actions,
        "limited_updates": lambda: restarts.run_restarts(table, epsilon=epsilon, rule=None, rng=own).actions,
        "meta_experts": lambda: meta_experts.run_dartboard(table, n_switches=2, dartboard=tuned, rng=own)[0],
        "mirror_descent": lambda: mirror_descent.run_mirror_descent(table, **descent, rng=own)[0],
    }[method]()
    run = tracking.simulate(
        environments.Table(table), method=method, epsilon=epsilon, horizon=300, n_switches=switches, replicates=1,
        rng=stream(15, method), keep_actions=True, **({"delta": delta} if method == "meta_experts" else {}),
    )  # fmt: skip
    np.testing.assert_array_equal(run.actions[0], known)
    assert len(set(known.tolist())) > 1
    assert run.rounds[-1] == 300
    best = tracking.best_sequence(table, n_switches=switches)[0]
    if method != "mirror_descent":
        np.testing.assert_allclose(run.final, table[np.arange(300), run.actions].sum(axis=1) - best)


@pytest.mark.parametrize("method", simulation.METHODS)
def test_sequences_of_actions_end_with_the_game(method):
    """The only switch pays at round 20; over all 100 rounds it would pay more to stay."""
    rows = np.repeat(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), (20, 20, 60), axis=0)
    sizes = {"method": method, "epsilon": 1.0, "horizon": 40, "n_switches": 1, "replicates": 2}
    long, short = (
        tracking.simulate(environments.Table(table), **sizes, rng=stream(3, method)).regret
        for table in (rows, rows[:40])
    )
    np.testing.assert_array_equal(long, short)


TURN = np.repeat([[0.0, 1.0], [1.0, 0.0]], [2100, 1996], axis=0)
BOARD = tracking.Dartboard(learning_rate=0.1, redraw=0.2, batch=4)
OPTIONS = {
    "restarts": [
        {}, {"failure": 1.0}, {"calibration": "printed"}, {"windows": "dyadic"},
        {"failure": 1.0, "calibration": "printed", "windows": "dyadic"},
    ],
    "meta_experts": [{}, {"delta": 0.0}, {"delta": 0.3}, {"dartboard": BOARD}],
    "mirror_descent": [{}, {"calibration": "printed"}],
}  # fmt: skip


def with_options(method, options, rng):
    """Expected: the compiled learner with parameters of these options, at epsilon = 5, N = 2, S = 1."""
    sizes = {"n_actions": 2, "horizon": len(TURN), "epsilon": 5.0}
    if method == "restarts":
        rule = bounds.restart_rule(**sizes, **options)
        return restarts.run_restarts(TURN, epsilon=2.5, rule=rule, rng=rng).actions
    if method == "meta_experts":
        log_d = switching.log_count_sequences(len(TURN), 2, 1)
        budget = {"epsilon": 5.0, "delta": options.get("delta", 1e-6), "horizon": len(TURN)}
        board = options.get("dartboard") or meta_experts.tune_dartboard(**budget, log_d=log_d)
        return meta_experts.run_dartboard(TURN, n_switches=1, dartboard=board, rng=rng)[0]
    rate, noise = mirror_descent.parameters(**sizes, n_switches=1, **{"calibration": "corrected"} | options)
    floor = 1 / (2 * len(TURN))
    return mirror_descent.run_mirror_descent(TURN, learning_rate=rate, noise=noise, floor=floor, rng=rng)[0]


@pytest.mark.parametrize("method", OPTIONS)
def test_every_option_of_simulate_reaches_the_learner_and_changes_what_it_plays(method):
    played = set()
    for options in OPTIONS[method]:
        run = tracking.simulate(
            environments.Table(TURN), method=method, epsilon=5.0, horizon=len(TURN), replicates=1,
            rng=stream(16, method), keep_actions=True, **options,
        )  # fmt: skip
        np.testing.assert_array_equal(
            run.actions[0], with_options(method, options, stream(16, method).spawn(1)[0])
        )
        played.add(run.actions[0].tobytes())
    assert len(played) == len(OPTIONS[method])


@pytest.mark.parametrize("windows", ["all", "dyadic"])
def test_what_is_registered_restarts_by_the_windows_of_its_name(windows):
    name, rng = {"all": "restarts", "dyadic": "restarts_dyadic"}[windows], stream(17, windows)
    actions = with_options("restarts", {"windows": windows}, stream(17, windows).spawn(1)[0])
    sizes = {"epsilon": 5.0, "horizon": len(TURN), "replicates": 1}
    run = registry.simulate(name, environments.Table(TURN), **sizes, rng=rng)
    assert run.final[0] == TURN[np.arange(len(TURN)), actions].sum() - TURN.sum(axis=0).min()


@pytest.mark.parametrize(("n_switches", "tuned_for"), [(0, 1), (1, 1), (5, 5)])
def test_mirror_descent_is_simulated_and_bounded_at_the_parameters_that_the_learner_has(n_switches, tuned_for):
    """Without a word on switches it is tuned for one."""
    setting = registry.Setting(n_actions=3, horizon=300, epsilon=0.7, n_switches=n_switches)
    entry, table = registry.entry("mirror_descent"), table_of(300, 3, "mirror")
    learner = entry.build(setting, stream(18))
    known = {"learning_rate": learner.learning_rate, "noise": learner.noise}
    sizes = {"n_actions": 3, "horizon": 300, "n_switches": tuned_for}
    assert tuple(known.values()) == mirror_descent.parameters(**sizes, epsilon=0.7, calibration="corrected")
    assert learner.floor == tuned_for / 900
    assert entry.bound(setting, 0.1) == bounds.tracking_regret(**sizes, **known)
    _, losses = mirror_descent.run_mirror_descent(table, **known, floor=learner.floor, rng=stream(18).spawn(1)[0])
    run = entry.simulate(environments.Table(table), setting, replicates=1, rng=stream(18))
    assert run.final[0] == pytest.approx(losses.sum() - table.sum(axis=0).min())


@pytest.mark.parametrize(
    ("name", "delta", "switches"), [("dartboard", 1e-5, 0), ("pure_dartboard", 0.0, 0), ("meta_experts", 1e-5, 3)]
)
def test_a_board_has_the_stated_regret_of_the_board_that_is_tuned_for_its_game(name, delta, switches):
    setting = registry.Setting(n_actions=4, horizon=10**6, epsilon=0.5, delta=1e-5, n_switches=3)
    sizes = {"horizon": 10**6, "log_d": switching.log_count_sequences(10**6, 4, switches)}
    tuned = meta_experts.tune_dartboard(epsilon=0.5, delta=delta, **sizes)
    assert registry.entry(name).bound(setting, 0.1) == meta_experts.dartboard_regret(tuned, **sizes)
    assert registry.entry(name).build(setting, stream(19)).privacy.delta == delta


@pytest.mark.parametrize("switches", [1, 2])
def test_drawn_losses_are_compared_with_the_best_sequence_of_as_many_switches_as_are_asked_for(switches):
    """Three phases in which another expert is perfect: two switches lose nothing."""
    rows = 1 - np.eye(3)
    env = environments.Shifting([(100, environments.Deterministic(row)) for row in rows])
    sizes = {"epsilon": 1.0, "horizon": 300, "n_switches": switches, "replicates": 1, "keep_actions": True}
    run = tracking.simulate(env, method="limited_updates", **sizes, rng=stream(20))
    lost = np.repeat(rows, 100, axis=0)[np.arange(300), run.actions[0]].sum()
    assert run.final[0] == lost - (100 if switches == 1 else 0)


@pytest.mark.parametrize("switches", [0, 1])
def test_a_duel_and_its_replay_are_scored_against_as_many_switches_as_are_asked_for(switches):
    games = []
    for seed in (1, 2):
        foe, learner = tracking.PairAdversary(3, copy_rounds=6, rng=stream(21, seed)), uniform(stream(22, seed))
        games.append(tracking.duel(learner, foe, horizon=12, n_switches=switches))
        games.append(simulation.replay(uniform(stream(23, seed)), games[-1].table, n_switches=switches))
    for game in games:
        lost = game.table[np.arange(12), game.actions].sum()
        assert game.regret == lost - tracking.best_sequence(game.table, n_switches=switches)[0]
    spared = [tracking.best_sequence(game.table, n_switches=s)[0] for game in games for s in (0, 1)]
    assert spared[::2] != spared[1::2]


def uniform(rng):
    return baselines.Hedge(6, learning_rate=1e-9, rng=rng)


@pytest.mark.parametrize("n_phases", [2, 3, 7])
def test_every_phase_has_another_best_expert_however_many_there_are(n_phases):
    env = phases(3, n_phases, 10 * n_phases, 0.5)
    starts = 10 * np.arange(n_phases)
    best = env.mean_sums(starts, starts + 10).argmin(axis=-1)
    assert best.tolist() == [k % 3 for k in range(n_phases)]
