"""The paper's proofs, and their statements at random points."""

import numpy as np
import pytest
from scipy import integrate, stats

from replicate import mechanisms
from replicate.papers.noisy_leader import lemmas, proofs
from tests.proofs import common
from tests.proofs.common import Case

TABLE = [
    Case("lemma_2", {"factor": 0.99}),
    Case("lemma_3", {"constant": 1.35}, {"constant": 1.387}),
    Case("lemma_4", {"order": "decreasing"}),
    Case("equation_9", {"laplace_share": 0.51}),
    Case("gumbel_tail", {"divisor": 4}),
    Case("privacy", {"divisor": 1.02}),
    Case("optimal_rate", {"excess": 0.53}),
    Case("laplace_density", {"form": "printed"}),
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


def test_the_papers_own_constant_is_proved():
    assert proofs.lemma_3().holds


def test_equation_9_does_not_survive_resampling():
    proof = proofs.equation_9(resample=True)
    assert [step.name for step in proof.refuted] == ["B = 1: (9) ≥ a chance that does not depend on ε"]


def vectors(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        yield np.append(0, rng.exponential(10.0 ** rng.uniform(-3, 1), size=rng.integers(1, 40)))


def test_lemma_2_by_differences_also_for_negative_entries():
    rng = np.random.default_rng(1)
    for a in vectors(1):
        shifted = a + rng.normal()
        x = rng.uniform(-6, 4, 50)
        slope = np.imag(lemmas.smooth_sum(x + 1e-30j, shifted)) / 1e-30
        value = np.real(lemmas.smooth_sum(x + 0j, shifted))
        assert (slope <= np.log(2) * value + 1e-9 * np.abs(value)).all()


def test_lemma_3_with_the_better_constant_at_random_vectors():
    for a in vectors(2):
        integral = np.log(np.exp(-a).sum()) / np.log(2)
        assert lemmas.lemma_sum(a) <= 2 * np.log(2) * integral * (1 + 1e-9)


def test_lemma_4_at_random_sizes():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n, (low, high) = int(rng.integers(1, 500)), np.sort(rng.random(2))
        k = rng.integers(0, n + 1)
        assert stats.binom.cdf(k, n, low) >= stats.binom.cdf(k, n, high) - 1e-12


def test_equation_9_at_random_gaps():
    rng = np.random.default_rng(4)
    constants = {"gumbel": (1, 4), "exponential": (0.5, 4), "laplace": (0.5, 8)}
    for _ in range(100):
        epoch, level = int(rng.integers(1, 9)), float(10 ** rng.uniform(-2, 1))
        delta = np.append(0, rng.random(int(rng.integers(1, 9))))
        for noise, (c1, c2) in constants.items():
            law = mechanisms.report_noisy_max_pmf(-(2 ** (epoch - 1)) * delta, noise=noise, scale=2 / level)
            assert (law[1:] <= c1 * np.exp(-(2**epoch) * delta[1:] * level / c2) * (1 + 1e-9) + 1e-300).all()


def test_tails_of_differences_by_quadrature():
    """The densities e^-|x| / 2 and (1 + |x|) e^-|x| / 4 of the proof are convolutions."""
    for x in (0.1, 1.0, 3.0):
        exponentials = integrate.quad(lambda q, x=x: np.exp(-q) * np.exp(-(q + x)), 0, np.inf)[0]
        laplaces = integrate.quad(
            lambda q, x=x: np.exp(-abs(q)) * np.exp(-abs(q + x)) / 4, -40, 40, points=[-x, 0]
        )[0]
        assert exponentials == pytest.approx(np.exp(-x) / 2)
        assert laplaces == pytest.approx((1 + x) * np.exp(-x) / 4)


def test_the_counterexample_is_that_of_the_exact_law():
    law = lemmas.selection_law([0.35, 0.65], rounds=256, noise="gumbel", scale=20.0)
    display = np.exp(-256 * 0.3 * 0.1 / 2) + np.exp(-256 * 0.3**2 / 4)
    margin = proofs.gumbel_tail(rounds=256, gap="3/10", epsilon="1/10").margin
    assert margin == pytest.approx(law[1] / display - 1, rel=1e-6)
