"""The paper's proofs, and their statements at random points."""

import numpy as np
import pytest

from replicate.papers.distribution_learning import instances, lemmas, proofs
from tests.proofs import common
from tests.proofs.common import Case

CLASSES = instances.clipped()
TABLE = [
    Case("lemma_1", {"rate_factor": 0.53}, {"rate_factor": 0.54}),
    Case("lemma_4", {"rate_factor": 0.53}, {"rate_factor": 0.54}),
    Case("second_order", {"losses": "negative"}),
    Case("step_c", {"epsilon": 1.76}, {"epsilon": 1.78}),
    Case(
        "n_cells",
        {"hypotheses": CLASSES["Dirichlet(0.3), K=4, M=8"]},
        {"hypotheses": CLASSES["three labels"]},
    ),
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
    assert proofs.lemma_1().holds
    assert proofs.step_c().holds


def test_lemma_1_with_five_eighths_at_random_tables():
    rng = np.random.default_rng(1)
    for _ in range(300):
        horizon, k = int(rng.integers(1, 200)), int(rng.integers(2, 30))
        losses = rng.random((horizon, k)) ** rng.integers(0, 5)
        losses[:, 0] *= rng.random()
        regret = lemmas.wma_regret(losses, np.sqrt(2 * np.log(k) / horizon))
        assert regret <= 5 / 8 * np.sqrt(2 * horizon * np.log(k)) + 1e-9


def test_the_second_order_inequality_at_random_tables():
    rng = np.random.default_rng(2)
    for _ in range(300):
        losses = rng.exponential(size=(int(rng.integers(1, 50)), int(rng.integers(2, 10))))
        assert lemmas.second_order_slack(losses, float(10 ** rng.uniform(-2, 2))) <= 1 + 1e-9


def test_no_column_exceeds_the_right_factor():
    rng = np.random.default_rng(3)
    for _ in range(500):
        epsilon = float(rng.uniform(0.01, 6))
        columns = np.exp(epsilon * rng.random((20, int(rng.integers(2, 60)))) ** rng.integers(0, 9))
        assert lemmas.spread_ratio(columns) <= 2 * np.tanh(epsilon / 2) ** 2 + 1e-9
