"""The adversary, the simulator, and arguments that are refused."""

import numpy as np
import pytest

from replicate import environments
from replicate.learners import baselines
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    meta_experts,
    mirror_descent,
    restarts,
    simulation,
    switching,
)
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
