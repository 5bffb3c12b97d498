"""Orderings and limits of the bounds, and exact regrets between them."""

import numpy as np
import pytest

from replicate.papers.prefix_softmax import algorithms, bounds


@pytest.mark.parametrize("n_actions", [*range(2, 12), 1000, 10**6])
@pytest.mark.parametrize("gap", [1.0, 0.5, 0.01])
def test_the_sharper_theorem_has_constants_26_and_76(n_actions, gap):
    """Without the cap 26, with it 76 (split 7/4 above epsilon = 1/4); K = 3 comes within 2% of both."""
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


@pytest.mark.parametrize("n_actions", [2, 3, 16, 4096])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.25, 1.0, 50.0])
def test_exact_regrets_lie_between_the_bounds(n_actions, epsilon):
    """Deterministic losses, equal gaps and linear ones; privacy costs something at a gap of 1, epsilon below 1."""
    eta = algorithms.learning_rate(epsilon)
    for gap in (1e-3, 0.1, 1.0):
        for gaps in (np.full(n_actions - 1, gap), np.linspace(gap, 1, n_actions - 1)):
            means = np.append(gaps, 0.0)
            regret = algorithms.exact_regret(means, epsilon=epsilon, horizon=2**59).final[0]
            assert regret <= bounds.sharper_theorem_1(n_actions=n_actions, gap=gap, eta=eta)
            assert regret <= bounds.theorem_1(n_actions=n_actions, gap=gap, epsilon=epsilon)
            if gap == 1 and epsilon < 1:
                assert regret >= bounds.lower_bound_privacy(n_actions=n_actions, epsilon=epsilon)


def test_the_lower_bound_without_privacy_is_refused_where_means_would_be_negative():
    """A mean of 1/2 less the gap."""
    assert bounds.lower_bound(n_actions=2, gap=0.5) > 0
    with pytest.raises(ValueError, match="gap must"):
        bounds.lower_bound(n_actions=2, gap=0.51)
