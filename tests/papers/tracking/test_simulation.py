"""The adversary, the simulator, and arguments that are refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replicate import environments
from replicate.learners import baselines
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import adversary, dartboard, restarts, switching
from replicate.papers.tracking.experiments import single_runs
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
    again = adversary.replay(baselines.Hedge(12, learning_rate=0.5, rng=stream(14, "h")), game.table, n_switches=1)
    np.testing.assert_array_equal(again.table, game.table)


@pytest.mark.parametrize("method", ["restarts", "limited_updates", "meta_experts", "mirror_descent"])
def test_simulate_reports_the_regret_of_what_was_played(method):
    table = table_of(300, 3, "sim")
    run = tracking.simulate(
        environments.Table(table), method=method, epsilon=1.0, horizon=300, n_switches=2, replicates=3,
        rng=stream(15, method), keep_actions=True,
    )  # fmt: skip
    assert run.regret.shape == (3, len(run.rounds))
    assert run.rounds[-1] == 300
    assert run.actions.shape == (3, 300)
    best = tracking.best_sequence(table, n_switches=2)[0]
    if method != "mirror_descent":
        np.testing.assert_allclose(run.final, table[np.arange(300), run.actions].sum(axis=1) - best)


def test_replicates_do_not_depend_on_threads(monkeypatch):
    env = environments.Bernoulli([0.3, 0.6])
    runs = []
    for cpus in (1, 2):
        monkeypatch.setattr("os.cpu_count", lambda cpus=cpus: cpus)
        runs.append(tracking.simulate(env, epsilon=1.0, horizon=500, replicates=4, rng=stream(16, "t")).regret)
    np.testing.assert_array_equal(*runs)


BAD = st.one_of(st.floats(-5, 0), st.just(math.nan), st.just(math.inf), st.none(), st.just("x"))


@given(bad=BAD, name=st.sampled_from(["epsilon", "horizon", "n_switches", "replicates"]))
@settings(max_examples=60, deadline=None)
def test_simulate_names_bad_arguments(bad, name):
    arguments = {"epsilon": 1.0, "horizon": 100, "n_switches": 1, "replicates": 2} | {name: bad}
    with pytest.raises(ValueError, match=name):
        tracking.simulate(environments.Bernoulli([0.3, 0.6]), **arguments, rng=stream(17, "bad"))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: tracking.project([1.0, -1.0], floor=0.1), "weights"),
        (lambda: tracking.project([1.0, 1.0], floor=0.6), "floor"),
        (lambda: tracking.best_sequence([[0.0, 2.0]], n_switches=1), "losses"),
        (lambda: tracking.best_sequence([[0.0, 1.0]], n_switches=-1), "n_switches"),
        (lambda: tracking.Dartboard(learning_rate=0.6, redraw=0.2), "learning_rate"),
        (lambda: tracking.Dartboard(learning_rate=0.1, redraw=0.7), "redraw"),
        (lambda: tracking.Dartboard(learning_rate=0.1, redraw=0.1, batch=0), "batch"),
        (lambda: tracking.PairAdversary(0, copy_rounds=3, rng=stream(1, "a")), "n_pairs"),
        (lambda: tracking.Restarts(2, epsilon=1, horizon=10, windows="some", rng=stream(1, "a")), "windows"),
        (lambda: tracking.Restarts(2, epsilon=1, horizon=10, calibration="x", rng=stream(1, "a")), "calibration"),
        (lambda: tracking.MirrorDescent(2, horizon=10, n_switches=0, epsilon=1, rng=stream(1, "a")), "n_switches"),
        (lambda: tracking.LimitedUpdates(1, epsilon=1, rng=stream(1, "a")), "n_actions"),
        (lambda: switching.enumerate_sequences(60, 3, 9), "horizon"),
        (lambda: switching.count_sequences(5, 1, 2), "n_actions"),
        (lambda: bounds.theorem_3_6(n_actions=2, horizon=9, n_switches=0, epsilon=1), "n_switches"),
        (lambda: bounds.theorem_b2(n_actions=2, horizon=9, n_switches=1, noise=0, learning_rate=1), "noise"),
        (lambda: dartboard.tune_dartboard(epsilon=0, delta=0.1, horizon=10, log_d=3), "epsilon"),
    ],
)
def test_bad_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize("scale", [1.0, 1e150])
def test_weights_are_refused_whose_ratio_is_below_all_rounding(scale):
    """At most 300 powers of ten lie between the largest and the smallest."""
    for ratio in (1e-299, 1e-3):
        projected = tracking.project([scale, scale * ratio], floor=0.1)
        assert projected == pytest.approx([0.9, 0.1])
    with pytest.raises(ValueError, match="weights"):
        tracking.project([scale, scale * 1e-301], floor=0.1)


@given(losses=st.lists(st.floats(-1, 2), min_size=0, max_size=4))
@settings(max_examples=40, deadline=None)
def test_learners_refuse_bad_losses(losses):
    rng = stream(18, "learners")
    board = tracking.Dartboard(learning_rate=0.1, redraw=0.2)
    learners = [
        tracking.MetaExperts(3, n_switches=1, horizon=10, dartboard=board, rng=rng),
        tracking.MirrorDescent(3, horizon=10, n_switches=1, epsilon=1.0, rng=rng),
        tracking.Restarts(3, epsilon=1.0, horizon=10, rng=rng),
    ]
    good = len(losses) == 3 and all(0 <= x <= 1 for x in losses)
    for learner in learners:
        if good:
            learner.observe(losses)
        else:
            with pytest.raises(ValueError, match="losses"):
                learner.observe(losses)


def test_figure_1_shows_the_restarts_of_the_run_that_it_draws(monkeypatch):
    play, traces = restarts.run_restarts, []
    monkeypatch.setattr(restarts, "run_restarts", lambda *a, **k: traces.append(play(*a, **k)) or traces[-1])
    data = single_runs.shift_run.__wrapped__("quick", 2026)
    assert set(data[data["restart"]]["method"]) == {"restarts"}
    own = data[data["method"] == "restarts"]
    [trace] = [t for t in traces if (t.actions[own["round"] - 1] + 1 == own["expert"]).all()]
    assert len(trace.restarts) > 3
    shown = own["round"][own["restart"]].to_numpy()
    np.testing.assert_array_less(0, shown - trace.restarts[1:] + 1)
    np.testing.assert_array_less(shown - trace.restarts[1:], 129)
