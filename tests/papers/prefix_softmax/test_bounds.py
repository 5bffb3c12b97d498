import numpy as np
import pytest

from replicate.papers.prefix_softmax import bounds


def test_bounds_by_hand():
    log_k = np.log(16)
    setting = {"n_actions": 16, "gap": 0.1, "epsilon": 0.05}
    assert bounds.theorem_1(**setting) == pytest.approx(1 + 8000 * log_k + 16 * log_k / 0.025)
    assert bounds.theorem_1_rate(**setting) == pytest.approx(1000 * log_k * 30)
    assert bounds.lemma_5(**setting) == pytest.approx(2000 * log_k + 160 * log_k)
    assert bounds.theorem_1(n_actions=16, gap=0.1, epsilon=7) == pytest.approx(1 + 8000 * log_k + 128 * log_k)
    assert bounds.theorem_1(**setting) == pytest.approx(float(bounds.lemma_4(bounds.lemma_5(**setting))))
    assert bounds.lemma_1(8, 0.5) == pytest.approx(np.exp(-0.25))
    assert bounds.equation_4(8, 0.5) == pytest.approx(2 * np.exp(-0.25))


def test_the_remainder_sums_the_tails_of_the_proof():
    """The bounds of the proof of (4), summed over m > n by brute force, are below it and within a factor 4."""
    k, gap, epsilon, n = 5, 0.2, 0.3, 300
    eta, m = 0.125, np.arange(n + 1, 100_000)
    tails = 4 * (k - 1) * gap * (np.exp(-m * gap**2 / 8) + np.exp(-m * eta * gap / 2)).sum()
    remainder = bounds.remainder(n_actions=k, gap=gap, epsilon=epsilon, rounds=n)
    assert tails <= remainder <= 4 * tails
    by_hand = (k - 1) * (64 / gap * np.exp(-n * gap**2 / 8) + 16 / eta * np.exp(-n * eta * gap / 2))
    assert remainder == pytest.approx(by_hand)


def test_privacy_by_hand():
    assert bounds.proposition_1(epsilon=0.2) == 0.2
    assert bounds.proposition_1(epsilon=2) == 0.25
