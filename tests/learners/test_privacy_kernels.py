"""Compiled players with live noise: laws of short plays by enumeration, and what may depend on what.

Each sample must reject the law at 1.2 epsilon as well: noncentralities are stated where sizes are chosen.
"""

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.papers import tracking
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import meta_experts, mirror_descent, restarts
from replicate.papers.tracking.privacy import played
from tests.conftest import FALSE_ALARM
from tests.learners import draws


def fresh(seed=1, kind=np.random.Generator):
    return kind(np.random.PCG64(seed))


def laplace_cdf(x):
    return np.where(x < 0, np.exp(-np.abs(x)) / 2, 1 - np.exp(-np.abs(x)) / 2)


def restarts_law(table, *, level, rule):
    """Laws of Algorithm 2's actions, shape (N**T,), and of the rounds with an alarm, shape (2**T,).

    Its selections are at `level`; the threshold's noise lies on a grid.
    """
    n_rounds, n = table.shape
    edges = 2 / rule.epsilon * np.linspace(-18, 18, 1001)
    grid, start = (edges[1:] + edges[:-1]) / 2, np.diff(laplace_cdf(edges * rule.epsilon / 2))
    law, alarms = np.zeros((n,) * n_rounds), np.zeros((2,) * n_rounds)
    lengths = [1, 2, 4, 8] if rule.windows == "dyadic" else range(1, n_rounds + 1)

    def silence(first, actions):
        """Probability, given the threshold, that no window that ends now is above."""
        product = np.ones(len(grid))
        for length in (w for w in lengths if w <= len(actions) - first):
            now = np.arange(len(actions) - length, len(actions))
            regret = (table[now, np.array(actions)[now]][:, None] - table[now]).sum(axis=0).max()
            query = regret - rule.constant - rule.root * np.sqrt(length - 1) - rule.accuracy - 1
            product = product * laplace_cdf((grid - query) * rule.epsilon / 4)
        return product

    def go_on(first, actions, rung, weight):
        if len(actions) == n_rounds:
            law[actions] += weight.sum()
            alarms[rung] += weight.sum()
            return
        age = len(actions) - first + 1
        if age == 1:
            choice = np.full(n, 1 / n)
        elif age.bit_count() == 1:
            sums = table[first + age // 2 - 1 : len(actions)].sum(axis=0)
            choice = draws.noisy_min_law(sums, noise="laplace", scale=2 / level)
        else:
            choice = np.eye(n)[actions[-1]]
        for action in np.flatnonzero(choice):
            later = (*actions, int(action))
            passed = silence(first, later)
            go_on(first, later, (*rung, 0), weight * choice[action] * passed)
            again = (weight * choice[action] * (1 - passed)).sum()
            go_on(len(later), later, (*rung, 1), start * again)

    go_on(0, (), (), start)
    return law.ravel(), alarms.ravel()


BITS = np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]], dtype=float)


@pytest.mark.parametrize(("windows", "n_actions"), [("all", 2), ("dyadic", 2), ("all", 3)])
def test_compiled_restarts_play_the_law_of_fresh_noise_at_both_levels(windows, n_actions):
    """Noncentrality of 1.2 epsilon at least 40,000 * 0.0045 = 180 on 31 degrees of freedom: power above 0.999."""
    table = np.ascontiguousarray(BITS[: 7 - n_actions, :n_actions])
    level, alarm, runs, rng = 3.0, 6.0, 40_000, fresh()

    def law(level, alarm):
        return restarts_law(table, level=level, rule=bounds.RestartRule(alarm, 0.0, 0.0, 0.1, windows))[0]

    rule = bounds.RestartRule(alarm, 0.0, 0.0, 0.1, windows)
    noise, compiled, exact = 2 / level, restarts.alarm_of(rule), law(level, alarm)
    plays = [restarts.play(table, noise, compiled, rng)[0] for _ in range(runs)]
    seen = draws.counts(plays, (n_actions,) * len(table))
    assert exact.sum() == pytest.approx(1, abs=1e-6)
    assert certify.goodness_of_fit(seen, exact) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(1.2 * level, alarm)) < FALSE_ALARM
    if n_actions == 2:
        assert certify.goodness_of_fit(seen, law(level, 1.2 * alarm)) < FALSE_ALARM


@pytest.mark.parametrize("windows", ["all", "dyadic"])
def test_compiled_restarts_draw_a_new_threshold_of_the_same_law_after_every_alarm(windows):
    """Joint law of the rounds with an alarm, of which there are several."""
    table, rng = np.ascontiguousarray(BITS[:, :2]), fresh()

    def law(alarm):
        return restarts_law(table, level=3.0, rule=bounds.RestartRule(alarm, 0.0, 0.0, 0.1, windows))[1]

    def sample(play, rng, runs):
        rule = restarts.alarm_of(bounds.RestartRule(3.0, 0.0, 0.0, 0.1, windows))
        rung = np.zeros((runs, len(table)), dtype=int)
        for row in rung:
            row[play(table, 2 / 3.0, rule, rng)[1][1:] - 1] = 1
        return draws.counts(rung, (2,) * len(table))

    seen = sample(restarts.play, rng, 40_000)
    assert certify.goodness_of_fit(seen, law(3.0)) > FALSE_ALARM
    assert certify.goodness_of_fit(seen, law(3.6)) < FALSE_ALARM


@pytest.mark.parametrize("n_actions", [2, 3])
def test_compiled_limited_updates_play_the_law_of_independent_noise(n_actions):
    """Rounds 1, 2 and 4."""
    table, level, runs = np.ascontiguousarray(BITS[:4, :n_actions]), 3.0, 16_000

    def law(level):
        parts = [draws.noisy_min_law(s, noise="laplace", scale=2 / level) for s in (table[0], table[1] + table[2])]
        return np.multiply.outer(np.multiply.outer(np.full(n_actions, 1 / n_actions), parts[0]), parts[1]).ravel()

    def p_value(play, rng, runs, level=level):
        plays = [play(table, 2 / 3.0, restarts.alarm_of(None), rng)[0][[0, 1, 3]] for _ in range(runs)]
        return certify.goodness_of_fit(draws.counts(plays, (n_actions,) * 3), law(level))

    assert p_value(restarts.play, fresh(), runs) > FALSE_ALARM
    assert p_value(restarts.play, fresh(), runs, 1.2 * level) < FALSE_ALARM


@pytest.mark.parametrize("switches", [0, 1])
@pytest.mark.parametrize("n_actions", [2, 3])
def test_compiled_dartboards_play_the_law_of_the_list_of_sequences(switches, n_actions):
    """Noncentrality of 1.2 times the learning rate at least 30,000 * 0.01; that of the redraws is larger."""
    table, rng = np.ascontiguousarray(BITS[: 7 - n_actions, :n_actions]), fresh()
    board = tracking.Dartboard(learning_rate=0.45, redraw=0.2)
    plays = [
        meta_experts.run_dartboard(table, n_switches=switches, dartboard=board, rng=rng)[0] for _ in range(30_000)
    ]
    seen = draws.counts(plays, (n_actions,) * len(table))

    def p_value(rate, redraw):
        other = tracking.Dartboard(learning_rate=rate, redraw=redraw)
        return certify.goodness_of_fit(
            seen, played.literal_law(table, n_switches=switches, dartboard=other).ravel()
        )

    assert p_value(0.45, 0.2) > FALSE_ALARM
    assert p_value(0.45 / 1.2, 0.2) < FALSE_ALARM
    assert p_value(0.45, 0.2 / 1.5) < FALSE_ALARM


def moves(n_actions, i, *, play=mirror_descent.play, rng, rounds=100_000, noise=1.0):
    """Mean noise of a round less that of action i, from the weights of a player that learns hardly anything."""
    rate, table = 1e-9, np.zeros((rounds, n_actions))
    table[:, i] = 1.0
    _, weight = play(table, rate / noise, noise, 0.0, rng)
    return np.diff(weight) * n_actions / rate * noise


def test_compiled_mirror_descent_draws_laplace_noise_of_its_scale_in_every_round():
    """Two actions: differences of two draws; Kolmogorov-Smirnov, distance 0.04 at 1.2 times the scale."""
    found = 2 * moves(2, 0, rng=fresh(), noise=3.0)
    law = [
        lambda x, s=s: np.vectorize(lambda y: draws.difference_cdf(y, noise="laplace"))(x / s) for s in (3.0, 3.6)
    ]
    assert stats.kstest(found + 1, law[0]).pvalue > FALSE_ALARM
    assert stats.kstest(found + 1, law[1]).pvalue < FALSE_ALARM
    signs = draws.counts(np.column_stack([found[:-1:2] + 1 > 0, found[1::2] + 1 > 0]).astype(int), (2, 2))
    assert certify.goodness_of_fit(signs, np.full(4, 1 / 4)) > FALSE_ALARM


@pytest.mark.parametrize("n_actions", [3, 70])
def test_compiled_mirror_descent_draws_for_every_action(n_actions):
    """Variance 2 (1 - 1 / N) and mean zero, for N independent draws; signs come 32 from one uniform number."""

    def suspicious(i, **words):
        found = moves(n_actions, i, rounds=20_000, **words) + (1 - 1 / n_actions)
        variance, kurtosis = 2 * (1 - 1 / n_actions), 6.0
        far = [found.mean() / np.sqrt(variance / len(found))]
        far.append((found.var() / variance - 1) / np.sqrt((kurtosis + 2 - 1) / len(found)))
        return np.abs(far).max() > stats.norm.isf(FALSE_ALARM / 2)

    places = {0, 1, 2, 31, 32, 52, 53, 63, 64, 69} & set(range(n_actions))
    assert not any(suspicious(i, rng=fresh(i)) for i in places)
    if n_actions == 3:  # the signs of the first round in every one
        assert suspicious(0, rng=fresh(kind=draws.Repeating), play=mirror_descent.play.py_func)


def test_compiled_mirror_descent_draws_actions_from_its_weights_afresh():
    """Without noise the weights are known: the joint law of three rounds' actions."""
    table, rate, rng = BITS[:3], 0.8, fresh()
    plays = [mirror_descent.play(table, rate, 0.0, 0.05, rng)[0] for _ in range(10_000)]
    law, weights = np.ones(1), np.full(3, 1 / 3)
    for row in table:
        law = np.multiply.outer(law, weights).ravel()
        weights = tracking.project(weights * np.exp(-rate * row), floor=0.05)
    assert certify.goodness_of_fit(draws.counts(plays, (3,) * 3), law) > FALSE_ALARM


RULE, BOARD = bounds.RestartRule(6.0, 0.0, 0.0, 0.1), tracking.Dartboard(learning_rate=0.5, redraw=0.4)
PLAYERS = {
    "limited_updates": lambda t, rng: restarts.play(t, 0.05, restarts.alarm_of(None), rng)[0],
    "restarts": lambda t, rng: restarts.play(t, 0.05, restarts.alarm_of(RULE), rng)[0],
    "dartboard": lambda t, rng: meta_experts.play(t, 1, meta_experts.rule_of(BOARD, len(t)), rng)[0],
    "mirror_descent": lambda t, rng: mirror_descent.play(t, 5.0, 0.1, 0.01, rng)[0],
}


@pytest.mark.parametrize("horizon", [1, 2, 3, 13])
@pytest.mark.parametrize("name", PLAYERS)
def test_compiled_actions_depend_on_earlier_losses_only_those_of_blocks_on_the_block_before(name, horizon):
    play = PLAYERS[name]
    starts, moved = np.array([0, 1, 3, 7, 15, 31]), np.zeros(horizon, dtype=bool)
    for seed in range(30):
        base = play(np.zeros((horizon, 3)), fresh(seed))
        for t in range(horizon):
            rows = np.zeros((horizon, 3))
            rows[t] = [1, 1, 0]
            differs = play(rows, fresh(seed)) != base
            assert not differs[: t + 1].any()
            if name == "limited_updates":
                after = np.searchsorted(starts, t, side="right")
                may = np.arange(starts[after], min(starts[after + 1], horizon))
                assert not np.delete(differs, may).any()
            moved[t] |= differs.any()
    last = (
        starts[np.searchsorted(starts, horizon - 1, side="right") - 1]
        if name == "limited_updates"
        else horizon - 1
    )
    assert moved[:last].all()
