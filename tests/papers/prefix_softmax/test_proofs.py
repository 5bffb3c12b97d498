"""The paper's proofs, and their statements at random points."""

import numpy as np
import pytest
from scipy import stats

from replicate.environments import Joint
from replicate.papers.prefix_softmax import lemmas, proofs
from tests.proofs import common
from tests.proofs.common import Case

TABLE = [
    Case("lemma_1", {"divisor": 7.8}),
    Case("lemma_2", {"largest_x": 1.6}),
    Case("lemma_3", {"noise_divisor": 1.02}),
    Case("proposition_1", {"readers": 2}),
    Case("lemma_4", {"factor": 3.9}),
    Case("equation_4", {"divisor": 4.5}, {"divisor": 4.58}),
    Case("drift", {"constant": 0.88}, {"constant": 0.87}),
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


@pytest.mark.parametrize("name", ["equation_4", "drift"])
def test_the_papers_own_constants_are_proved(name):
    assert getattr(proofs, name)().holds


def sum_law(values, law, rounds):
    """Law of a sum of independent variables on a lattice of step 1/4: points and probabilities."""
    grid = np.zeros(9)
    grid[np.round(4 * (np.array(values) + 1)).astype(int)] = law
    total = np.ones(1)
    for _ in range(rounds):
        total = np.convolve(total, grid)
    return np.arange(len(total)) / 4 - rounds, total


def test_lemma_1_at_random_laws():
    rng = np.random.default_rng(1)
    values = np.arange(-4, 5) / 4
    for _ in range(300):
        law, rounds = rng.dirichlet(np.full(9, 0.3)), int(rng.integers(1, 30))
        mean = float(law @ values)
        if mean > 0:
            points, chances = sum_law(values, law, rounds)
            tail = chances[points <= rounds * mean / 2 + 1e-12].sum()
            assert tail <= np.exp(-rounds * mean**2 / 8) * (1 + 1e-9)


def test_lemma_2_at_random_points():
    rng = np.random.default_rng(2)
    x, u = rng.random(10_000), rng.random(10_000)
    assert (1 - np.exp(-x) >= x / 2).all()
    assert (np.log1p(-u) <= -u).all()
    n = rng.integers(0, 50, 10_000)
    tails = np.exp(-(n + 1) * x) / -np.expm1(-x)
    assert (tails <= 2 * np.exp(-n * x) / x * (1 + 1e-12)).all()
    k = rng.integers(2, 10**9, 10_000)
    assert (np.log(k + 1) <= 2 * np.log(k)).all()


def test_lemma_4_for_any_errors():
    """Round by round, with any F: a round of block r is played by the choice of a prefix of block r - 1."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        horizon, f = int(rng.integers(1, 300)), rng.random(301) ** rng.integers(1, 20)
        regret = 1.0
        for t in range(2, horizon + 1):
            block = 2 ** (int(np.log2(t)) - 1)
            prefixes = np.arange(1, 2) if block == 1 else np.arange(block // 2 + 1, block + 1)
            regret += f[prefixes].mean()
        assert regret <= 1 + 4 * f[1:].sum() + 1e-9


def random_joint(rng, n_actions):
    outcomes = (rng.random((6, n_actions)) < 0.5).astype(float)
    return Joint(outcomes, rng.dirichlet(np.full(6, 0.5)))


def test_equation_4_with_better_constants_at_random_laws():
    rng, tried = np.random.default_rng(4), 0
    while tried < 100:
        env = random_joint(rng, 2)
        gap = float(env.means[1] - env.means[0])
        if gap <= 0.02 or not np.isclose(env.probabilities.sum(), 1):
            continue
        tried += 1
        eta = gap / 4 * float(rng.uniform(1, 4))
        exact = lemmas.error_probabilities(env, eta=eta, longest=60)
        assert (exact <= np.exp(-np.arange(1, 61) * gap**2 * 7 / 32) * (1 + 1e-9)).all()


def test_the_drift_is_at_least_seven_eighths_at_random_laws():
    rng, tried = np.random.default_rng(5), 0
    while tried < 200:
        env, eta = random_joint(rng, 3), float(rng.uniform(0.001, 0.125))
        if (env.means[1:] - env.means[0]).min() <= 4 * eta:
            continue
        tried += 1
        weights = rng.dirichlet([0.2, 0.2, 0.2], size=50)
        weights = weights[weights[:, 0] < 0.999]
        assert (lemmas.potential_drift(env, weights, eta=eta) <= -0.875 + 1e-9).all()


def test_the_tail_of_signs_is_the_binomials():
    points, chances = sum_law([-1, 1], [0.35, 0.65], 7)
    ups = ((points + 7) / 2)[chances > 0]
    assert chances[chances > 0] == pytest.approx(stats.binom.pmf(ups, 7, 0.65))
