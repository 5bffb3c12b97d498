"""Orderings and limits of the bounds, and exact regrets between them."""

from math import inf, log

import numpy as np
import pytest

from replicate.learners.entries import Setting
from replicate.papers.prefix_softmax import algorithms, bounds, learners, theorems


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


@pytest.mark.parametrize("epsilon", [0.02, 0.2499, 0.25, 0.2501, 1.0, 30.0])
def test_what_is_promised_is_the_theorem_at_the_learning_rate_of_the_learner_that_ships(epsilon):
    """Below the cap on the learning rate, at it and above; two of the statements name epsilon alone."""
    sizes = {"n_actions": 7, "gap": 0.2, "epsilon": epsilon}
    eta = algorithms.PrefixSoftmax(7, epsilon=epsilon, rng=np.random.default_rng(1)).privacy.epsilon / 2
    stated = {
        "PS-T1": 1 + 800 * log(7) / 0.2 + 16 * log(7) / eta,
        "PS-T1b": 1000 * (log(7) / 0.2 + log(7) / epsilon),
        "PS-S1": 1 + 16 * (log(6) + 1) / 0.2 + 8 * log(7) / eta,
        "PS-W": (32 + 1 / log(2)) * (log(7) / 0.2 + log(7) / epsilon),
    }
    found = {promise.claim: promise.bound(promise.own(sizes)) for promise in theorems.PROMISES}
    assert found == pytest.approx(stated)
    (entry,) = learners.LEARNERS
    setting = Setting(n_actions=7, horizon=1000, epsilon=epsilon)
    assert entry.bound(setting, 0.2) == pytest.approx(stated["PS-T1"])


SIZES = {"n_actions": 2, "gap": 1.0, "epsilon": 0.5}


@pytest.mark.parametrize(
    ("function", "edge", "outside"),
    [
        *((function, SIZES, wrong)
          for function in (bounds.rate, bounds.theorem_1, bounds.theorem_1_rate, bounds.lemma_5)
          for wrong in ({"gap": 1 + 1e-9}, {"gap": 0.0}, {"n_actions": 1}, {"epsilon": 0.0})),
        # the coins of its instance have means 1/2 and 1/2 - gap
        (bounds.lower_bound, {"n_actions": 2, "gap": 0.5}, {"gap": 0.5 + 1e-9}),
        (bounds.lower_bound_privacy, {"n_actions": 2, "epsilon": 1e-6}, {"epsilon": 0.0}),
        (bounds.sharper_theorem_1, {"n_actions": 2, "gap": 1.0, "eta": 50.0, "split": 1.0}, {"split": 1 - 1e-9}),
        (bounds.sharper_theorem_1, {"n_actions": 2, "gap": 1.0, "eta": 50.0, "split": 1.0}, {"eta": 0.0}),
    ],
)  # fmt: skip
def test_a_statement_holds_at_the_edge_of_its_range_and_is_refused_beyond(function, edge, outside):
    assert 0 < function(**edge) < inf
    with pytest.raises(ValueError, match=f"{next(iter(outside))} must be"):
        function(**edge | outside)
