"""Algorithm 3: the projection against a solver, the compiled loop against the streaming learner."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from replicate.papers import tracking
from replicate.papers.tracking.algorithms import mirror_descent
from replicate.streams import stream
from tests import agreement
from tests.papers.tracking.common import FALSE_ALARM, table_of


@given(weights=st.lists(st.floats(1e-6, 1e3), min_size=2, max_size=12), share=st.floats(0, 0.99))
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


@agreement.compares("simulator: mirror_descent")
@pytest.mark.parametrize("n", [2, 3, 40])
def test_with_noise_both_faces_have_one_law(n):
    """Expected losses and actions of sixteen rounds; weights come to the floor. Twins: noise, a round late."""
    table, rng = table_of(16, n, "noise", levels=2), stream(12, "noise", n)
    setting = {"horizon": 16, "n_switches": 6, "epsilon": float(n), "learning_rate": 1.0}
    floor, shown, lowest = 6 / (16 * n), [1, 2, 5, 15], []

    def literal():
        learner = tracking.MirrorDescent(n, **setting, rng=rng)
        actions, expected = [], []
        for row in table:
            expected.append(learner.weights @ row)
            lowest.append(learner.weights.min())
            actions.append(learner.act())
            learner.observe(row)
        return actions, expected

    def compiled(rows=table, noise=1.0):
        return mirror_descent.run_mirror_descent(rows, learning_rate=1.0, noise=noise, floor=floor, rng=rng)

    def state(plays):
        actions, expected = (np.array(part)[:, shown] for part in zip(*plays, strict=True))
        return {"expected": expected, "actions": actions}

    slow = state([literal() for _ in range(450)])
    assert min(lowest) == pytest.approx(floor)
    assert agreement.apart(slow, state([compiled() for _ in range(1500)])) > FALSE_ALARM
    for twin in ({"noise": 3.0}, {"rows": np.roll(table, 1, axis=0)}):
        assert agreement.apart(slow, state([compiled(**twin) for _ in range(1000)])) < FALSE_ALARM


def test_every_expert_of_many_has_noise_of_either_sign():
    """After one noisy round of equal losses each of seventy is played as often as any other."""
    options = {"learning_rate": 1.0, "noise": 3.0, "floor": 1e-6, "rng": stream(12, "signs")}
    second = [mirror_descent.run_mirror_descent(np.zeros((2, 70)), **options)[0][1] for _ in range(7000)]
    assert stats.chisquare(np.bincount(second, minlength=70)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("n_rounds", [1, 2, 7, 4000])
def test_two_experts_that_swap_lose_what_they_lose_on_a_table(n_rounds):
    """The same draws: expert 0 loses 1 in the first half, expert 1 in the second; weights come to both floors."""
    table = np.zeros((n_rounds, 2))
    table[: n_rounds // 2, 0] = table[n_rounds // 2 :, 1] = 1
    rate, noise, floor = 0.02, 1.5, 0.01
    _, paid = mirror_descent.run_mirror_descent(
        table, learning_rate=rate, noise=noise, floor=floor, rng=stream(18, "swapped")
    )
    found = mirror_descent.play_swapped(n_rounds, rate, noise, floor, stream(18, "swapped"))
    assert found == pytest.approx(paid.sum(), rel=1e-10)
    assert n_rounds < 4000 or (paid.min() == floor and paid.max() == pytest.approx(1 - floor))


@pytest.mark.parametrize("patience", [1, 3, 5, 1000])
def test_a_watching_adversary_shifts_after_so_many_plays_in_a_row(patience):
    """Round by round with the same draws: two experts, the good one loses 0; half-way at the latest they swap."""
    n, rate, noise, floor = 40, 0.3, 0.5, 0.01
    rng, w, run, total = stream(17, "watched", patience), np.full(2, 0.5), 0, 0.0
    good, shift = [0] * n, n // 2
    for t in range(n):
        good[t] = int(t >= shift)
        total += w[1 - good[t]]
        run = run + 1 if (rng.random() >= w[0]) == good[t] else 0
        if run == patience and t < n // 2 and good[t] == 0:
            shift = t + 1
        noises = [noise * rng.standard_exponential() * (1 if rng.random() >= 0.5 else -1) for _ in range(2)]
        w = tracking.project(w * np.exp(-rate * ((np.arange(2) != good[t]) + noises)), floor=floor)
    found = mirror_descent.play_watched(n, rate, noise, floor, patience, stream(17, "watched", patience))
    assert found == (pytest.approx(total), shift)
    assert shift == n // 2 if patience == 1000 else shift < n // 2
