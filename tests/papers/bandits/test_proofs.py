"""The paper's proofs, and their statements at random points."""

import numpy as np
import pytest

from replicate.papers.bandits import bounds, lemmas, proofs
from tests.proofs import common
from tests.proofs.common import Case

TABLE = [
    Case("lemma_18", {"noise": "Gaussian"}),
    Case("lemma_19", {"lowest": -0.001}),
    Case("lemma_20", {"factor": 3.95}, {"factor": 4}),
    Case("lemma_26", {"eta_times_loss": 1.8}, {"eta_times_loss": 1.79}),
    Case("second_moment", {"coefficient": 1.99}),
    Case("mixing_range", {"margin": 1.01}, {"margin": 0.99}),
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
    assert proofs.lemma_20().holds
    assert proofs.lemma_26().holds


def test_lemma_20_with_factor_4_at_random_sizes():
    rng = np.random.default_rng(3)
    size, horizon = (10 ** rng.uniform(0, 8, (2, 500))).round()
    assert (
        bounds.lemma_20(size=size, horizon=np.maximum(horizon, 2), factor=4.0) <= 1 / np.maximum(horizon, 2)
    ).all()


def test_lemma_26_at_random_games():
    rng = np.random.default_rng(4)
    for _ in range(200):
        n, rounds = int(rng.integers(2, 30)), int(rng.integers(1, 40))
        eta, reach = float(10 ** rng.uniform(-2, 1)), float(rng.uniform(0, 1.79))
        losses = np.maximum(rng.normal(scale=5 / eta, size=(rounds, n)), -reach / eta)
        regret, limit = lemmas.weights_game(losses, eta)
        assert regret <= limit * (1 + 1e-9)
