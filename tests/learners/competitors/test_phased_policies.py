"""AdaP-UCB, AdaP-KLUCB, DP-KLUCB, DP-IMED and DP-SE: decisions by hand, steps of their proofs, bounds."""

import itertools
import math

import numpy as np
import pytest

from replicate import environments
from replicate.learners import registry
from replicate.learners.competitors import doubling, elimination, entries_bandit, limits
from replicate.learners.entries import Setting
from replicate.streams import stream
from tests.learners import draws

PROVED = ("dp_se", "adap_ucb", "adap_klucb")


MEANS = np.array([0.5, 0.35, 0.6])
EPSILON = 0.7


def level(alpha, t, last):
    return alpha * math.log(t + 1) / np.array(last)


def kl_index(alpha, t, mean, last):
    return limits.kl_limits((mean - level(alpha, t, last) / EPSILON).clip(0, 1), last, alpha * math.log(t + 1))


def ucb_index(alpha, t, mean, last):
    return mean - level(alpha, t, last) / EPSILON - np.sqrt(level(alpha, t, last) / 2)


def growing_index(alpha, t, mean, plays):
    return limits.private_limits(mean.clip(0, 1), plays, math.log(t + 1), EPSILON)


def imed_index(alpha, t, mean, plays):
    return limits.private_evidence(mean.clip(0, 1), plays, EPSILON)


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
        length, played = elimination.epoch_length(epoch, len(left), **known), []
        for _ in left:
            arm, rounds = learner.open()
            assert rounds == length
            learner.close(means[arm] * length)
            played.append(arm)
        assert sorted(played) == left
        limit = min(means[a] for a in left) + 2 * elimination.margin(epoch, len(left), length, **known)
        left = [a for a in left if means[a] <= limit]
        seen.append(len(left))
    assert learner.open() == (means.index(0.3), 2**62)
    assert seen[0] < 4
    assert 2 in seen


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.3, 5.0])
def test_lengths_and_margins_by_hand(epsilon):
    """Epochs 1 to 70 of 2 to 8 actions; what no game lasts is cut."""
    for epoch, s in itertools.product((1, 2, 3, 5, 8, 13, 40, 70), (2, 5, 8)):
        known = {"epsilon": epsilon, "failure": 1e-4}
        longer, shorter = math.log(8e4 * s * epoch**2), math.log(4e4 * s * epoch**2)
        least = max(32 * longer * 4**epoch, 8 * shorter * 2**epoch / epsilon)
        length = elimination.epoch_length(epoch, s, **known)
        assert length - 1 == pytest.approx(least, rel=1e-12, abs=1) if least < 2**62 else length == 2**62
        for n in (1, 1000, 2**40):
            margin = math.sqrt(longer / 2 / n) + shorter / n / epsilon
            assert elimination.margin(epoch, s, n, **known) == pytest.approx(margin, rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("epoch", [1, 3, 8])
def test_epochs_are_long_enough_for_the_proof(epoch, epsilon):
    """h and c are below 2^-e / 8 each, so that 4 (h + c) is below 2^-e; half the rounds would not do."""
    known = {"epsilon": epsilon, "failure": 1e-6}
    length = elimination.epoch_length(epoch, 8, **known)
    assert 4 * elimination.margin(epoch, 8, length, **known) < 2.0**-epoch
    assert 4 * elimination.margin(epoch, 8, length // 4, **known) > 2.0**-epoch


@pytest.mark.parametrize(("epsilon", "gap"), [(0.01, 0.1), (0.1, 0.1), (1.0, 0.1), (50.0, 0.02)])
def test_plays_of_the_doubling_proof(epsilon, gap):
    """At n of the bound the two widths are half the gap together."""
    bound = doubling.regret_bound(n_actions=2, gap=gap, epsilon=epsilon, horizon=1e40, alpha=4.0)
    c = 4 * math.log(1e40)
    n = (bound / gap - 3) / 4
    assert math.sqrt(c / (2 * n)) + c / (epsilon * n) == pytest.approx(gap / 2)


def test_the_paper_bound_is_larger_but_near_the_gap():
    def printed(gap, epsilon):
        return 16 * 3.1 * math.log(1e6) / min(gap, epsilon) + 3.1 / 0.1

    def ours(gap, epsilon):
        return doubling.regret_bound(n_actions=2, gap=gap, epsilon=epsilon, horizon=1e6)

    assert ours(0.1, 1.0) < printed(0.1, 1.0)
    assert ours(0.5, 0.05) < printed(0.5, 0.05)
    assert ours(0.1, 0.1) > 1.2 * printed(0.1, 0.1)


@pytest.mark.parametrize("epsilon", [0.2, 1.0])
@pytest.mark.parametrize("name", PROVED)
def test_proved_bounds_hold_and_a_fortieth_does_not(name, epsilon):
    entry, sizes = registry.entry(name), Setting(n_actions=4, horizon=300_000, epsilon=epsilon)
    gap = 0.2
    env = environments.Bernoulli([0.4, 0.6, 0.6, 0.6])
    final = entry.simulate(env, sizes, replicates=20, rng=stream(1, name, epsilon)).final
    bound = entry.bound(sizes, gap)
    assert bound / 40 < final.mean() < bound < 3 * gap * 300_000


def test_customary_levels_and_growing_phases_state_no_value():
    for entry in entries_bandit.CENTRAL:
        assert (entry.bound is not None) is (entry.name in PROVED)
        assert entry.covers("iid") is ("customary" not in entry.name)
        assert not entry.covers("fixed")
        assert not entry.local


def test_proved_levels_cost_more_than_customary_ones():
    env, sizes = environments.Bernoulli([0.4, 0.5, 0.5, 0.5]), {"epsilon": 1.0, "horizon": 10**6, "replicates": 10}
    finals = {
        name: registry.simulate(name, env, rng=stream(2, name), **sizes).final.mean()
        for name in ("adap_ucb", "adap_ucb_customary", "adap_klucb", "adap_klucb_customary", "dp_klucb", "dp_se")
    }
    for name in ("adap_ucb", "adap_klucb"):
        assert finals["dp_klucb"] < finals[f"{name}_customary"] < finals[name] / 2 < finals["dp_se"] / 2
