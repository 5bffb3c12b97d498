"""Losses on which learners are compared: their sums by hand, for four actions and 240 rounds."""

import numpy as np
import pytest

from replicate.advice import Question
from replicate.advice.instances import GAPS, hidden_gap, instances

K, T = 4, 240
FIXED = {
    "losses 0 and 1": [0, T, T, T],
    "late leader": [15, T - 15, T, T],
    "switching": [80 + 32, 16 + 160, 16 + 160, 16 + 160],
    "alternating": [T / 2] * K,
    "doubling trap": [1 + 4 + 16 + 64, 2 + 8 + 32 + 113, T, T],
    "turning leaders": [T / 2, T / 2, T, T],
}


def of_kind(losses, **changes):
    asked = Question(feedback="full", losses=losses, n_actions=K, rounds=T, epsilon=1.0, **changes)
    return {instance.name: instance for instance in instances(asked)}


def drawn(instance, rng, stops=T):
    """Sums of the losses, smallest first: columns stand in random order."""
    return np.sort(instance.draw(rng).mean_sums(0, stops))


def test_tables_fixed_in_advance(rng):
    found = of_kind("fixed")
    assert set(found) == {*FIXED, "coins", "coins that turn"}
    for name, sums in FIXED.items():
        np.testing.assert_allclose(drawn(found[name], rng), sorted(sums), atol=8 if "turning" in name else 1e-9)
    gap = 3 * hidden_gap(Question(feedback="full", losses="fixed", n_actions=K, rounds=T, epsilon=1.0))
    coins = drawn(found["coins"], rng) / T
    assert coins[1:] - coins[0] == pytest.approx(gap)
    turning = drawn(found["coins that turn"], rng) / T
    assert turning[1] - turning[0] == pytest.approx(gap / 4)


def test_gaps_of_iid_losses_are_those_that_are_stated(rng):
    found = of_kind("iid")
    assert {f"gap {gap:g}": gap for gap in GAPS}.items() <= {n: i.gap for n, i in found.items()}.items()
    for instance in found.values():
        means = drawn(instance, rng, 1)
        assert means[1] - means[0] == pytest.approx(instance.gap)
    assert drawn(found["means from 1/4 to 3/4"], rng, 1) == pytest.approx([0.375, 0.5, 0.625, 0.75])


def phases(instance, rng):
    """Expected losses of a round in each phase, shape (4, K)."""
    env = instance.draw(rng)
    return env.mean_sums(env.starts, env.starts + 2) / 2


def test_a_good_action_for_every_phase(rng):
    """Better by the gap that is named; in a hidden change the action that was good stays as it is."""
    for name, instance in of_kind("shifting", n_switches=3).items():
        means = phases(instance, rng)
        best = means.argmin(axis=1)
        assert np.sort(means, axis=1)[:, 1] - means.min(axis=1) == pytest.approx(float(name.rpartition(" ")[2]))
        assert (np.diff(best) != 0).all()
        stays = [bool(np.isclose(means[r + 1, best[r]], means[r, best[r]])) for r in range(3)]
        assert stays == ([True, False, True] if "hidden" in name else [False] * 3)


def test_tables_whose_best_action_changes(rng):
    found = of_kind("switching", n_switches=3)
    plain, alternating = (phases(found[name], rng) for name in ("losses 0 and 1", "alternating"))
    assert np.sort(plain, axis=1).tolist() == [[0, 1, 1, 1]] * 4
    assert np.sort(alternating, axis=1).tolist() == [[0.25, 0.5, 0.5, 0.5]] * 4
