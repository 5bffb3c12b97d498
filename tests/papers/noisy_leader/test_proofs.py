"""Statements of the paper's proofs, at random points."""

import numpy as np
import pytest

from replicate import mechanisms
from replicate.papers.noisy_leader import lemmas, proofs

pytest.importorskip("flint")


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


def test_equation_9_at_random_gaps():
    rng = np.random.default_rng(4)
    constants = {"gumbel": (1, 4), "exponential": (0.5, 4), "laplace": (0.5, 8)}
    for _ in range(100):
        epoch, level = int(rng.integers(1, 9)), float(10 ** rng.uniform(-2, 1))
        delta = np.append(0, rng.random(int(rng.integers(1, 9))))
        for noise, (c1, c2) in constants.items():
            law = mechanisms.report_noisy_max_pmf(-(2 ** (epoch - 1)) * delta, noise=noise, scale=2 / level)
            assert (law[1:] <= c1 * np.exp(-(2**epoch) * delta[1:] * level / c2) * (1 + 1e-9) + 1e-300).all()


def test_the_counterexample_is_that_of_the_exact_law():
    law = lemmas.selection_law([0.35, 0.65], rounds=256, noise="gumbel", scale=20.0)
    display = np.exp(-256 * 0.3 * 0.1 / 2) + np.exp(-256 * 0.3**2 / 4)
    margin = proofs.gumbel_tail(rounds=256, gap="3/10", epsilon="1/10").margin
    assert margin == pytest.approx(law[1] / display - 1, rel=1e-6)
