"""A private choice: the law of the best of a random number of trials, its privacy exactly, and what it chooses."""

import math

import numpy as np
import pytest
from scipy import stats

from replicate import certify
from replicate.advice.choosing import choose, stopping
from replicate.learners import protocol, registry
from tests.conftest import FALSE_ALARM


def law(q, g, *, repeat=lambda x, g: math.log(1 - (1 - g) * x) / math.log(g)):
    """Law of the smallest of N outcomes 0, 1, ... of law q, from the generating function of N."""
    above = np.append(1 - np.cumsum(q), 0.0)[: len(q)]
    return np.array([repeat(a + p, g) - repeat(a, g) for a, p in zip(above, q, strict=True)])


def geometric(x, g):
    return g * x / (1 - (1 - g) * x)


def loss_of_privacy(p, q):
    return float(np.abs(np.log(p / q)).max())


def pairs(rng, eta):
    """Laws of good, middling and bad outcomes whose probabilities differ by a factor of at most about e^eta."""
    for _ in range(300):
        good, middling = 10 ** rng.uniform(-5, -0.5, size=2)
        p = np.array([good, middling, 1.0])
        q = p * np.exp(rng.choice([-eta, 0, eta], size=3) * [1, 1, 0])
        yield p / p.sum(), q / q.sum()


def test_the_best_of_many_trials_costs_twice_the_privacy_of_one(rng):
    """The geometric law, a twin, costs three times that of one."""
    worst = {"logarithmic": 0.0, "geometric": 0.0}
    for p, q in pairs(rng, 1.0):
        eta = loss_of_privacy(p, q)
        if eta > 0.5:
            logarithmic, twin = (
                loss_of_privacy(law(p, 1e-3, **words), law(q, 1e-3, **words)) / eta
                for words in ({}, {"repeat": geometric})
            )
            worst = {
                "logarithmic": max(worst["logarithmic"], logarithmic),
                "geometric": max(worst["geometric"], twin),
            }
    assert 1.5 < worst["logarithmic"] <= 2 + 1e-6
    assert worst["geometric"] > 2.1


def test_it_chooses_a_good_learner(rng):
    """On losses 0 and 1 the leader of blocks is far better than noise on every round of a bandit."""
    table = np.tile([1.0, 0.0], (1500, 1))
    names = [choose(table, ["gumbel", "per_round_exp3"], epsilon=4.0, rng=rng).learner for _ in range(6)]
    assert names.count("gumbel") >= 5


@pytest.mark.parametrize("names", [["gumbel"], ["gumbel", "gumbel"], ["gumbel", "hedge"], ["gumbel", "dartboard"]])
def test_only_pure_learners_are_compared(names, rng):
    with pytest.raises(ValueError, match="names must be at least 2 learners with pure privacy"):
        choose(np.zeros((10, 2)), names, epsilon=1.0, rng=rng)


LEVEL, PLAYED = 2.0, 40


def noise(table, rng):
    """Choose where every loss is the same whatever is played: return the published noise, and the name."""
    choice = choose(table, ["gumbel", "laplace"], epsilon=LEVEL, rng=rng)
    return choice.noisy_loss - len(table), choice.learner


def test_the_published_loss_is_the_best_of_trials_with_half_of_the_level(rng):
    """Every action loses 1: a trial's loss is T and Laplace noise of scale 4 / epsilon.

    P(best > x) = f(P(trial > x)), f the generating function of the number of trials, three a learner in the mean;
    the learners' names are equally likely. Noise of half that scale, a twin, is rejected.
    """
    found, names = zip(*(noise(np.ones((3, 2)), rng) for _ in range(1000)), strict=True)
    g = stopping(6)

    def cdf(x, scale=4 / LEVEL):
        above = np.where(x > 0, np.exp(-np.abs(x) / scale) / 2, 1 - np.exp(-np.abs(x) / scale) / 2)
        return 1 - np.log(1 - (1 - g) * above) / math.log(g)

    assert stats.kstest(found, cdf).pvalue > FALSE_ALARM
    assert stats.kstest(found, lambda x: cdf(x, 2 / LEVEL)).pvalue < FALSE_ALARM
    assert certify.goodness_of_fit([names.count(name) for name in ("gumbel", "laplace")], [0.5, 0.5]) > FALSE_ALARM


def test_a_trial_plays_at_a_quarter_of_the_level(rng):
    """Transcribe the best of trials on a game where play matters; at the whole level, a twin, it differs."""
    level, table = 4.0, np.tile([1.0, 0.0], (PLAYED, 1))
    names, counts = ["gumbel", "exponential"], rng.logseries(1 - stopping(6), size=500)

    def best(at):
        def trial():
            name = names[rng.integers(2)]
            learner = registry.learner(name, n_actions=2, horizon=PLAYED, epsilon=at, rng=rng)
            return protocol.play(learner, table[:, rng.permutation(2)]).final[0] + rng.laplace(scale=4 / level)

        pool = np.array([trial() for _ in range(400)])
        return np.array([rng.choice(pool, size=n).min() for n in counts])

    found = np.array([choose(table, names, epsilon=level, rng=rng).noisy_loss for _ in range(500)])
    assert certify.two_sample(found, best(level / 4)) > FALSE_ALARM
    assert certify.two_sample(found, best(level)) < FALSE_ALARM
