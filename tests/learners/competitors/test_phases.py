"""Bandits that read noisy sums of phases: literal against simulated, noise at its scale, privacy."""

import itertools
import math

import numpy as np
import pytest

from replicate.learners import registry
from replicate.learners.competitors import kl_ucb, phases
from tests.learners import draws

MEANS = np.array([0.5, 0.35, 0.6])
EPSILON = 0.7


def level(alpha, t, last):
    return alpha * math.log(t + 1) / np.array(last)


def kl_index(alpha, t, mean, last):
    return kl_ucb.kl_limits((mean - level(alpha, t, last) / EPSILON).clip(0, 1), last, alpha * math.log(t + 1))


def ucb_index(alpha, t, mean, last):
    return mean - level(alpha, t, last) / EPSILON - np.sqrt(level(alpha, t, last) / 2)


def growing_index(alpha, t, mean, plays):
    return kl_ucb.private_limits(mean.clip(0, 1), plays, math.log(t + 1), EPSILON)


def imed_index(alpha, t, mean, plays):
    return kl_ucb.private_evidence(mean.clip(0, 1), plays, EPSILON)


RULES = {
    "adap_ucb": (ucb_index, 3.1, 2),
    "adap_ucb_customary": (ucb_index, 1.0, 2),
    "adap_klucb": (kl_index, 3.1, 2),
    "adap_klucb_customary": (kl_index, 1.0, 2),
    "dp_klucb": (growing_index, None, 2),
    "dp_klucb_4": (growing_index, None, 4),
    "dp_imed": (imed_index, None, 2),
}
"""Index, level, and how many times as many plays an action has after a phase; AdaP-* forget earlier phases."""


@pytest.mark.parametrize("name", RULES)
def test_phases_without_noise_follow_the_printed_rule(name):
    """Every action once, in some order; then the smallest index. Losses of odd and even phases differ."""
    index, alpha, ratio = RULES[name]
    learner = registry.learner(name, n_actions=3, horizon=10**9, epsilon=EPSILON, rng=draws.Scripted())
    order, plays, known, sums = [], np.zeros(3), np.zeros(3), np.zeros(3)
    for phase in range(45):
        arm, length = learner.open()
        if phase < 3:
            assert length == 1
            order.append(arm)
        else:
            least = index(alpha, plays.sum(), sums / known, known)
            assert arm == min(order, key=lambda a: least[a])
            assert length == (ratio - 1) * plays[arm]
        total = length * (MEANS[arm] + 0.1 * (-1) ** phase)
        learner.close(total)
        plays[arm] += length
        if alpha is None:
            known[arm], sums[arm] = plays[arm], sums[arm] + total
        else:
            known[arm], sums[arm] = length, total
    assert sorted(order) == [0, 1, 2]
    assert plays.argmax() == 1


@pytest.mark.parametrize("means", list(itertools.permutations([0.3, 0.33, 0.6, 0.75])))
def test_epochs_without_noise_drop_whom_the_margin_separates(means):
    """Every action left is played alike; who is more than two margins above the best is not played again."""
    horizon, epsilon, left = 10**6, 0.05, [0, 1, 2, 3]
    learner = registry.learner("dp_se", n_actions=4, horizon=horizon, epsilon=epsilon, rng=draws.Scripted())
    known, seen = {"epsilon": epsilon, "failure": 1 / horizon}, []
    for epoch in itertools.count(1):
        if len(left) == 1:
            break
        length, played = phases.epoch_length(epoch, len(left), **known), []
        for _ in left:
            arm, rounds = learner.open()
            assert rounds == length
            learner.close(means[arm] * length)
            played.append(arm)
        assert sorted(played) == left
        limit = min(means[a] for a in left) + 2 * phases.margin(epoch, len(left), length, **known)
        left = [a for a in left if means[a] <= limit]
        seen.append(len(left))
    assert learner.open() == (means.index(0.3), 2**62)
    assert seen[0] < 4
    assert 2 in seen


@pytest.mark.parametrize(("epsilon", "gap"), [(0.01, 0.1), (0.1, 0.1), (1.0, 0.1), (50.0, 0.02)])
def test_plays_of_the_doubling_proof(epsilon, gap):
    """At n of the bound the two widths are half the gap together."""
    bound = phases.doubling_bound(n_actions=2, gap=gap, epsilon=epsilon, horizon=1e40, alpha=4.0)
    c = 4 * math.log(1e40)
    n = (bound / gap - 3) / 4
    assert math.sqrt(c / (2 * n)) + c / (epsilon * n) == pytest.approx(gap / 2)


@pytest.mark.parametrize(("gap", "last"), [(1.0, 1), (0.5, 1), (0.49, 2), (0.125, 3)])
@pytest.mark.parametrize("epsilon", [0.02, 5.0])
def test_the_bound_of_elimination_is_its_formula_and_each_epoch_as_long_as_its_proof_needs(gap, last, epsilon):
    """Each of the two widths is less than 2^-e / 8; a hundredth fewer rounds are too few for one of them."""
    rounds, k, failure = 0, 5, 1e-9
    for e in range(1, last + 1):
        length = phases.epoch_length(e, k, epsilon=epsilon, failure=failure)
        widths = [
            (
                math.sqrt(math.log(8 * k * e**2 / failure) / (2 * n)),
                math.log(4 * k * e**2 / failure) / (epsilon * n),
            )
            for n in (length, 0.99 * length)
        ]
        assert max(widths[0]) < 2**-e / 8 < max(widths[1])
        assert sum(widths[0]) == pytest.approx(phases.margin(e, k, length, epsilon=epsilon, failure=failure))
        rounds += length
    words = {"n_actions": k, "gap": gap, "epsilon": epsilon}
    assert phases.elimination_bound(**words, horizon=1 / failure) == pytest.approx(4 * gap * rounds + 1)
    assert phases.elimination_bound(**words, horizon=100) == pytest.approx(4 * gap * 100 + 1)
