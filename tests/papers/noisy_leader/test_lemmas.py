"""Exact laws and the functions of the lemmas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from replicate import mechanisms
from replicate.learners import dyadic
from replicate.papers.noisy_leader import bounds, lemmas, proofs


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_two_action_law_is_the_enumeration(noise):
    means, n = np.array([0.3, 0.6]), 6
    law = lemmas.selection_law(means, rounds=n, noise=noise, scale=1.5)
    total = np.zeros(2)
    for a in range(n + 1):
        for b in range(n + 1):
            weight = special.binom(n, a) * 0.3**a * 0.7 ** (n - a) * special.binom(n, b) * 0.6**b * 0.4 ** (n - b)
            total += weight * mechanisms.report_noisy_max_pmf([-a, -b], noise=noise, scale=1.5)
    np.testing.assert_allclose(law, total, rtol=1e-12)
    three = lemmas.selection_law([0.3, 0.6, 0.6], rounds=3, noise=noise, scale=1.5)
    assert three.sum() == pytest.approx(1)
    assert three[1] == pytest.approx(three[2])
    with pytest.raises(ValueError, match="rounds"):
        lemmas.selection_law([0.1] * 6, rounds=100, noise=noise, scale=1.0)


@pytest.mark.parametrize(("rounds", "likely"), [(3, (2, 1, 3)), (58, (57, 26, 49))])
def test_the_law_of_a_selection_is_the_average_over_all_sums_however_many_they_are(rounds, likely):
    """Gumbel noise is a softmax: 59**3 sums are more than are taken at once, and the last ones are likely."""
    means = np.array(likely) / rounds
    sums = np.arange(rounds + 1)
    chance = [stats.binom.pmf(sums, rounds, p) for p in means]
    weight = np.einsum("a,b,c->abc", *chance)
    odds = np.exp(-sums / 4.0)
    every = odds[:, None, None] + odds[:, None] + odds
    law = lemmas.selection_law(means, rounds=rounds, noise="gumbel", scale=4.0)
    averages = [(weight * np.moveaxis(odds[:, None, None] / every, 0, i)).sum() for i in range(3)]
    assert law == pytest.approx(averages, rel=1e-10)
    assert law.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_the_expected_best_has_the_law_of_the_selection_as_its_slope(noise):
    scores, step = np.array([0.3, 1.2, -0.7, 6.0]), 1e-5
    ends = [lemmas.expected_best(scores + sign * step * np.eye(4), noise=noise) for sign in (1, -1)]
    law = mechanisms.report_noisy_max_pmf(-scores, noise=noise, scale=1.0)
    assert (ends[1] - ends[0]) / (2 * step) == pytest.approx(law, abs=1e-9)
    drawn = lemmas.expected_best(np.zeros(5), noise=noise) - lemmas.expected_best(np.zeros(1), noise=noise)
    assert drawn == pytest.approx(bounds.expected_maximum(5, noise=noise))


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_a_walk_of_bernoulli_differences_is_the_selection_law(noise):
    steps = dyadic.difference_law(0.3, 0.6)
    wrong = lemmas.wrong_of_two(steps, most_rounds=9, noise=noise, scale=1.5)
    for n in (1, 4, 9):
        assert wrong[n - 1] == pytest.approx(lemmas.selection_law([0.3, 0.6], rounds=n, noise=noise, scale=1.5)[1])
    assert (np.diff(wrong) <= 0).all()


def test_ties_decide_whether_more_data_can_hurt():
    """Steps with r**2 >= p q have a log-concave law, steps of -1 and 1 have not."""
    wrong = lemmas.wrong_of_two([0.4, 0.0, 0.6], most_rounds=3, noise="threshold", scale=2)
    np.testing.assert_allclose(wrong, [0.5, 0.4, 0.424])
    p, q = 0.3, 0.25
    wrong = lemmas.wrong_of_two([q, 1 - p - q, p], most_rounds=60, noise="threshold", scale=4)
    assert (1 - p - q) ** 2 > p * q
    assert (np.diff(wrong) <= 1e-15).all()


def test_the_proof_of_equation_9_is_refuted_where_losses_are_resampled():
    pytest.importorskip("flint")
    proof = proofs.equation_9(resample=True)
    assert [step.name for step in proof.refuted] == ["B = 1: (9) ≥ a chance that does not depend on ε"]


def test_the_counterexample_to_appendix_d_is_that_of_the_exact_law():
    pytest.importorskip("flint")
    law = lemmas.selection_law([0.35, 0.65], rounds=256, noise="gumbel", scale=20.0)
    display = np.exp(-256 * 0.3 * 0.1 / 2) + np.exp(-256 * 0.3**2 / 4)
    margin = proofs.gumbel_tail(rounds=256, gap="3/10", epsilon="1/10").margin
    assert margin == pytest.approx(law[1] / display - 1, rel=1e-6)
