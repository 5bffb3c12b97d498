import math

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


def test_sharper_bounds_by_hand():
    """The numbers of the theorems at K = 3, written out once more."""
    setting = {"n_actions": 3, "gap": 0.2, "eta": 0.5}
    small, large = (math.log(2) + 1) / 0.2, math.log(3) / 0.5
    assert bounds.sharper_theorem_1(**setting) == pytest.approx(1 + 16 * small + 8 * large)
    assert bounds.sharper_lemma_5(**setting, split=4) == pytest.approx(64 / 7 * small + 8 / 7 * large)
    assert bounds.sharper_drift(4) == 7 / 8
    assert bounds.lower_bound(n_actions=3, gap=0.2) == pytest.approx(math.log(3) / 9)
    assert bounds.lower_bound_privacy(n_actions=3, epsilon=0.5) == pytest.approx(math.log(3) / 14)


@pytest.mark.parametrize("n_actions", [*range(2, 12), 1000, 10**6])
@pytest.mark.parametrize("gap", [1.0, 0.5, 0.01])
def test_the_sharper_theorem_has_constants_26_and_76(n_actions, gap):
    """Without the cap 26, with it 76 (split 7/4 above epsilon = 1/4); K = 3 comes within 2 % of both."""
    for epsilon in (0.01, 0.25, 0.3, 1.0, 1e3):
        rate = bounds.rate(n_actions=n_actions, gap=gap, epsilon=epsilon)
        free = bounds.sharper_theorem_1(n_actions=n_actions, gap=gap, eta=epsilon / 2)
        split = 1.0 if epsilon <= 1 / 4 else 7 / 4
        capped = bounds.sharper_theorem_1(n_actions=n_actions, gap=gap, eta=min(epsilon / 2, 1 / 8), split=split)
        assert free <= 26 * rate
        assert capped <= 76 * rate
        if (n_actions, gap, epsilon) == (3, 1.0, 1e3):
            assert free > 25.4 * rate
            assert capped > 75.5 * rate


@pytest.mark.parametrize("n_actions", [*range(2, 12), 1000])
def test_the_constants_of_the_lower_bounds(n_actions):
    """What the two proofs give is at least log K over 45 and over 28."""
    log_k = math.log(n_actions)
    statistics = log_k / (64 * math.log(2)) if n_actions >= 4 else 3 / 64
    privacy = math.log(n_actions / 4) / 8 if n_actions >= 7 else 1 / (4 * (1 + math.e))
    assert statistics >= log_k / 45
    assert privacy >= log_k / 28
