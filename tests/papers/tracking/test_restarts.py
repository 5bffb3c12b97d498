"""Algorithms 1 and 2 against exact laws and against queries with noise of their own."""

import math
from collections import Counter

import numpy as np
import pytest

from replicate import certify, environments, mechanisms
from replicate.learners import Setting, registry
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    limited_updates,
    restarts,
    windows,
)
from replicate.streams import stream
from tests import agreement
from tests.papers.tracking.common import FALSE_ALARM


def literal_restarts(table, rule, epsilon, rng, runs):
    """First rounds of the instances in games of the literal learner; the laws of its selections are kept."""
    games, laws, select = [], {}, limited_updates.selector
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limited_updates, "selector", lambda *a, **b: agreement.remembered(select(*a, **b), laws))
        for _ in range(runs):
            learner = tracking.Restarts(table.shape[1], epsilon=2 * epsilon, horizon=len(table), rng=rng)
            learner._rule, learner._dyadic, learner.restarts = rule, rule.windows == "dyadic", []
            learner._restart()
            for row in table:
                learner.observe(row)
            games.append(learner.restarts)
    return games


def law_of_restarts(table, rule, epsilon, rng, runs, streaming):
    """How often the first restart comes in which round, zero for none."""
    if streaming:
        games = literal_restarts(table, rule, epsilon, rng, runs)
    else:
        games = [restarts.run_restarts(table, epsilon=epsilon, rule=rule, rng=rng).restarts for _ in range(runs)]
    return Counter(starts[1] if len(starts) > 1 else 0 for starts in games)


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
    counts = law_of_restarts(table, rule, 0.5, stream(5, windows), 12_000, streaming=False)
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
    slow = literal_restarts(table, rule, 50.0, rng, 60)
    first = [np.array([r[1] for r in starts if len(r) > 1], dtype=float) for starts in (fast, slow)]
    assert min(map(len, first)) > 30
    assert certify.two_sample(*first) > FALSE_ALARM
    assert certify.two_sample(first[0] + 15, first[1]) < FALSE_ALARM


def test_summed_hazards_have_the_law_of_dense_queries():
    """At little noise the dominating hazard is huge: all are summed instead. The query of round 42 is zero."""
    horizon, rule = 60, bounds.RestartRule(600.0, 1.0, 3.0, 3.0, "all")
    table = np.zeros((horizon, 2))
    table[:25, 1] = table[25:, 0] = 1
    rng = stream(19, "summed")
    found = [law_of_restarts(table, rule, 50.0, rng, *how) for how in ((2_000, False), (600, True))]
    fast, dense = ([counts[k] for k in range(horizon + 1)] for counts in found)
    assert np.count_nonzero(np.array(dense) > 20) > 1
    law = (np.array(fast) + 0.5) / (2_000 + 0.5 * (horizon + 1))
    assert certify.goodness_of_fit(dense, law) > FALSE_ALARM
    assert certify.goodness_of_fit(dense, np.roll(law, 1)) < FALSE_ALARM


@pytest.mark.parametrize("n", [2, 4])
def test_limited_updates_have_the_law_of_the_dyadic_learner(n):
    means = np.linspace(0.2, 0.8, n)
    law = limited_updates.selector(0.8)(np.array([4 * means]))[0]
    table = np.tile(means, (8, 1))
    rng = stream(7, "limited", n)
    last = Counter(
        int(restarts.run_restarts(table, epsilon=0.8, rule=None, rng=rng).actions[7]) for _ in range(4_000)
    )
    assert certify.goodness_of_fit([last[j] for j in range(n)], law) > FALSE_ALARM
    streamed = Counter()
    for _ in range(1_000):
        learner = tracking.LimitedUpdates(n, epsilon=0.8, rng=rng)
        streamed[int(agreement.played(learner, table)[7])] += 1
    assert certify.goodness_of_fit([streamed[j] for j in range(n)], law) > FALSE_ALARM


def test_printed_arg_max_plays_the_worst_expert():
    env = environments.Deterministic([0.1, 0.9])
    sizes = {"epsilon": 1.0, "horizon": 2**20, "replicates": 2}
    right = limited_updates.simulate_static(env, **sizes, rng=stream(8, "a")).final
    wrong = limited_updates.simulate_static(env, **sizes, rng=stream(8, "a"), calibration="printed").final
    assert right.max() < 40
    assert wrong.min() > 0.79 * 2**20


def test_minima_over_blocks_of_blocks_find_the_largest_window():
    """Blocks of window starts that are passed over, on any level, hold none that is larger."""
    rng, rounds = stream(8, "groups"), 3 * windows.BLOCK**2 + 700
    table = np.cumsum(rng.standard_normal((rounds, 2)), axis=0) / 100 + rng.random((rounds, 2))
    regrets, lows = np.zeros((rounds + 1, 2)), windows.minima(rounds, 2)
    for n in range(1, rounds + 1):
        windows.record(regrets, lows, n, table, n - 1, n % 2)
        if n % 997 == 0:
            firsts = np.arange(0, n, windows.BLOCK)
            low = np.minimum.reduceat(regrets[:n], firsts)
            shortest = np.maximum(0, n - firsts - windows.BLOCK)
            for root in (0.0, 0.7, 40.0):
                largest = ((regrets[n] - low).max(axis=1) - root * np.sqrt(shortest)).max()
                assert windows._largest(regrets, lows, n, root) == largest


@pytest.mark.parametrize("kind", [windows.ALL, windows.DYADIC])
def test_no_window_comes_near_the_threshold_in_rounds_of_silence(kind):
    """With hardly any noise the restart comes with the round in which the regret passes the threshold.

    Expert 0 is a little better, and loses 1 from round 301 on: regret is 101 in the windows of the last 101 rounds
    and, less 0.27, of the last 128.
    """
    table = np.zeros((450, 2))
    table[300:, 0], table[:300, 1] = 1.0, 0.01
    alarm, rng = windows.Alarm(kind, 100.5, 0.0, 1e-3), stream(8, "silence")
    assert {int(restarts.play(table, 1e-9, alarm, rng)[1][1]) for _ in range(30)} == {401}


def test_the_register_states_the_corrected_theorem_for_one_distribution_more_than_switches():
    setting = Setting(n_actions=8, horizon=10**6, epsilon=0.5, n_switches=3)
    log = math.log(8 * 10**12)
    alpha = 24 * (3 * math.log(10**6) + math.log(2 * 10**6)) / 0.5
    root, constant = 9 * math.sqrt(8 * 10**6 * log), 8 * (32 * log / 0.5 + 2 * alpha + 1)
    assert registry.entry("restarts").bound(setting, 0.1) == pytest.approx(root + constant + 3)
    dyadic = registry.entry("restarts_dyadic").bound(setting, 0.1)
    assert dyadic > root / (1 - math.sqrt(0.5)) + 15 * constant
