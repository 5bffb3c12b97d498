"""Every algorithm against brute force, exact laws and its other face."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from replicate import certify, environments, mechanisms
from replicate.learners import baselines
from replicate.learners.protocol import play
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    dartboard,
    lazy,
    limited_updates,
    meta_experts,
    mirror_descent,
    restarts,
    switching,
)
from replicate.streams import stream

FALSE_ALARM = 1e-7
SIZES = [(6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 2, 0), (6, 2, 5)]


def table_of(horizon, n, *key, levels=3):
    return stream(1, *key, horizon, n).integers(0, levels, (horizon, n)) / (levels - 1)


# Comparator


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_best_sequence_is_the_best_of_all(horizon, n, switches):
    listed = switching.enumerate_sequences(horizon, n, switches)
    for trial in range(30):
        table = table_of(horizon, n, "comparator", trial)
        value, sequence = tracking.best_sequence(table, n_switches=switches)
        assert value == pytest.approx(table[np.arange(horizon), listed].sum(axis=1).min(), abs=1e-12)
        assert table[np.arange(horizon), sequence].sum() == pytest.approx(value, abs=1e-12)
        assert np.count_nonzero(np.diff(sequence)) <= switches


def test_no_switch_is_the_best_expert_and_all_switches_the_best_of_every_round():
    table = table_of(50, 4, "ends")
    assert tracking.best_sequence(table, n_switches=0)[0] == pytest.approx(table.sum(axis=0).min())
    assert tracking.best_sequence(table, n_switches=49)[0] == pytest.approx(table.min(axis=1).sum())
    assert tracking.comparator_losses(table, n_switches=49).sum() == pytest.approx(table.min(axis=1).sum())


# Prior on sequences


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_sequences_are_distinct_and_counted(horizon, n, switches):
    listed = switching.enumerate_sequences(horizon, n, switches)
    assert len({tuple(row) for row in listed}) == len(listed) == switching.count_sequences(horizon, n, switches)
    assert (np.diff(listed, axis=1) != 0).sum(axis=1).max() <= switches
    assert switching.count_listed(horizon, n, switches) >= len(listed)


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("horizon", [2, 5, 40])
def test_switch_probabilities_are_ratios_of_counts(n, horizon):
    def completions(m, r):
        return sum(math.comb(m, k) * (n - 1) ** k for k in range(min(m, r) + 1))

    _, tails, moves = switching.start(4, n, horizon)
    for m in range(horizon - 1, 0, -1):
        switching.switch_probabilities(m, n, tails, moves)
        exact = [(n - 1) * completions(m - 1, r - 1) / completions(m, r) if r else 0 for r in range(5)]
        np.testing.assert_allclose(moves, exact, rtol=1e-13)


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
def test_filter_is_the_weights_summed_over_sequences(horizon, n, switches):
    table, factor = table_of(horizon, n, "filter"), 0.6
    listed = switching.enumerate_sequences(horizon, n, switches)
    filter_, tails, moves = switching.start(switches, n, horizon)
    for t in range(horizon):
        weights = factor ** table[np.arange(t), listed[:, :t]].sum(axis=1)
        used = (np.diff(listed[:, : t + 1], axis=1) != 0).sum(axis=1)
        exact = np.zeros((switches + 1, n))
        np.add.at(exact, (used, listed[:, t]), weights / weights.sum())
        np.testing.assert_allclose(filter_ / filter_.sum(), exact, atol=1e-15)
        if t < horizon - 1:
            switching.switch_probabilities(horizon - 1 - t, n, tails, moves)
            switching.advance(filter_, factor ** table[t], moves, np.zeros(switches + 1))


# Meta-experts


@pytest.mark.parametrize(("horizon", "n", "switches"), SIZES)
@pytest.mark.parametrize("batch", [1, 2, 3])
@pytest.mark.parametrize("levels", [2, 5])
def test_efficient_reduction_has_the_law_of_the_literal_one(horizon, n, switches, batch, levels):
    table = table_of(horizon, n, "law", levels=levels)
    board = tracking.Dartboard(learning_rate=0.4, redraw=0.35, batch=batch)
    literal = meta_experts.literal_law(table, n_switches=switches, dartboard=board)
    efficient = meta_experts.efficient_law(table, n_switches=switches, dartboard=board)
    assert literal.sum() == pytest.approx(1, abs=1e-14)
    np.testing.assert_allclose(efficient, literal, rtol=1e-12, atol=1e-17)


def test_law_depends_on_the_base_learner_and_on_the_class():
    table = table_of(5, 2, "sensitive", levels=2)
    board = tracking.Dartboard(learning_rate=0.4, redraw=0.35)
    law = meta_experts.literal_law(table, n_switches=1, dartboard=board)
    for other, switches in ((tracking.Dartboard(learning_rate=0.3, redraw=0.35), 1), (board, 2)):
        changed = meta_experts.efficient_law(table, n_switches=switches, dartboard=other)
        assert np.abs(changed - law).max() > 1e-3


@pytest.mark.parametrize("batch", [1, 2])
def test_compiled_and_literal_learners_draw_from_the_exact_law(batch):
    horizon, n, switches = 5, 2, 2
    table = table_of(horizon, n, "gof", levels=2)
    board = tracking.Dartboard(learning_rate=0.45, redraw=0.4, batch=batch)
    law = meta_experts.literal_law(table, n_switches=switches, dartboard=board).ravel()
    place = n ** np.arange(horizon - 1, -1, -1)
    rng = stream(2, "gof", batch)
    compiled = Counter(
        int(meta_experts.run_dartboard(table, n_switches=switches, dartboard=board, rng=rng)[0] @ place)
        for _ in range(40_000)
    )
    literal = Counter()
    for _ in range(2_000):
        learner = tracking.LiteralMetaExperts(n, n_switches=switches, horizon=horizon, dartboard=board, rng=rng)
        literal[int(play(learner, table).actions[0] @ place)] += 1
    for counts in (compiled, literal):
        assert certify.goodness_of_fit([counts[k] for k in range(len(law))], law) > FALSE_ALARM
    assert certify.goodness_of_fit([compiled[k] for k in range(len(law))], np.roll(law, 1)) < FALSE_ALARM


@pytest.mark.parametrize("batch", [1, 7])
def test_streaming_meta_experts_share_their_noise_with_the_compiled_loop(batch):
    table = table_of(300, 3, "stream")
    board = tracking.Dartboard(learning_rate=0.2, redraw=0.3, batch=batch)
    learner = tracking.MetaExperts(3, n_switches=4, horizon=300, dartboard=board, rng=stream(3, "same"))
    run = play(learner, table)
    actions, _ = meta_experts.run_dartboard(table, n_switches=4, dartboard=board, rng=stream(3, "same"))
    np.testing.assert_array_equal(run.actions[0], actions)


def test_weights_track_the_best_expert_after_a_shift():
    table = np.ones((4000, 3))
    table[:2000, 0] = table[2000:, 2] = 0
    board = tracking.Dartboard(learning_rate=0.05, redraw=0.1)
    learner = tracking.MetaExperts(3, n_switches=1, horizon=4000, dartboard=board, rng=stream(4, "track"))
    for t, row in enumerate(table):
        if t in (1900, 3900):
            assert learner.weights.sum(axis=0).argmax() == (0 if t < 2000 else 2)
            assert learner.weights.max() > 0.9
        learner.observe(row)
    with pytest.raises(ValueError, match="horizon"):
        learner.observe(table[0])


def test_tuned_dartboard_meets_its_privacy_level():
    for delta, batches in ((1e-6, (1, 8)), (0.0, (1,))):
        board = dartboard.tune_dartboard(epsilon=0.7, delta=delta, horizon=10**5, log_d=30.0, batches=batches)
        assert dartboard.dartboard_epsilon(board, horizon=10**5, delta=delta) <= 0.7
        assert board.learning_rate <= board.redraw < 0.5
    worse = tracking.Dartboard(learning_rate=board.learning_rate / 3, redraw=board.redraw)
    stated = {"horizon": 10**5, "log_d": 30.0}
    assert dartboard.dartboard_regret(worse, **stated) > dartboard.dartboard_regret(board, **stated)


# Algorithms 1 and 2


def law_of_restarts(table, rule, epsilon, rng, runs, streaming):
    counts = Counter()
    for _ in range(runs):
        if streaming:
            learner = tracking.Restarts(table.shape[1], epsilon=2 * epsilon, horizon=len(table), rng=rng)
            learner._rule, learner._dyadic = rule, rule.windows == "dyadic"
            learner._restart()
            learner.restarts = [0]
            for row in table:
                learner.observe(row)
            starts = learner.restarts
        else:
            starts = restarts.run_restarts(table, epsilon=epsilon, rule=rule, rng=rng).restarts
        counts[(starts[1] if len(starts) > 1 else 0)] += 1
    return counts


@pytest.mark.parametrize("windows", ["all", "dyadic"])
def test_thinned_queries_have_the_exact_halting_law(windows):
    """Losses that do not depend on the expert's identity make the queries deterministic: all losses equal."""
    horizon, rule = 12, bounds.RestartRule(1.5, 0.5, 1.0, 0.3, windows)
    table = np.full((horizon, 2), 0.5)
    queries, ends = [], []
    for n in range(1, horizon + 1):
        lengths = range(1, n + 1) if windows == "all" else [2**k for k in range(n.bit_length())]
        for length in lengths:
            queries.append(-rule.allowance(length - 1) - rule.accuracy - 1)
            ends.append(n)
    log_law = mechanisms.above_threshold_log_law(queries, epsilon=rule.epsilon)
    exact = np.zeros(horizon + 1)
    np.add.at(exact, [*ends, 0], np.exp(log_law))
    counts = law_of_restarts(table, rule, 0.5, stream(5, windows), 30_000, streaming=False)
    assert certify.goodness_of_fit([counts[k] for k in range(horizon + 1)], exact) > FALSE_ALARM
    shifted = mechanisms.above_threshold_log_law(np.array(queries) + 0.6, epsilon=rule.epsilon)
    other = np.zeros(horizon + 1)
    np.add.at(other, [*ends, 0], np.exp(shifted))
    assert certify.goodness_of_fit([counts[k] for k in range(horizon + 1)], other) < FALSE_ALARM
    literal = law_of_restarts(table, rule, 0.5, stream(5, windows, "l"), 1_500, streaming=True)
    assert certify.goodness_of_fit([literal[k] for k in range(horizon + 1)], exact) > FALSE_ALARM


def test_thinning_agrees_with_dense_queries_when_regrets_move():
    """Long stretches use blocks of window starts; the restart times must not notice."""
    horizon, rule = 300, bounds.RestartRule(4.0, 3.0, 10.0, 2.0, "all")
    table = np.zeros((horizon, 2))
    table[:140, 1] = table[140:, 0] = 1
    rng = stream(6, "dense")
    fast = [restarts.run_restarts(table, epsilon=50.0, rule=rule, rng=rng).restarts for _ in range(400)]
    slow = []
    for _ in range(60):
        learner = tracking.Restarts(2, epsilon=100.0, horizon=horizon, rng=rng)
        learner._rule = rule
        learner._restart()
        learner.restarts = [0]
        for row in table:
            learner.observe(row)
        slow.append(learner.restarts)
    first = [np.array([r[1] for r in starts if len(r) > 1], dtype=float) for starts in (fast, slow)]
    assert min(map(len, first)) > 30
    assert certify.two_sample(*first) > FALSE_ALARM
    assert certify.two_sample(first[0] + 15, first[1]) < FALSE_ALARM


@pytest.mark.parametrize("n", [2, 4])
def test_limited_updates_have_the_law_of_the_dyadic_learner(n):
    means = np.linspace(0.2, 0.8, n)
    law = limited_updates.selector(0.8)(np.array([4 * means]))[0]
    table = np.tile(means, (8, 1))
    rng = stream(7, "limited", n)
    last = Counter(
        int(restarts.run_restarts(table, epsilon=0.8, rule=None, rng=rng).actions[7]) for _ in range(20_000)
    )
    assert certify.goodness_of_fit([last[j] for j in range(n)], law) > FALSE_ALARM
    streamed = Counter()
    for _ in range(1_000):
        learner = tracking.LimitedUpdates(n, epsilon=0.8, rng=rng)
        streamed[int(play(learner, table).actions[0, 7])] += 1
    assert certify.goodness_of_fit([streamed[j] for j in range(n)], law) > FALSE_ALARM


def test_printed_arg_max_plays_the_worst_expert():
    env = environments.Deterministic([0.1, 0.9])
    sizes = {"epsilon": 1.0, "horizon": 2**20, "replicates": 2}
    right = limited_updates.simulate_static(env, **sizes, rng=stream(8, "a")).final
    wrong = limited_updates.simulate_static(env, **sizes, rng=stream(8, "a"), printed=True).final
    assert right.max() < 40
    assert wrong.min() > 0.79 * 2**20


def test_window_ratio_is_the_maximum_over_all_windows():
    excess = stream(9, "w").normal(size=(200, 3))
    prefix = np.vstack([np.zeros(3), np.cumsum(excess, axis=0)])
    worst = max(
        (prefix[n] - prefix[m]).max() / (5 + 2 * math.sqrt(n - m - 1)) for n in range(1, 201) for m in range(n)
    )
    assert restarts.window_ratio(excess, 5.0, 2.0) == pytest.approx(worst, rel=1e-12)


# Mirror descent


@given(
    weights=st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=12),
    share=st.floats(0, 0.99),
)
@settings(max_examples=80, deadline=None)
def test_projection_solves_the_convex_programme(weights, share):
    """The first-order conditions, exactly; and scipy's solver finds no better point."""
    v = np.array(weights) / np.sum(weights)
    n = len(v)
    floor = share / n
    w = tracking.project(weights, floor=floor)
    assert w.sum() == pytest.approx(1, abs=1e-12)
    assert w.min() >= floor
    free = w > floor * (1 + 1e-9) + 1e-15
    multiplier = w / v
    if free.any():
        np.testing.assert_allclose(multiplier[free], multiplier[free][0], rtol=1e-9)
        assert (multiplier[~free] >= multiplier[free][0] * (1 - 1e-9)).all()

    def divergence(x):
        x = np.maximum(x, 1e-300)
        return float(x @ np.log(x / v))

    solved = optimize.minimize(
        divergence, np.full(n, 1 / n), jac=lambda x: np.log(np.maximum(x, 1e-300) / v) + 1,
        bounds=[(max(floor, 1e-12), 1)] * n,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(n)},
        method="SLSQP", options={"ftol": 1e-12, "maxiter": 300},
    )  # fmt: skip
    if solved.success:
        assert divergence(w) <= solved.fun + 1e-7
        np.testing.assert_allclose(w, solved.x, atol=2e-3)


def test_clipping_and_renormalising_once_is_not_the_projection():
    v, floor = np.array([1e-4, 0.1, 0.9]), 0.1
    naive = np.maximum(v / v.sum(), floor)
    naive /= naive.sum()
    assert naive.min() < floor
    np.testing.assert_allclose(tracking.project(v, floor=floor), [0.1, 0.1, 0.8], rtol=1e-12)


def test_repeated_passes_agree_with_sorting():
    rng = stream(10, "clip")
    for _ in range(300):
        n = int(rng.integers(2, 20))
        v, floor = rng.random(n) ** 8 + 1e-12, rng.random() * 0.99 / n
        w = v / v.sum()
        mirror_descent._clip(w, floor)
        np.testing.assert_allclose(w, tracking.project(v, floor=floor), rtol=1e-11)


def test_without_noise_the_compiled_loop_is_the_streaming_learner():
    table = table_of(200, 4, "md")
    _, paid = mirror_descent.run_mirror_descent(
        table, learning_rate=0.3, noise=0.0, floor=0.02, rng=stream(11, "x")
    )
    learner = tracking.MirrorDescent(
        4, horizon=200, n_switches=16, epsilon=math.inf, learning_rate=0.3, rng=stream(11, "y")
    )
    assert learner.floor == pytest.approx(0.02)
    for row, loss in zip(table, paid, strict=True):
        assert learner.weights @ row == pytest.approx(loss, rel=1e-12)
        learner.observe(row)


def test_with_noise_both_faces_have_one_mean():
    table = table_of(60, 3, "noise")
    rng = stream(12, "noise")
    rate, noise = mirror_descent.parameters(n_experts=3, horizon=60, n_switches=2, epsilon=0.9)
    compiled = [
        mirror_descent.run_mirror_descent(table, learning_rate=5 * rate, noise=noise, floor=2 / 180, rng=rng)[
            1
        ].sum()
        for _ in range(2000)
    ]
    streamed = []
    for _ in range(300):
        learner = tracking.MirrorDescent(3, horizon=60, n_switches=2, epsilon=0.9, learning_rate=5 * rate, rng=rng)
        total = 0.0
        for row in table:
            total += learner.weights @ row
            learner.observe(row)
        streamed.append(total)
    assert certify.two_sample(compiled, streamed) > FALSE_ALARM
    assert certify.two_sample(np.array(compiled) + 1, streamed) < FALSE_ALARM


def test_drawn_actions_have_the_weights_mean():
    table = np.tile([0.0, 1.0, 0.5], (50_000, 1))
    actions, paid = mirror_descent.run_mirror_descent(
        table, learning_rate=1e-9, noise=1.0, floor=0.01, rng=stream(13, "draw")
    )
    assert certify.goodness_of_fit(np.bincount(actions), np.full(3, 1 / 3)) > FALSE_ALARM
    assert paid == pytest.approx(0.5, abs=1e-3)


# Adversary and simulate


def test_adversary_burns_pairs_and_keeps_a_perfect_expert():
    adversary = tracking.PairAdversary(6, copy_rounds=5, rng=stream(14, "pairs"))
    learner = baselines.Hedge(12, learning_rate=0.5, rng=stream(14, "hedge"))
    game = tracking.duel(learner, adversary, horizon=10, n_switches=1)
    assert set(np.unique(game.table)) <= {0.0, 1.0}
    for t in range(9):
        pair = game.actions[t] // 2
        if t != 4:
            assert (game.table[t + 1, 2 * pair : 2 * pair + 2] == 1).all()
    assert (game.table.min(axis=1) == 0).all()
    paid = game.table[np.arange(10), game.actions].sum()
    assert game.regret == pytest.approx(paid)
    again = tracking.replay(baselines.Hedge(12, learning_rate=0.5, rng=stream(14, "h")), game.table, n_switches=1)
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
        (lambda: switching.count_sequences(5, 1, 2), "n_experts"),
        (lambda: bounds.theorem_3_6(n_experts=2, horizon=9, n_switches=0, epsilon=1), "n_switches"),
        (lambda: bounds.theorem_b2(n_experts=2, horizon=9, n_switches=1, noise=0, learning_rate=1), "noise"),
        (lambda: dartboard.tune_dartboard(epsilon=0, delta=0.1, horizon=10, log_d=3), "epsilon"),
    ],
)
def test_bad_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=name):
        call()


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


# Bounds


def test_restart_rule_spends_epsilon_and_theorem_3_6_adds_up():
    sizes = {"n_experts": 10, "epsilon": 1.0, "horizon": 2**15}
    printed = bounds.restart_rule(**sizes, calibration="printed")
    corrected = bounds.restart_rule(**sizes, calibration="corrected")
    assert 0.5 + 1.5 * printed.epsilon == pytest.approx(1.25)
    assert 0.5 + 1.5 * corrected.epsilon == pytest.approx(1.0)
    log_t, log_beta = math.log(2**15), math.log(2 * 2**15)
    assert printed.accuracy == pytest.approx(16 * (2 * log_t + log_beta))
    assert corrected.accuracy == pytest.approx(24 * (3 * log_t + log_beta))
    log = math.log(10 * 2**30)
    assert printed.constant == pytest.approx(16 * log)
    assert corrected.constant == pytest.approx(32 * log)
    value = bounds.theorem_3_6(**sizes, n_switches=2)
    assert value == pytest.approx(9 * math.sqrt(4 * 2**15 * log) + 4 * (16 * log + 2 * printed.accuracy + 1))


def test_norm_of_laplace_vectors_is_a_union_bound():
    exact = bounds.laplace_norm_failure(n_experts=3, horizon=7)
    assert exact <= 21 ** (1 - math.sqrt(10))
    assert exact == pytest.approx(1 - (1 - 21 ** -math.sqrt(10)) ** 21, rel=1e-9)


def test_lower_bound_is_met_by_no_private_law():
    """Against the exact laws of Algorithm 1 restarted by an oracle: one selection after t rounds of a phase."""
    k, epsilon = 8, 0.7
    sums = np.arange(1, 30)[:, None] * (1 - np.eye(k)[0])
    hit = limited_updates.selector(epsilon)(sums)[:, 0]
    t = np.arange(1, 30)
    assert (hit <= np.exp(t * epsilon) / (np.exp(t * epsilon) + k - 1) + 1e-12).all()
    one = bounds.shifting_lower(n_experts=k, n_phases=1, epsilon=epsilon, phase=200)
    assert bounds.shifting_lower(n_experts=2 * k, n_phases=2, epsilon=epsilon, phase=200) == pytest.approx(2 * one)
    assert 0.5 * math.log(k) / epsilon < one < 1.5 * (1 + math.log(k) / epsilon)


# L2P


def test_l2p_moves_only_by_the_sequences_own_switches_when_nothing_is_drawn_anew():
    """Two lazily held sequences with almost no learning: at most S switches, unless fresh draws are forced."""
    table, rng = np.ones((40, 3)), stream(9, "l2p")
    still, restless = (
        [np.count_nonzero(np.diff(lazy.run_lazy(table, n_switches=2, lazy=base, rng=rng))) for _ in range(300)]
        for base in (lazy.Lazy(learning_rate=1e-9, redraw=1e-9), lazy.Lazy(learning_rate=1e-9, redraw=1.0))
    )
    assert max(still) <= 2 < np.mean(restless)


@pytest.mark.parametrize("per_draw", [1.0, 4.0])
@pytest.mark.parametrize(("epsilon", "horizon"), [(0.1, 10**6), (1.0, 10**14), (0.5, 2**17)])
def test_l2p_is_tuned_to_spend_its_budget(epsilon, horizon, per_draw):
    sizes, log_d = {"horizon": horizon, "delta": 1e-6}, switching.log_count_sequences(horizon, 16, 4)
    eta, p, batch, regret = dartboard.tune_lazy(epsilon=epsilon, log_d=log_d, per_draw=per_draw, **sizes)
    spent = dartboard.lazy_epsilon(eta, p, batch, per_draw=per_draw, **sizes)
    assert spent <= epsilon * (1 + 1e-9)
    assert max(spent / epsilon, eta * batch * math.log(2 * horizon / 1e-6) / p) == pytest.approx(1, rel=1e-6)
    assert regret == dartboard.lazy_regret(eta, batch, horizon=horizon, log_d=log_d)


def test_l2p_keeps_with_the_ratio_of_its_source():
    """One switch-free batch of one round, by hand: x stays with (1 - p) exp(-eta (2 B + L(x) - L(y)))."""
    base = lazy.Lazy(learning_rate=0.1, redraw=0.2)
    law = lazy.literal_lazy_law([[0.0, 1.0], [0.0, 0.0]], n_switches=0, lazy=base).reshape(2, 2)
    fresh = np.exp([0, -0.1]) / np.exp([0, -0.1]).sum()
    for x in range(2):
        kept = np.mean([0.8 * math.exp(-0.1 * (2 + x - y)) for y in range(2)])
        assert law[x, 1 - x] == pytest.approx((1 - kept) * fresh[1 - x] / 2)


@pytest.mark.parametrize("bad", [{"learning_rate": 0.2}, {"redraw": 0}, {"batch": 0}])
def test_l2p_refuses_bad_parameters(bad):
    with pytest.raises(ValueError, match="must be"):
        lazy.Lazy(**({"learning_rate": 0.1, "redraw": 0.5} | bad))
