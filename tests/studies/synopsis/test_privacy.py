"""Exact audits of the competitors: learners as they ship, and twins of them that spend more, which are seen."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from replicate.learners import competitors, registry
from replicate.mechanisms.vector_noise import gaussian_delta
from replicate.studies.synopsis import privacy
from replicate.studies.synopsis.claims import CLAIMS

SUMS, PREFIXES = ("dp_imed", "fixed_share_cube"), ("hedge_tree_cube",)
SIZES = {"n_actions": 3, "epsilon": 0.7}


def spent(entry, **changes):
    """Exact loss of what a learner reads, in 300 rounds, or in 16 of prefix sums."""
    if entry.name.split("_")[0] == "hedge":
        return privacy.loss_of_prefixes(entry, **SIZES | {"horizon": 16} | changes)
    return privacy.loss_of_sums(entry, **SIZES | {"n_rounds": 300} | changes)[0]


def twin(name, build):
    """A learner of the register, built otherwise: `build` is given the true one's, a setting and a generator."""
    entry = registry.entry(name)
    return replace(entry, build=lambda setting, rng: build(entry.build, setting, rng))


class Once(np.random.Generator):
    """A generator all of whose noises are the first one that is asked for."""

    def __init__(self, rng):
        super().__init__(np.random.PCG64(1))
        self.rng, self.drawn = rng, {}

    def _first(self, law, draw):
        if law not in self.drawn:
            self.drawn[law] = draw()
        return self.drawn[law]

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * self._first("laplace", lambda: self.rng.laplace(size=size))

    def standard_exponential(self, *args, **named):
        return self._first("exponential", lambda: self.rng.standard_exponential(*args, **named))

    def standard_gamma(self, *args, **named):
        return self._first("gamma", lambda: self.rng.standard_gamma(*args, **named))

    def random(self, *args, **named):
        return self.rng.random(*args, **named)


def with_one_noise(build, setting, rng):
    return build(setting, Once(rng))


def with_less_noise(build, setting, rng):
    return build(replace(setting, epsilon=1.2 * setting.epsilon), rng)


def changed(build, setting, rng, **methods):
    """The true learner, some of whose public methods are others."""
    learner = build(setting, rng)
    learner.__class__ = type("Twin", (type(learner),), methods)
    return learner


def peeking(build, setting, rng):
    """The action depends on the last loss, or the law of the action does."""

    def observe(self, losses):
        self.last = losses
        super(type(self), self).observe(losses)

    def act(self):
        return (super(type(self), self).act() + int(getattr(self, "last", 0))) % self.n_actions

    def probabilities(self):
        return super(type(self), self).probabilities() + 1e-9 * getattr(self, "last", 0)

    return changed(build, setting, rng, observe=observe, act=act, probabilities=probabilities)


def echoing(build, setting, rng):
    """The first loss counts once more, by half, in the forty-first round: it is a part of two sums."""

    def observe(self, losses):
        self.first, self.heard = getattr(self, "first", losses), getattr(self, "heard", 0) + 1
        super(type(self), self).observe((losses + self.first) / 2 if self.heard == 41 else losses)

    return changed(build, setting, rng, observe=observe)


def remembering(build, setting, rng):
    """The first loss is a part of every one that follows: half of each."""

    def observe(self, losses):
        self.first = getattr(self, "first", losses)
        super(type(self), self).observe((losses + self.first) / 2)

    return changed(build, setting, rng, observe=observe)


@pytest.mark.parametrize("name", [*SUMS, *PREFIXES])
def test_learners_spend_what_they_say_and_no_less(name):
    assert spent(registry.entry(name)) == pytest.approx(0.7, rel=1e-9)
    assert spent(registry.entry(name), noise_divisor=1.5) == pytest.approx(1.05, rel=1e-9)


@pytest.mark.parametrize("name", [*SUMS, *PREFIXES])
def test_twins_with_less_noise_spend_more(name):
    assert spent(twin(name, with_less_noise)) == pytest.approx(0.84)


@pytest.mark.parametrize("name", [*SUMS, *PREFIXES])
def test_one_noise_for_all_hides_nothing(name):
    assert spent(twin(name, with_one_noise)) == math.inf


@pytest.mark.parametrize("name", SUMS)
def test_actions_that_depend_on_a_loss_are_seen(name):
    assert spent(twin(name, peeking)) == math.inf


@pytest.mark.parametrize("name", [*SUMS, *PREFIXES])
def test_a_loss_that_enters_several_sums_costs_more(name):
    assert spent(twin(name, remembering)) > 1.4


@pytest.mark.parametrize("name", SUMS)
def test_moves_of_several_sums_add_up(name):
    assert spent(twin(name, echoing)) == pytest.approx(1.5 * 0.7)


@pytest.mark.parametrize("law", ["laplace", "cube 4"])
def test_norms_of_moves_by_hand(law):
    """A cube of another radius is no cube."""
    move = np.array([1.0, -1.0, 0.5, 0.0])
    assert privacy.norm(law, move) == {"laplace": 2.5, "cube 4": 1}[law]
    assert privacy.norm("cube 2", move) == math.inf
    assert privacy.norm("gaussian", np.array([3.0, -4.0])) == 5


def test_gaussian_sums_have_the_delta_of_the_mechanism():
    """Its column's norm by hand; less noise spends more."""
    n, sizes = 20, {**SIZES, "delta": 1e-4}
    column = np.array([math.comb(2 * k, k) / 4**k for k in range(n)])
    scale = registry.learner("hedge_factorized", horizon=n + 1, rng=np.random.default_rng(1), **sizes).sums.scale
    move = math.sqrt(3 * np.square(column).sum()) / scale
    factorized = registry.entry("hedge_factorized")
    found = privacy.delta_of_prefixes(factorized, horizon=n + 1, **sizes)
    assert found == pytest.approx(gaussian_delta(1 / move, epsilon=0.7), rel=1e-6)
    assert found == pytest.approx(1e-4, rel=1e-5)
    deltas = [
        privacy.delta_of_prefixes(factorized, horizon=n + 1, noise_divisor=divisor, **sizes)
        for divisor in (1.0, 1.3, 2.0)
    ]
    assert all(less < more for less, more in pairwise(deltas))
    assert privacy.delta_of_prefixes(registry.entry("hedge_tree_cube"), horizon=n + 1, **sizes) == 1


@pytest.mark.parametrize("factor", [1.0, 1.2, 0.5])
def test_log_odds_of_a_bit_are_those_of_the_level_it_is_built_with(factor):
    assert privacy.log_odds(registry.entry("bit_thompson"), epsilon=0.7, epsilon_factor=factor) == pytest.approx(
        0.7 * factor
    )
    batches = privacy.log_odds(registry.entry("batch_bit_tsallis_inf"), epsilon=0.7, epsilon_factor=factor)
    assert batches == pytest.approx(0.7 * factor), "at the mean loss where it is largest"
    weak = twin("bit_thompson", with_less_noise)
    assert privacy.log_odds(weak, epsilon=0.7, epsilon_factor=factor) == pytest.approx(0.84 * factor)


def test_the_checks_name_every_private_competitor():
    """Every private competitor that reads losses stands in one of the claims, or in test_privacy_spent.py."""
    elsewhere = {"uniform", "dp_imed_restarted"}
    audited = {name for claim in CLAIMS if claim.id.startswith("SY-P-") for name in claim.stated["learners"]}
    assert audited == {entry.name for entry in competitors.LEARNERS if entry.private} - elsewhere


def test_noises_that_are_given_are_times_their_scale():
    """All of them, or the one that is named; other draws are 1."""
    rng = privacy.Still(2.0)
    assert rng.laplace(scale=3.0) == 6
    assert rng.laplace(1.0, 3.0, size=2).tolist() == [7, 7]
    assert rng.standard_exponential(2).tolist() == [2, 2]
    assert rng.standard_gamma(4, size=1).tolist() == [2]
    assert rng.standard_normal() == 2
    assert rng.asked == ["laplace", "laplace", "laplace", "cube 3", "gaussian"]
    assert rng.random(2).tolist() == [1, 1]
    second = privacy.Still(2.0, only=1)
    assert [second.laplace(scale=3.0) for _ in range(3)] == [0, 6, 0]
