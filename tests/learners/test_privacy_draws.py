"""Learners read no losses but those that they may; compiled restarts draw afresh after every alarm.

Each law has a twin at 1.2 epsilon, which the samples must reject.
"""

import numpy as np
import pytest

from replicate import certify
from replicate.learners import registry
from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import restarts
from tests import agreement
from tests.conftest import FALSE_ALARM
from tests.learners import draws

NOISES = tuple(draws.DENSITIES)
DYADIC = ("prefix_softmax", *NOISES, *(f"{noise}_resampled" for noise in NOISES), "limited_updates")
BOARDS = ("meta_experts", "dartboard", "pure_dartboard")
OTHERS = ("restarts", "restarts_dyadic", *BOARDS, "mirror_descent")


def make(name, rng, *, n_actions=3, horizon=13, epsilon=1.0, n_switches=2):
    return registry.learner(
        name, n_actions=n_actions, horizon=horizon, epsilon=epsilon, n_switches=n_switches, rng=rng
    )


def fresh(kind=np.random.Generator, seed=1):
    return kind(np.random.PCG64(seed))


# Row 1 is read for round 2, rows 2 and 3 for round 4: losses are bits, so that resampling them changes nothing.


HORIZON = 13  # blocks of 1, 2, 4 rounds, and a last one that is cut short
STARTS = np.array([0, 1, 3, 7, HORIZON])


@pytest.mark.parametrize("name", [*DYADIC, "restarts", "restarts_dyadic"])
def test_the_action_of_a_block_depends_on_the_block_before_and_on_no_other(name):
    """One round's losses change under one stream; no restart, and almost no noise: they decide the selection."""

    def play(seed, rows):
        return np.array(agreement.played(make(name, fresh(seed=seed), epsilon=30.0), rows))

    moved = np.zeros(HORIZON, dtype=bool)
    for seed in range(12):
        base = play(seed, np.zeros((HORIZON, 3)))
        for t in range(HORIZON):
            rows = np.zeros((HORIZON, 3))
            rows[t] = [1, 1, 0]
            differs = play(seed, rows) != base
            after = np.searchsorted(STARTS, t, side="right")
            may = np.arange(*STARTS[after : after + 2]) if after < 4 else []
            assert not np.delete(differs, may).any()
            moved[t] |= differs.any()
    assert moved[: STARTS[3]].all() or name == "prefix_softmax", "its rate is at most 1/8"


@pytest.mark.parametrize("name", OTHERS)
def test_an_action_depends_on_no_losses_of_its_round_or_later(name):
    table = np.random.default_rng(3).random((HORIZON, 3))
    for t in range(HORIZON):
        other = table.copy()
        other[t:] = 1 - other[t:]
        first, second = (
            agreement.played(make(name, fresh(seed=t), epsilon=50.0), rows)[: t + 1] for rows in (table, other)
        )
        assert first.tolist() == second.tolist()


# Compiled players with live noise


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
def test_compiled_restarts_have_the_laws_of_fresh_noise_and_of_a_new_threshold_after_every_alarm(
    windows, n_actions
):
    """Actions, and the rounds with an alarm, of which there are several; two actions show both levels.

    Noncentrality of 1.2 epsilon at least 40,000 * 0.0045 = 180 on 31 degrees of freedom: power above 0.999.
    """
    table, level, alarm, rng = (
        np.ascontiguousarray(BITS[: 7 - n_actions, :n_actions]),
        3.0,
        4.0,
        np.random.default_rng(1),
    )

    def laws(level, alarm):
        return restarts_law(table, level=level, rule=bounds.RestartRule(alarm, 0.0, 0.0, 0.1, windows))

    compiled = restarts.alarm_of(bounds.RestartRule(alarm, 0.0, 0.0, 0.1, windows))
    plays = [restarts.play(table, 2 / level, compiled, rng) for _ in range(40_000)]
    rung = np.zeros((len(plays), len(table)), dtype=int)
    for row, (_, starts) in zip(rung, plays, strict=True):
        row[starts[1:] - 1] = 1
    seen = [draws.counts([actions for actions, _ in plays], (n_actions,) * len(table))]
    seen.append(draws.counts(rung, (2,) * len(table)))
    for counts, law in zip(seen, laws(level, alarm), strict=True):
        assert law.sum() == pytest.approx(1, abs=1e-6)
        assert certify.goodness_of_fit(counts, law) > FALSE_ALARM
    assert certify.goodness_of_fit(seen[0], laws(1.2 * level, alarm)[0]) < FALSE_ALARM
    if n_actions == 2:
        for counts, law in zip(seen, laws(level, 1.2 * alarm), strict=True):
            assert certify.goodness_of_fit(counts, law) < FALSE_ALARM
