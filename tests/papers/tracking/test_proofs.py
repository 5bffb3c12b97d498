"""The paper's proofs, and their statements at random points."""

import math

import numpy as np
import pytest
from scipy import integrate

from replicate import mechanisms
from replicate.papers.tracking import lemmas, proofs
from replicate.papers.tracking.algorithms import switching
from tests.proofs import common
from tests.proofs.common import Case

TABLE = [
    Case("lemma_2_2", {"noise_epsilon": 1.02}),
    Case("lemma_2_3", {"noise_epsilon": 1.02}),
    Case("lemma_2_4", {"constant": 3.95}, {"constant": 4}),
    Case("lemma_3_2", {"under_root": 1.99}),
    Case("log_moments", {"limit": 1.17}, {"limit": 1.3336}),
    Case("theorem_3_1", {"root": 8.4}),
    Case("theorem_4_1", {"exponent": 1.99}),
    Case("lemma_b3", {"factor": 3.95}, {"factor": 4}),
]

pytest.importorskip("flint")


@common.cases(TABLE)
def test_the_proof_holds(case):
    common.holds(proofs, case)


@common.cases(TABLE)
def test_the_control_resists(case):
    common.resists(proofs, case)


@common.cases(TABLE)
def test_the_leaves_stand_at_another_precision(case):
    common.leaves_stand(proofs, case)


def test_no_proof_is_left_out():
    assert common.uncovered(proofs, TABLE) == []


def test_the_papers_own_constants_are_proved():
    assert proofs.lemma_2_4().holds
    assert proofs.lemma_b3().holds


def test_lemma_2_4_with_4_for_8_at_random_sizes():
    rng = np.random.default_rng(1)
    for _ in range(40):
        n, beta, level = int(10 ** rng.uniform(0, 9)), float(10 ** rng.uniform(-9, 0)), float(rng.uniform(0.1, 5))
        alpha = 4 * (math.log(n) + math.log(2 / beta)) / level
        assert mechanisms.above_threshold_failure(n, accuracy=alpha, epsilon=level) <= beta


def test_the_tail_of_lemma_2_4_by_quadrature():
    """P(nu - rho >= alpha) = (16 e^(-alpha/4) - 4 e^(-alpha/2)) / 24, nu Laplace(4), rho Laplace(2)."""

    def tail(x):
        return np.exp(-x / 4) / 2 if x > 0 else 1 - np.exp(x / 4) / 2

    for alpha in (0.5, 3.0, 20.0):
        found = integrate.quad(
            lambda r, a=alpha: tail(a + r) * np.exp(-abs(r) / 2) / 4, -90, 90, points=[-alpha, 0]
        )
        assert found[0] == pytest.approx((16 * np.exp(-alpha / 4) - 4 * np.exp(-alpha / 2)) / 24)


def test_the_union_of_lemma_3_2_at_random_sizes():
    rng = np.random.default_rng(2)
    for _ in range(100):
        n, horizon, beta = int(rng.integers(1, 1000)), int(rng.integers(2, 2000)), float(rng.random())
        w = np.arange(1, horizon)
        distance = 2 * w * math.log(n * horizon / beta)
        chance = n * float(((horizon - w) * 2 * np.exp(-2 * distance / (w + 1))).sum())
        assert chance <= beta


def test_lemma_3_2_is_hoeffdings_inequality():
    """A window of fair coins, exactly: the tail beyond d is at most 2 exp(-2 d^2 / n)."""
    for n in (2, 5, 40):
        law = np.array([math.comb(n, k) for k in range(n + 1)]) / 2**n
        away = np.abs(np.arange(n + 1) - n / 2)
        for d in np.linspace(0.1, n / 2, 30):
            assert law[away >= d].sum() <= 2 * np.exp(-2 * d**2 / n)


def test_the_count_at_random_sizes():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n, horizon, switches = (int(v) for v in 10 ** rng.uniform([0, 0, 0], [4, 4, 1.3]))
        count = switching.count_sequences(horizon, max(n, 2), switches)
        assert count <= max(n, 2) * (max(n, 2) * horizon) ** switches <= (max(n, 2) * horizon) ** (2 * switches)


def test_lemma_b3_with_factor_4_at_random_sizes():
    rng = np.random.default_rng(4)
    for _ in range(200):
        n, horizon = int(10 ** rng.uniform(0, 6)), int(10 ** rng.uniform(0.4, 9))
        assert lemmas.laplace_norm_failure(n_actions=n, horizon=horizon, factor=4.0) <= 1 / horizon
