"""Exact quantities inside the proofs: against simulations of the kernels, and as inequalities for every input."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replicate import certify
from replicate.papers.bandits import bounds, lemmas
from replicate.papers.bandits.algorithms import kernels, simulation
from tests.conftest import FALSE_ALARM


@given(st.integers(0, 10**6), st.integers(2, 50), st.integers(1, 40), st.floats(0.01, 1.79), st.floats(0.1, 1e3))
def test_lemma_26_for_every_admissible_rate(seed, n, rounds, push, size):
    """Losses bounded on one side only, by -1.79 / eta at most, where the proof still goes, heavy on the other."""
    rng = np.random.default_rng(seed)
    losses = np.maximum(size * rng.standard_t(2, size=(rounds, n)), -size)
    eta = push / size
    regret, limit = lemmas.weights_game(losses, eta)
    assert regret <= limit * (1 + 1e-9)


@given(st.integers(0, 10**6), st.integers(2, 3), st.floats(0.01, 1), st.floats(0.01, 1), st.floats(0.1, 100))
def test_lemma_23_for_every_admissible_rate(seed, k, mixing, push, size):
    """Exact regret over all action sequences, against the inequality with the true mixing cost."""
    losses = size * np.random.default_rng(seed).uniform(-1, 1, size=(5, k))
    eta = push * mixing / (k * size)
    regret, worst = lemmas.exp3_game(losses, learning_rate=eta, mixing=mixing)
    assert worst <= 1 + 1e-9
    assert regret <= bounds.lemma_23_mixing(losses, learning_rate=eta, mixing=mixing) * (1 + 1e-9)
    if size <= 1:
        assert regret <= bounds.lemma_23(losses, learning_rate=eta, mixing=mixing) * (1 + 1e-9)


def test_exp3_game_is_the_mean_over_every_sequence_of_actions(rng):
    """All 64 sequences of six rounds one by one, in fractions of weights: Algorithm 3 as it is printed."""
    losses, exact = rng.random((6, 2)), 0.0
    for actions in product(range(2), repeat=6):
        chance, weights = 1.0, [1.0, 1.0]
        for i, row in zip(actions, losses, strict=True):
            p = 0.8 * weights[i] / sum(weights) + 0.2 / 2
            chance *= p
            weights[i] *= math.exp(-0.8 * row[i] / p)
        exact += chance * sum(row[i] for i, row in zip(actions, losses, strict=True))
    found, _ = lemmas.exp3_game(losses, learning_rate=0.8, mixing=0.2)
    assert found == pytest.approx(exact - losses.sum(axis=0).min(), rel=1e-12)


def test_probability_carried_forward_is_that_of_runs(rng):
    """Share of 2,000 runs that play action 2 in rounds 400 to 450, and the expectation on the grid."""
    setting = simulation.exp3(learning_rate=0.2, mixing=0.0002, n_actions=2).setting
    arms, seen = np.empty(450, dtype=np.int16), np.array([[0.5, 1.0]])
    shares = []
    for _ in range(2000):
        state = kernels.fresh_state(kernels.EXP3, 2)
        kernels.PLAY[kernels.EXP3](state, setting, seen, seen, 0, 0.0, arms, np.array([450]), rng)
        shares.append(arms[400:].mean())
    ends = [lemmas.expected_probability(0.2, 0.0002, t) for t in (400, 450)]
    interval = certify.mean_interval(shares, false_alarm=FALSE_ALARM)
    assert interval.low <= 1.05 * max(ends)
    assert interval.high >= 0.95 * min(ends)


def test_lemma_20_fails_with_probability_1_over_t_at_its_factor():
    """Which is 4 at most: the smallest for which the proof holds."""
    size, horizon = np.array([[1.0, 10.0, 1e6, 1e8], [2.0, 1e3, 1e9, 7.0]])
    factors = lemmas.lemma_20_factor(size=size, horizon=horizon)
    points = zip(size, horizon, factors, strict=True)
    chances = [bounds.lemma_20(size=n, horizon=t, factor=factor) for n, t, factor in points]
    np.testing.assert_allclose(chances, 1 / horizon, rtol=1e-6)
    assert (bounds.lemma_20(size=size, horizon=horizon, factor=4.0) <= 1 / horizon).all()


@pytest.mark.parametrize(("eta", "gamma"), [(0.1, 0.1), (1.5, 0.4)])
def test_the_two_arm_game_is_exp3s_and_exceeds_its_potential(eta, gamma):
    regret, least = lemmas.two_arm_game(eta, gamma, 9)
    exact, _ = lemmas.exp3_game(np.tile([0.5, 1.0], (9, 1)), learning_rate=eta, mixing=gamma)
    assert regret == pytest.approx(exact, rel=1e-12)
    assert least <= regret


def test_the_potential_by_hand():
    """One round: the log ratio is eta / (2 / 2) = 0.2 or -0.4, with probability 1/2 each."""
    regret, least = lemmas.two_arm_game(0.2, 0.0, 1)
    mean = (math.log1p(math.exp(0.2)) + math.log1p(math.exp(-0.4))) / 2
    assert regret == pytest.approx(0.25)
    assert least == pytest.approx((math.log(2) - mean) / 0.2)


def test_a_late_improvement_by_hand():
    assert lemmas.late_improvement(plays=10, window=400, delay=50, horizon=1000) == 75
    assert lemmas.late_improvement(plays=300, window=400, delay=50, horizon=1000) == 150
    assert lemmas.late_improvement(plays=0, window=400, delay=50, horizon=150) == 0


@pytest.mark.parametrize(("learner", "k", "epsilon"), [("htinf", 2, 0.5), ("exp3", 3, 0.02), ("ftpl", 4, 0.01)])
def test_an_adversary_that_reads_actions(learner, k, epsilon):
    least = (1 - 1 / k) * (1 - epsilon)
    read, fixed = (
        lemmas.reads_actions(learner, k, epsilon, 8_000, adversary, 3)
        for adversary in ("reads actions", "fixed in advance")
    )
    assert read >= least * (1 - 1e-12)
    assert fixed < least


@pytest.mark.parametrize("remainder", [0, 1, 2])
def test_rounds_after_the_last_whole_batch_count_on_both_sides(remainder):
    """All actions lose 1/2 in every round: no regret, and T / 2 over tau on either side."""
    tau = simulation.batch_size(0.3)
    table = np.full((20 * tau + remainder, 3), 0.5)
    plan = simulation.plan("htinf", n_actions=3, epsilon=0.3, horizon=len(table))
    bare = simulation.Plan(plan.kind, plan.setting, tau, 0.0)
    both = lemmas.batching_losses("htinf", table, bare, 1, epsilon=0.3, fed="batch means")
    assert both == pytest.approx((len(table) / 2 / tau,) * 2)
