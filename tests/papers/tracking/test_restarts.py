"""Algorithms 1 and 2: literal learners, compiled ones, exact laws, and queries that are drawn one by one."""

import math
from dataclasses import replace

import numpy as np
import pytest

from replicate import audit, certify, environments, mechanisms
from replicate.learners import Setting, registry
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import restarts, windows
from replicate.papers.tracking.algorithms.limited_updates import simulate_static
from replicate.papers.tracking.privacy import exact
from replicate.streams import stream
from tests import agreement
from tests.papers.tracking.common import FALSE_ALARM, listed_restarts

SHIFTED = np.zeros((30, 3))
SHIFTED[:17, 1:] = SHIFTED[17:, :2] = 1.0
BRIEF = SHIFTED[6:26]
RULES = {kind: bounds.RestartRule(6.0, 1.0, 2.0, 0.5, kind) for kind in bounds.WINDOWS}
LEVEL = 1.5


def restart_state(plays):
    """Numbers and times of restarts, zero for none, and actions: from pairs of actions and first rounds."""
    times = np.array([np.resize([*starts[1:], 0, 0, 0], 3) for _, starts in plays])
    actions = np.array([actions for actions, _ in plays])
    return {
        "restarts": np.array([len(starts) - 1 for _, starts in plays]),
        "times": times,
        "first two": times[:, 0] * 1000 + times[:, 1],
        "actions": actions[:, [0, 1, 3, 7, 15, len(actions[0]) - 1]],
        "rounds of one action": np.array([[(row == j).sum() for j in range(3)] for row in actions]),
    }


@pytest.mark.parametrize("kind", RULES)
def test_thinned_queries_restart_and_play_as_queries_that_are_drawn_one_by_one(kind):
    """Several restarts in a run; twins: noise of queries, noise of selections, losses that come a round late."""
    rng, rule = stream(2, "thinned", kind), RULES[kind]

    def thinned(runs, *, table=BRIEF, level=LEVEL, rule=rule):
        play = restarts.run_restarts
        traces = [play(np.ascontiguousarray(table), epsilon=level, rule=rule, rng=rng) for _ in range(runs)]
        return restart_state([(trace.actions, trace.restarts) for trace in traces])

    slow = restart_state([listed_restarts(BRIEF, epsilon=LEVEL, rule=rule, rng=rng) for _ in range(800)])
    assert len(np.unique(slow["restarts"])) > 2
    assert agreement.apart(slow, thinned(3000)) > FALSE_ALARM
    for twin in (
        {"rule": replace(rule, epsilon=1.3 * rule.epsilon)},
        {"level": 2 * LEVEL},
        {"table": np.roll(BRIEF, 1, axis=0)},
        {"rule": replace(rule, root=0.0)},
    ):
        assert agreement.apart(slow, thinned(2000, **twin)) < FALSE_ALARM, twin


@pytest.mark.parametrize("kind", RULES)
def test_after_a_restart_the_compiled_alarm_and_the_expert_are_new(kind):
    """By noise alone an alarm goes off with probability 1/2: in both of two rounds 1/4; one threshold: 7/24."""
    rule, rng = replace(RULES[kind], epsilon=1e-6), stream(4, "anew", kind)
    plays = [restarts.run_restarts(np.zeros((3, 2)), epsilon=1.0, rule=rule, rng=rng) for _ in range(20_000)]
    both = [{1, 2} <= {*play.restarts} for play in plays]
    stays = [play.actions[0] == play.actions[1] for play in plays if 1 in play.restarts]
    assert (np.mean(both), np.mean(stays)) == (pytest.approx(1 / 4, abs=0.02), pytest.approx(1 / 2, abs=0.03))


@agreement.compares("simulator: restarts", "simulator: restarts_dyadic")
@pytest.mark.parametrize(("kind", "epsilon", "games"), [("dyadic", 10.0, 50), ("all", 1000.0, 2)])
def test_the_learner_restarts_when_the_compiled_one_does(kind, epsilon, games):
    """A shift in a block of 256 rounds, thresholds of a short game; a twin shifts 50 rounds later.

    Almost without noise nearly all runs restart in one round.
    """
    setting = {"n_actions": 2, "epsilon": epsilon, "horizon": 2, "failure": 1.0, "windows": kind}
    rule, rng = bounds.restart_rule(**setting), stream(3, "literal", kind)
    tables = [np.column_stack([late, ~late]).astype(float) for late in (np.arange(511) >= t for t in (260, 310))]

    def literal():
        learner = tracking.Restarts(**setting, rng=rng)
        for row in tables[0]:
            learner.observe(row)
            if len(learner.restarts) > 1:
                break
        return learner.restarts

    def times(starts):
        return np.array([start[1] for start in starts if len(start) > 1], dtype=float)

    slow = times([literal() for _ in range(games)])
    fast, late = (
        times(
            [restarts.run_restarts(t, epsilon=epsilon / 2, rule=rule, rng=rng).restarts for _ in range(10 * games)]
        )
        for t in tables
    )
    if kind == "all":
        assert np.median(slow) == np.median(fast) == np.median(late) - 50
    else:
        assert agreement.by_distance(slow, fast) > FALSE_ALARM > agreement.by_distance(slow, late)


@pytest.mark.parametrize("restarted", [True, False])
def test_a_restart_forgets_losses_and_begins_new_blocks(restarted):
    """Of a block of 256 rounds almost without noise, the expert played loses all, or none. Then one round decides
    after a restart, and the next two the other way; without a restart nothing moves within the block.
    """
    learner = tracking.Restarts(2, epsilon=1e3, horizon=2, failure=1.0, windows="dyadic", rng=stream(8, "anew"))
    for _ in range(255):
        learner.observe([0.0, 1.0])
    for _ in range(200):
        learner.observe([1.0, 0.0] if restarted and len(learner.restarts) == 1 else [0.0, 1.0])
        if len(learner.restarts) > 1:
            break
    played = []
    for row in ([1.0, 0.0], [0.0, 1.0], [0.0, 1.0]):
        learner.observe(row)
        played.append(learner.act())
    assert len(learner.restarts) == 1 + restarted
    assert played == ([1, 1, 0] if restarted else [0, 0, 0])


def test_a_silent_alarm_wakes_before_a_window_can_reach_its_threshold():
    """Calm for 255 rounds, then a regret that grows by 1 a round towards a threshold of 126: the exact law.

    Windows that are 16 scales of noise below it are left out: one of them is an alarm with probability e^-16 / 2.
    """
    turn, threshold, horizon = 255, 126, 390
    rule = bounds.RestartRule(4 / 1.5, 0.0, threshold - 1.0, 0.0, "all")
    n, m = np.meshgrid(np.arange(turn, horizon + 1), np.arange(horizon), indexing="ij")
    regret = n - np.maximum(m, turn) - np.maximum(turn - m, 0)
    asked = (m < n) & (regret > threshold - 16 * 1.5)
    logs = mechanisms.above_threshold_log_law((regret - threshold)[asked], epsilon=rule.epsilon)
    law = np.bincount([*n[asked], 0], weights=np.exp(logs), minlength=horizon + 1)
    table, rng = np.repeat([[0.0, 1.0], [1.0, 0.0]], [turn, horizon - turn], axis=0), stream(5, "silence")
    runs = [restarts.run_restarts(table, epsilon=1e6, rule=rule, rng=rng).restarts for _ in range(8000)]
    counts = np.bincount([starts[1] if len(starts) > 1 else 0 for starts in runs], minlength=horizon + 1)
    assert certify.goodness_of_fit(counts, law) > FALSE_ALARM
    assert certify.goodness_of_fit(counts, np.roll(law, 1)) < FALSE_ALARM


@agreement.compares("simulator: limited_updates")
@pytest.mark.parametrize("n", [2, 3])
def test_limited_updates_play_the_law_of_independent_selections(n):
    """Experts of the blocks from rounds 2, 4 and 8 on: both faces; twins: noise, losses a round late."""
    table, level, rng = np.ascontiguousarray(SHIFTED[10:20, :n]), 1.1, stream(7, "limited", n)

    def law(level, rows):
        return exact.limited_updates_law(rows[:7], epsilon=level)

    def counts(plays):
        return np.bincount(agreement.codes(np.array(plays)[:, [1, 3, 7]], n), minlength=n**3)

    compiled = counts(
        [restarts.run_restarts(table, epsilon=level, rule=None, rng=rng).actions for _ in range(8_000)]
    )
    literal = counts(
        [agreement.played(tracking.LimitedUpdates(n, epsilon=level, rng=rng), table) for _ in range(1_000)]
    )
    for seen in (compiled, literal):
        assert certify.goodness_of_fit(seen, law(level, table)) > FALSE_ALARM
        assert certify.goodness_of_fit(seen, law(2 * level, table)) < FALSE_ALARM
        assert certify.goodness_of_fit(seen, law(level, np.roll(table, 3, axis=0))) < FALSE_ALARM


@pytest.mark.parametrize("held", [0, 1])
def test_the_moment_of_a_restart_costs_at_most_three_halves_of_the_alarms_epsilon(held):
    """All neighbouring 0/1 tables of three rounds, either expert held."""
    rule = bounds.RestartRule(0.8, 0.0, 0.0, 0.1)
    loss = audit.exhaustive_privacy_loss(
        lambda table: exact.restart_law(table, rule=rule, held=held), n_rounds=3, n_actions=2
    )
    assert 0.3 < loss <= 1.5 * 0.8 + 1e-9


@pytest.mark.parametrize("root", [0.0, 0.7])
def test_no_window_is_passed_over_in_a_long_game(root):
    """With hardly any noise the restart comes with the first window whose query is positive: all are tried."""
    rounds, rng = windows.BLOCK**2 + 700, stream(8, "groups", root)
    table = np.clip(0.5 + np.cumsum(rng.standard_normal((rounds, 2)), axis=0) / 100, 0, 1) * rng.random(
        (rounds, 2)
    )

    def play(alarm):
        return restarts.play(table, 1e-9, alarm, stream(8, "draws"))

    actions = play(windows.SILENCE)[0]
    sums = np.vstack([np.zeros(2), np.cumsum(table[np.arange(rounds), actions][:, None] - table, axis=0)])
    spread = root * np.sqrt(np.arange(rounds))
    largest = [((sums[n] - sums[:n]).max(axis=1) - spread[:n][::-1]).max() for n in range(1, rounds + 1)]
    records = np.flatnonzero(np.diff(np.maximum.accumulate(largest), prepend=-np.inf) > 1e-4)
    for first in records[:: max(1, len(records) // 6)]:
        below = max(largest[:first], default=-1.0)
        alarm = windows.Alarm(windows.ALL, (below + largest[first]) / 2, root, 1e-8)
        assert play(alarm)[1][1] == first + 1


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


@pytest.mark.parametrize("calibration", bounds.CALIBRATIONS)
def test_the_literal_learner_has_the_thresholds_of_its_calibration(calibration):
    """A regret of 1,024 rounds passes the printed thresholds and not the corrected ones: T = 1,000, beta = 1."""
    options = {"epsilon": 2.5, "horizon": 1000, "failure": 1.0, "calibration": calibration, "windows": "dyadic"}
    table, rng = np.repeat([[0.0, 1.0], [1.0, 0.0]], [1023, 1024], axis=0), stream(9, calibration)
    learner = tracking.Restarts(2, **options, rng=rng)
    for row in table:
        learner.observe(row)
    rule = bounds.restart_rule(n_actions=2, **options)
    compiled = restarts.run_restarts(table, epsilon=1.25, rule=rule, rng=rng)
    assert len(learner.restarts) == len(compiled.restarts) == (2 if calibration == "printed" else 1)


@pytest.mark.parametrize("windows", bounds.WINDOWS)
def test_the_registered_learner_asks_the_windows_of_its_name(windows):
    """Almost without noise: of 255 rounds that lose, 180 are enough, and no dyadic window has more than 128."""
    sizes = {"n_actions": 2, "epsilon": 1000.0, "horizon": 2}
    learner = registry.learner({"all": "restarts", "dyadic": "restarts_dyadic"}[windows], **sizes, rng=stream(10))
    for row in np.repeat([[0.0, 1.0], [1.0, 0.0]], [255, 200], axis=0):
        learner.observe(row)
    assert len(learner.restarts) == (2 if windows == "all" else 1)


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_limited_updates_are_registered_at_the_level_that_is_asked_for(epsilon):
    env, sizes = environments.Bernoulli([0.45, 0.5, 0.55]), {"horizon": 200, "replicates": 20}
    table = env.losses(0, 200, rng=stream(11))
    built = registry.learner("limited_updates", n_actions=3, epsilon=epsilon, horizon=200, rng=stream(12))
    known = tracking.LimitedUpdates(3, epsilon=epsilon, rng=stream(12))
    np.testing.assert_array_equal(agreement.played(built, table), agreement.played(known, table))
    found = registry.simulate("limited_updates", env, epsilon=epsilon, **sizes, rng=stream(13)).final
    same, other = (simulate_static(env, epsilon=e, **sizes, rng=stream(13)).final for e in (epsilon, epsilon / 2))
    assert found.tolist() == same.tolist() != other.tolist()
