"""The paper's learners, literal against compiled: restarts, redraws, weights and noise, not only regret."""

import math
from functools import cache

import numpy as np
import pytest

from replicate import certify
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import (
    lazy,
    limited_updates,
    meta_experts,
    mirror_descent,
    restarts,
    windows,
)
from replicate.papers.tracking.privacy import played
from replicate.streams import stream
from tests import agreement
from tests.conftest import FALSE_ALARM

# Algorithms 1 and 2

SHIFTED = np.zeros((30, 3))
SHIFTED[:17, 1:] = SHIFTED[17:, :2] = 1.0
BRIEF = SHIFTED[6:26]
SLOW = np.repeat(SHIFTED, 5, axis=0)
RULES = {kind: bounds.RestartRule(6.0, 1.0, 2.0, 0.5, kind) for kind in bounds.WINDOWS}
SLOW_RULES = {kind: bounds.RestartRule(1.0, 8.0, 20.0, 1.0, kind) for kind in bounds.WINDOWS}
LEVEL = 1.5


def restart_state(plays, horizon):
    """Numbers and times of restarts, zero for none, and actions: from pairs of actions and first rounds."""
    times = np.array([np.resize([*starts[1:], 0, 0, 0], 3) for _, starts in plays])
    actions = np.array([actions for actions, _ in plays])
    return {
        "restarts": np.array([len(starts) - 1 for _, starts in plays]),
        "times": times,
        "first two": times[:, 0] * 1000 + times[:, 1],
        "actions": actions[:, [0, 1, 3, 7, 15, horizon // 2, horizon - 1]],
        "rounds of one action": np.array([[(row == j).sum() for j in range(3)] for row in actions]),
    }


@cache
def dense(kind, runs, horizon):
    """Plays of the literal learner, which draws noise for every query."""
    rng, plays, laws, select = stream(1, "dense", kind), [], {}, limited_updates.selector
    table, rule = (BRIEF, RULES[kind]) if horizon == len(BRIEF) else (SLOW, SLOW_RULES[kind])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limited_updates, "selector", lambda *a, **b: agreement.remembered(select(*a, **b), laws))
        for _ in range(runs):
            learner = tracking.Restarts(3, epsilon=2 * LEVEL, horizon=horizon, windows=kind, rng=rng)
            learner._rule, learner.restarts = rule, []
            learner._restart()
            plays.append((agreement.played(learner, table), learner.restarts))
    return restart_state(plays, horizon)


def thinned(kind, runs, horizon, rng, *, noise=2 / LEVEL, late=0, **changes):
    """Plays of the compiled learner."""
    table, rule = (BRIEF, RULES[kind]) if horizon == len(BRIEF) else (SLOW, SLOW_RULES[kind])
    alarm, table = restarts.alarm_of(rule)._replace(**changes), np.roll(table, late, axis=0)
    return restart_state([restarts.play(table, noise, alarm, rng) for _ in range(runs)], horizon)


@agreement.compares("simulator: restarts", "simulator: restarts_dyadic")
@pytest.mark.parametrize(
    ("runs", "horizon"), [(2000, len(BRIEF)), pytest.param(2000, len(SLOW), marks=pytest.mark.long)]
)
@pytest.mark.parametrize("kind", RULES)
def test_restarts_come_when_those_of_single_queries_come(kind, runs, horizon):
    """Several in a run, over a block of starts or three; twins: noise of queries, of selections, a late round."""
    rng, slow = stream(2, "thinned", kind), dense(kind, runs, horizon)
    scale = restarts.alarm_of((RULES if horizon == len(BRIEF) else SLOW_RULES)[kind]).scale
    assert len(np.unique(slow["restarts"])) > 2
    assert horizon == len(BRIEF) or slow["times"][:, 0].max() > windows.BLOCK
    assert agreement.apart(slow, thinned(kind, 4 * runs, horizon, rng)) > FALSE_ALARM
    for twin in ({"scale": scale / 1.3}, {"noise": 1 / LEVEL}, {"late": 1}, {"root": 0.0}):
        assert agreement.apart(slow, thinned(kind, runs, horizon, rng, **twin)) < FALSE_ALARM, twin


@agreement.compares("simulator: limited_updates")
def test_compiled_limited_updates_play_the_blocks_of_the_streaming_learner():
    """Actions of five blocks, the last cut; twins: half the noise, losses one round late."""
    rng, starts, laws, select = stream(3, "limited"), np.array([0, 1, 3, 7, 15]), {}, limited_updates.selector

    def state(actions):
        blocks = np.array(actions)[:, starts]
        return {"actions": blocks, "pairs": blocks[:, :-1] * 10 + blocks[:, 1:]}

    def compiled(noise=2 / LEVEL, late=0, runs=2000):
        table = np.roll(SHIFTED, late, axis=0)
        return state([restarts.play(table, noise, windows.SILENCE, rng)[0] for _ in range(runs)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limited_updates, "selector", lambda *a, **b: agreement.remembered(select(*a, **b), laws))
        learners = [tracking.LimitedUpdates(3, epsilon=LEVEL, rng=rng) for _ in range(2000)]
        slow = state([agreement.played(learner, SHIFTED) for learner in learners])
    assert agreement.apart(slow, compiled(runs=8000)) > FALSE_ALARM
    assert agreement.apart(slow, compiled(noise=1 / LEVEL)) < FALSE_ALARM
    assert agreement.apart(slow, compiled(late=8)) < FALSE_ALARM


# Section 4: the list of sequences against the filter

BITS = stream(4, "bits").integers(0, 3, (9, 2)) / 2


def board_state(plays, redraws):
    """Numbers of redraws, the first and the last actions as numbers, and how often plays switch."""
    actions = np.array(plays)
    switches = np.count_nonzero(np.diff(actions), axis=1)
    return {
        "redraws": np.array(redraws),
        "actions": np.column_stack([agreement.codes(actions[:, :5], 2), agreement.codes(actions[:, 5:], 2)]),
        "switches": switches,
        "redraws and switches": np.array(redraws) * 10 + switches,
    }


@agreement.compares(*(f"simulator: {name}" for name in ("meta_experts", "dartboard", "pure_dartboard")))
@pytest.mark.parametrize(
    ("switches", "batch", "redraw"), [(2, 1, 0.1), (0, 2, 0.35), pytest.param(3, 4, 0.5, marks=pytest.mark.long)]
)
def test_the_filter_redraws_as_often_as_the_list_of_sequences(switches, batch, redraw):
    """A last short batch; the cap binds at (2, 1, 0.1); twins: a draw less, other rates, a batch more."""
    horizon, rng = len(BITS), stream(5, "boards", switches, batch)
    board = tracking.Dartboard(learning_rate=0.45, redraw=redraw, batch=batch)
    sizes = {"n_switches": switches, "horizon": horizon, "dartboard": board, "rng": rng}
    plays, redraws = [], []
    for game in range(2000):
        listed = meta_experts.LiteralMetaExperts(2, **sizes)
        plays.append(agreement.played(listed, BITS))
        redraws.append(listed._redraws)
        if game == 0:  # weights do not depend on what is drawn
            assert_weights(listed, meta_experts.MetaExperts(2, **sizes))
    slow = board_state(plays, redraws)
    if batch == 1:
        assert (slow["redraws"] == board.draws(horizon) - 1).mean() > 0.2

    def compiled(runs=3000, **changes):
        rule = meta_experts.rule_of(board, horizon)._replace(**changes)
        return board_state(*zip(*(meta_experts.play(BITS, switches, rule, rng) for _ in range(runs)), strict=True))

    assert agreement.apart(slow, compiled(runs=8000)) > FALSE_ALARM
    twins = [{"redraw": min(1.6 * redraw, 0.8)}, {"log_keep": 2 * math.log(0.55)}, {"batch": batch + 1}]
    for twin in twins + [{"draws": board.draws(horizon) - 1}] * (batch == 1):
        assert agreement.apart(slow, compiled(**twin)) < FALSE_ALARM, twin


def assert_weights(listed, filtered):
    """Weights of the list before the last round, summed by switches used and expert, are those of the filter."""
    last = len(BITS) - 1
    for row in BITS[:last]:
        filtered.observe(row)
    kept = listed._weights / listed._dartboard.factors(BITS[last, listed.sequences[:, last]])
    exact = np.zeros_like(filtered.weights)
    used = np.count_nonzero(np.diff(listed.sequences), axis=1)
    np.add.at(exact, (used, listed.sequences[:, last]), kept / kept.sum())
    np.testing.assert_allclose(filtered.weights, exact, rtol=1e-11, atol=1e-15)
    assert np.abs(np.roll(exact, 1) - exact).max() > 1e-3


@pytest.mark.parametrize(("switches", "batch"), [(1, 1), (2, 2), (0, 3)])
@agreement.compares("law: l2p")
def test_l2p_plays_the_law_of_the_list_of_sequences(switches, batch):
    """Every path of six rounds; twins: another probability of fresh draws, batches of another length."""
    table, rng, runs = np.ascontiguousarray(BITS[:6]), stream(6, "l2p", switches, batch), 60_000 // batch
    base = lazy.Lazy(learning_rate=0.1, redraw=0.1, batch=batch)

    def law(**changes):
        other = lazy.Lazy(**({"learning_rate": 0.1, "redraw": 0.1, "batch": batch} | changes))
        return played.literal_lazy_law(table, n_switches=switches, lazy=other)

    plays = [lazy.run_lazy(table, n_switches=switches, lazy=base, rng=rng) for _ in range(runs)]
    seen = np.bincount(agreement.codes(plays, 2), minlength=64)
    assert certify.goodness_of_fit(seen, law()) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(redraw=0.2)) < FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(batch=batch + 1)) < FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(learning_rate=0.05)) < FALSE_ALARM


# Algorithm 3: one noise for both faces


class Tape(np.random.Generator):
    """Lists of uniform numbers and of noise, read by calls of the kernel or by those of the streaming learner."""

    def __init__(self, key, n_actions):
        super().__init__(np.random.PCG64(1))
        source = stream(*key)
        self.n_actions, self.scale = n_actions, 1.0
        self.uniform = source.random(200).tolist()
        self.signs, self.sizes = (
            source.random((200, n_actions)) < 0.5,
            source.standard_exponential((200, n_actions)),
        )
        self.plays, self.calls, self.size = 0, 0, 0

    def choice(self, n, p):  # the streaming learner
        self.plays += 1
        return int(np.searchsorted(np.cumsum(p), self.uniform[self.plays - 1], side="right"))

    def laplace(self, scale, size):
        t = self.plays - 1
        return scale * self.scale * np.where(self.signs[t], -1.0, 1.0) * self.sizes[t]

    def random(self):  # the kernel: a number for the action, then one of binary digits for every 32 signs
        period = 1 + -(-self.n_actions // 32)
        t, part = divmod(self.calls, period)
        self.calls += 1
        if part == 0:
            return self.uniform[t]
        return float(
            sum(2.0 ** -(i + 1) for i, sign in enumerate(self.signs[t, 32 * part - 32 : 32 * part]) if sign)
        )

    def standard_exponential(self):
        t, i = divmod(self.size, self.n_actions)
        self.size += 1
        return self.scale * self.sizes[t, i]


@agreement.compares("simulator: mirror_descent")
@pytest.mark.parametrize("n_actions", [2, 3, 40])
def test_both_faces_of_mirror_descent_follow_one_noise(n_actions):
    """Actions and expected losses of 63 rounds; weights reach the floor. Twins: noise and losses, a round late."""
    table, key, sizes = stream(7, "table").random((63, n_actions)), (7, "tape", n_actions), {"horizon": 63}
    tape = Tape(key, n_actions)
    learner = tracking.MirrorDescent(n_actions, n_switches=9, epsilon=3.0, learning_rate=0.3, rng=tape, **sizes)
    expected, actions, floors = [], [], 0
    for row in table:
        expected.append(learner.weights @ row)
        floors += np.isclose(learner.weights, learner.floor, rtol=1e-9).any()
        actions.append(learner.act())
        learner.observe(row)
    assert floors > 0

    def compiled(scale=1.0, late=0):
        again = Tape(key, n_actions)
        again.scale = scale
        rows = np.roll(table, late, axis=0)
        with agreement.plain_python():
            return mirror_descent.play(rows, 0.3, learner.noise, learner.floor, again)

    found = compiled()
    np.testing.assert_array_equal(found[0], actions)
    np.testing.assert_allclose(found[1], expected, rtol=1e-11)
    assert not np.allclose(compiled(scale=1.01)[1], expected, rtol=1e-6)
    assert not np.allclose(compiled(late=1)[1], expected, rtol=1e-6)
