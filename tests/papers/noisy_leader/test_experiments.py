"""Instances against what they are called; exact regrets against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replicate import budget, certify, environments, mechanisms
from replicate.papers.noisy_leader import algorithms, experiments, instances
from replicate.streams import stream

# Instances


def test_the_first_two_dependent_actions_share_their_good_rounds():
    """Losses of 0 and 1. Chances 0.5, 0.45 and 0.05: the first two lose 0.45 + 0.05, the third 0.5 + 0.05."""
    outcomes, chances = instances.DEPENDENT_OUTCOMES, instances.DEPENDENT_CHANCES
    assert set(outcomes.ravel()) == {0.0, 1.0}
    assert (outcomes[:, 0] == outcomes[:, 1]).all()
    assert chances @ outcomes == pytest.approx([0.5, 0.5, 0.55])
    assert chances.sum() == pytest.approx(1)


# Choices


def test_the_worst_case_is_chosen_by_one_half_of_the_draws_and_measured_on_the_other():
    """Two epochs: the first case is the worst by the first two games, though not by all of them."""
    costs = {1.0: np.array([[9.0, 1.0], [8.0, 0.0], [1.0, 1.0], [0.0, 2.0]])}
    costs |= {2.0: np.array([[1.0, 7.0], [0.0, 9.0], [9.0, 9.0], [9.0, 9.0]])}
    worst, rest = experiments.worst_on_other_draws(costs)
    assert (worst, rest.tolist()) == (1.0, [[1.0, 1.0], [0.0, 2.0]])


def test_the_worst_family_is_that_of_the_largest_mean_at_each_number_of_actions():
    families = {
        ("a", 0.5): [[1.0, 9.0], [1.0, 9.0]],
        ("b", 0.1): [[0.0, 9.0], [3.0, 8.0]],
        ("c", 0.1): [[1, 1]] * 2,
    }
    samples = {family: np.array(values, dtype=float) for family, values in families.items()}
    assert experiments.worst_families(np.array([4, 16]), samples) == {4: ("b", 0.1), 16: ("a", 0.5)}


def test_what_a_choice_favours_is_no_part_of_its_measurement(rng):
    """A hundred cases alike, of mean 0: the chosen half of the worst is far above, the other half is not."""
    cases = [dict(enumerate(rng.normal(size=(100, 20, 1)))) for _ in range(50)]
    found = [experiments.worst_on_other_draws(costs) for costs in cases]
    chosen = [costs[worst][:10].mean() for costs, (worst, _) in zip(cases, found, strict=True)]
    assert 0 in certify.mean_interval([rest.mean() for _, rest in found], false_alarm=1e-9)
    assert certify.mean_lower(chosen, false_alarm=1e-9) > 0


# Exact regrets


def test_regrets_on_the_lower_bound_s_instances_are_those_of_the_learner_that_is_named():
    """One action loses nothing, the others 1; who knows it, nothing; printed noise has the scale 1 / epsilon."""
    words = {"n_actions": 3, "epsilon": 0.5, "horizon": 100}
    assert experiments.lower_bound_regret("clairvoyant", **words) == 0
    printed = experiments.lower_bound_regret("exponential as printed", **words)
    corrected = experiments.lower_bound_regret("exponential", **(words | {"epsilon": 1.0}))
    exact = algorithms.exact_regret([0.0, 1, 1], epsilon=1.0, horizon=100, noise="exponential").final[0]
    assert printed == pytest.approx(corrected) == pytest.approx(float(exact))


@pytest.mark.parametrize("noise", mechanisms.NOISES)
def test_opposite_losses_cost_what_they_cost_when_they_are_drawn(noise):
    """K = 8, gap 0.1, epsilon = 0.1: 2,000 games on two loss vectors, 1 first and 0 elsewhere or the opposite."""
    data = experiments.opposite_losses()
    row = data[(data["noise"] == noise) & (data["n_actions"] == 8) & (data["epsilon"] == 0.1)].iloc[0]
    env = environments.Joint(np.array([[1.0] + [0.0] * 7, [0.0] + [1.0] * 7]), np.array([0.45, 0.55]))
    played = algorithms.simulate(
        env, epsilon=0.1, horizon=2**16, replicates=2000, noise=noise, rng=stream(3, "opposite", noise)
    )
    error = played.final.std() / math.sqrt(2000)
    assert row["regret"] == pytest.approx(played.final.mean(), abs=6 * error)
    assert error < row["regret"] / 100
    assert row["upper"] == row["lower"] == row["regret"]
    assert row["uniform"] == pytest.approx(2**16 * 0.1 * 7 / 8)


def test_opposite_losses_by_hand():
    """K = 2, gap 1/2, epsilon = 1, exponential noise of scale 2, rounds 2 and 3, which read one round.

    The best action leads by 1 with probability 3/4; a lead of 1 is lost with probability e^(-1/2)/2.
    """
    lost = math.exp(-1 / 2) / 2
    first, second = 1 / 4, 2 * (3 / 4 * lost + 1 / 4 * (1 - lost)) / 2
    row = experiments.opposite_losses(3).set_index(["noise", "n_actions"]).loc["exponential", 2]
    assert row["regret"] == pytest.approx(first + second)


# What limits spend together


@pytest.mark.parametrize(
    ("table", "stated"),
    [(experiments.resampling_cost, certify.CLAIM_FALSE_ALARM), (experiments.critical_gaps, certify.share(2))],
)
def test_limits_of_a_table_are_together_wrong_as_seldom_as_one_claim_may_be(table, stated):
    """Half as seldom where a claim rests on two tables."""
    _, book = budget.noted(table, "quick", 2026)
    assert budget.total(book) == pytest.approx(stated)
