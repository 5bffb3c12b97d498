"""Losses on which learners are compared: their sums by hand, for four actions and 240 rounds."""

import math

import numpy as np
import pytest

from replicate.advice import Question
from replicate.advice.instances import GAPS, instances

K, T = 4, 240
FIXED = {
    "losses 0 and 1": [T, 0, T, T],
    "late leader": [15, T - 15, T, T],
    "switching": [16 + 160, 80 + 32, 16 + 160, 16 + 160],
    "alternating": [T / 2] * K,
    "doubling trap": [2 + 8 + 32 + 113, 1 + 4 + 16 + 64, T, T],
}


def of_kind(losses, **changes):
    asked = Question(feedback="full", losses=losses, n_actions=K, rounds=T, epsilon=1.0, **changes)
    return {instance.name: instance for instance in instances(asked)}


def test_tables_fixed_in_advance():
    found = of_kind("fixed")
    assert set(found) == {*FIXED, "coins"}
    for name, sums in FIXED.items():
        np.testing.assert_allclose(found[name].env.mean_sums(0, T), sums)
    coins = found["coins"].env.mean_sums(0, T) / T
    assert np.delete(coins, 1) - coins[1] == pytest.approx(math.sqrt(K / T))


def test_coins_are_as_unlike_as_can_be_in_short_games():
    asked = Question(feedback="bandit", losses="fixed", n_actions=9, rounds=9, epsilon=1.0)
    means = next(i for i in instances(asked) if i.name == "coins").env.mean_sums(0, 1)
    assert np.ptp(means) == 1


def test_gaps_of_iid_losses_are_those_that_are_stated():
    found = of_kind("iid")
    assert {f"gap {gap:g}": gap for gap in GAPS}.items() <= {n: i.gap for n, i in found.items()}.items()
    for instance in found.values():
        means = np.sort(instance.env.mean_sums(0, 1))
        assert means[1] - means[0] == pytest.approx(instance.gap)
    means = np.sort(found["means from 1/4 to 3/4"].env.mean_sums(0, 1))
    assert means == pytest.approx([0.375, 0.5, 0.625, 0.75])


def test_a_good_action_for_every_phase():
    """Four phases of 60 rounds: a best action of its own in each, better by the gap that is named."""
    for name, instance in of_kind("shifting", n_switches=3).items():
        means = instance.env.mean_sums(np.arange(0, T, 60), np.arange(60, T + 1, 60)) / 60
        best, others = means.min(axis=1), np.sort(means, axis=1)[:, 1]
        assert others - best == pytest.approx(float(name.rpartition(" ")[2])), name
        assert (np.diff(means.argmin(axis=1)) != 0).all()
    plain, uneven = (
        of_kind("switching", n_switches=3)[name].env for name in ("equal phases", "alternating phases")
    )
    for phase in range(4):
        good = np.arange(K) == phase
        sums = (env.mean_sums(60 * phase, 60 * phase + 60) for env in (plain, uneven))
        np.testing.assert_allclose(next(sums), np.where(good, 0, 60))
        np.testing.assert_allclose(next(sums), np.where(good, 15, 30))
