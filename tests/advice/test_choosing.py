"""A private choice: the law of the best of a random number of trials, its privacy exactly, and what it chooses."""

import math

import numpy as np
import pytest

from replicate import certify
from replicate.advice import choosing
from replicate.advice.choosing import best_of, choose, stopping
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


def test_trials_have_the_logarithmic_law(rng):
    q, mean = np.array([0.1, 0.2, 0.7]), 4.0
    exact = law(q, stopping(mean))
    found, trials, outcomes = [], [], iter(rng.choice(3, p=q, size=200_000).tolist())
    for _ in range(20_000):
        (value, _), n = best_of(lambda: (float(next(outcomes)), ""), mean=mean, rng=rng)
        found.append(int(value))
        trials.append(n)
    assert exact.sum() == pytest.approx(1)
    assert certify.goodness_of_fit(np.bincount(found, minlength=3), exact) > FALSE_ALARM
    assert mean in certify.mean_interval(trials, false_alarm=FALSE_ALARM)


def test_it_chooses_a_good_learner(rng):
    """On losses 0 and 1 the leader of blocks is far better than noise on every round of a bandit."""
    table = np.tile([1.0, 0.0], (1500, 1))
    names = [choose(table, ["gumbel", "per_round_exp3"], epsilon=4.0, rng=rng).learner for _ in range(12)]
    assert names.count("gumbel") >= 10


@pytest.mark.parametrize("names", [["gumbel"], ["gumbel", "gumbel"], ["gumbel", "hedge"], ["gumbel", "dartboard"]])
def test_only_pure_learners_are_compared(names, rng):
    with pytest.raises(ValueError, match="names must be at least 2 learners with pure privacy"):
        choose(np.zeros((10, 2)), names, epsilon=1.0, rng=rng)


@pytest.mark.parametrize("mean", [1.0, 1e7, math.nan])
def test_bad_means_are_refused(mean):
    with pytest.raises(ValueError, match="mean must be"):
        stopping(mean)


class Recorder:
    """A generator that writes down the scales of the Laplace noise that is drawn from it."""

    def __init__(self, rng, scales):
        self._rng, self._scales = rng, scales

    def laplace(self, *, scale):
        self._scales.append(scale)
        return self._rng.laplace(scale=scale)

    def __getattr__(self, name):
        return getattr(self._rng, name)


def test_a_trial_spends_half_of_the_level(rng, monkeypatch):
    """A quarter on the learner's play, and a quarter on its loss, which one round moves by at most 1."""
    levels, scales = [], []

    class Play:
        n_actions, feedback = 2, "full"

        def act(self):
            return 0

        def observe(self, losses):
            assert losses.shape == (2,)

    def learner(name, *, epsilon, **words):
        levels.append(epsilon)
        return Play()

    monkeypatch.setattr(choosing.registry, "learner", learner)
    monkeypatch.setattr(choosing.validation, "generator", lambda given: Recorder(given, scales))
    choice = choose(np.ones((10, 2)), ["gumbel", "laplace"], epsilon=2.0, rng=rng)
    assert set(levels) == {0.5}
    assert set(scales) == {2.0}
    assert len(levels) == len(scales)
    assert choice.learner in ("gumbel", "laplace")


def test_every_learner_is_tried_as_often_on_average(rng, monkeypatch):
    """Three trials a learner in the mean, and every trial draws its learner."""
    asked, played = [], []
    monkeypatch.setattr(choosing, "_loss", lambda learner, table: 0.0)
    monkeypatch.setattr(choosing.registry, "learner", lambda name, **words: played.append(name))

    def tried(trial, *, mean, rng):
        asked.append(mean)
        return min(trial() for _ in range(300)), 300

    monkeypatch.setattr(choosing, "best_of", tried)
    for names in (["gumbel", "laplace"], ["gumbel", "laplace", "exponential"]):
        played.clear()
        choose(np.ones((3, 2)), names, epsilon=2.0, rng=rng)
        assert min(played.count(name) for name in names) > 50
    assert asked == [6, 9]
