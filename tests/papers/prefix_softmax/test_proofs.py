"""The paper's proofs, and their statements at random points."""

import numpy as np
import pytest

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
