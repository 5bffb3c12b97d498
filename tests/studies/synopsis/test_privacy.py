"""Exact audits of the competitors: what they read is what is drawn, and learners that spend more are seen."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.learners import competitors, registry
from replicate.learners.competitors import batched_share, doubling, lazy_thompson, noisy_sums, phases, random_bit
from replicate.mechanisms.vector_noise import VectorNoise, gaussian_delta, gaussian_scale
from replicate.studies.synopsis import privacy
from replicate.studies.synopsis.checks import privacy as checks
from replicate.studies.synopsis.claims import CLAIMS

SIZES = {"n_actions": 2, "n_rounds": 300, "epsilon": 0.7}


@pytest.fixture(autouse=True)
def forget():
    """Twins patch learners: nothing that was computed of others may be remembered, nor of twins afterwards."""
    for remembered in (privacy._loss_of_sums, privacy.tables):
        remembered.cache_clear()
    yield
    for remembered in (privacy._loss_of_sums, privacy.tables):
        remembered.cache_clear()


def loss(name, **changes):
    return privacy.loss_of_sums(name, **{**SIZES, **changes})[0]


def half_noise(self, total):
    self.rounds += self._length
    self._learn(self._arm, self._length, total + self._rng.laplace(scale=1 / (1.2 * self.epsilon)))
    self._length = 0


def shared_noise(self, total):
    """The first draw serves all phases."""
    if not hasattr(self, "_drawn"):
        self._drawn = self._rng.laplace(scale=1 / self.epsilon)
    self.rounds += self._length
    self._learn(self._arm, self._length, total + self._drawn)
    self._length = 0


def all_sums(self):
    """The sum goes on from phase to phase: a loss is part of all that follow."""
    self._arm, self._length = self._next()
    self._seen = 0
    return self._arm, self._length


def peeking(self):
    """The next action depends on the last loss."""
    arm, length = doubling.DoublingBandit.true_next(self)
    return ((arm + int(self._sum)) % self.n_actions if self.rounds > 1 else arm), length


def test_private_bandits_spend_what_they_say_and_no_less():
    for name in ("adap_ucb", "dp_imed", "lazy_dp_ts", "fixed_share_cube", "fixed_share_laplace"):
        assert loss(name) == pytest.approx(0.7, rel=1e-9)


@pytest.mark.parametrize(
    ("method", "twin", "spent"),
    [("close", half_noise, 0.84), ("close", shared_noise, math.inf), ("open", all_sums, 1.4)],
    ids=["noise / 1.2", "one noise for all", "sums that go on"],
)
def test_a_bandit_in_phases_that_spends_more_is_seen(method, twin, spent, monkeypatch):
    monkeypatch.setattr(phases.PhasedBandit, method, twin)
    found = loss("adap_ucb")
    assert found == pytest.approx(spent) if twin is half_noise else found >= spent


def test_a_bandit_whose_actions_depend_on_losses_is_seen(monkeypatch):
    monkeypatch.setattr(doubling.DoublingBandit, "true_next", doubling.DoublingBandit._next, raising=False)
    monkeypatch.setattr(doubling.DoublingBandit, "_next", peeking)
    assert loss("adap_ucb") == math.inf


def test_a_lazy_learner_that_does_not_drop_its_losses_is_seen(monkeypatch):
    release = lazy_thompson.LazyThompson._release

    def keep(self, arm, noisy):
        kept = list(self._buffers[arm])
        release(self, arm, noisy)
        self._buffers[arm] = kept[:1]

    monkeypatch.setattr(lazy_thompson.LazyThompson, "_release", keep)
    assert loss("lazy_dp_ts") > 1.3


def test_noisy_batches_with_less_noise_are_seen(monkeypatch):
    sizes = {"n_actions": 3, "n_rounds": 300}
    made = batched_share.private_noise

    def weak(*words, **more):
        noise = made(*words, **more)
        return replace(noise, scale=noise.scale / 1.2)

    monkeypatch.setattr(batched_share, "private_noise", weak)
    assert loss("fixed_share_cube", **sizes) == pytest.approx(0.84)


def test_weights_that_depend_on_losses_are_seen(monkeypatch):
    """Noisy sums are as they were; the law of the actions looks at the batch that is not released."""
    law = batched_share.BatchedShare.probabilities
    monkeypatch.setattr(batched_share.BatchedShare, "probabilities", lambda self: law(self) + 1e-9 * self._sum)
    assert loss("fixed_share_cube", n_actions=3) == math.inf


def test_batches_that_share_one_noise_are_seen(monkeypatch):
    draw, first = VectorNoise.draw, {}

    def once(self, rng):
        if id(rng) not in first:
            first[id(rng)] = rng, draw(self, rng)
        return first[id(rng)][1]

    monkeypatch.setattr(VectorNoise, "draw", once)
    assert loss("fixed_share_cube", n_actions=3) == math.inf


# Prefix sums


@pytest.mark.parametrize("name", ["hedge_tree_cube", "hedge_tree_laplace"])
def test_prefix_sums_spend_epsilon_and_twins_more(name, monkeypatch):
    sizes = {"n_actions": 3, "horizon": 13, "epsilon": 0.7}
    assert privacy.loss_of_prefixes(name, **sizes) == pytest.approx(0.7)
    made = noisy_sums.TreeSums.__init__

    def weak(self, *words, **more):
        made(self, *words, **more)
        self.noise = replace(self.noise, scale=self.noise.scale / 1.2)

    privacy.tables.cache_clear()
    monkeypatch.setattr(noisy_sums.TreeSums, "__init__", weak)
    assert privacy.loss_of_prefixes(name, **sizes) == pytest.approx(0.84)


def test_noise_that_prefixes_share_costs_more(monkeypatch):
    """One noise on all prefixes: differences of neighbouring sums are bare, and no shift hides a round."""
    sizes = {"n_actions": 3, "horizon": 8, "epsilon": 0.7}

    def stuck(self):
        if not hasattr(self, "_one"):
            self._one = self.noise.draw(self._rng)
        return self._one

    monkeypatch.setattr(noisy_sums.TreeSums, "_next_noise", stuck)
    assert privacy.loss_of_prefixes("hedge_tree_cube", **sizes) == math.inf


def test_a_cube_of_another_radius_is_no_cube(monkeypatch):
    assert privacy.norm("cube 3", np.array([1.0, -1.0, 0.5])) == 1
    assert privacy.norm("cube 2", np.array([1.0, -1.0, 0.5])) == math.inf
    assert privacy.norm("laplace", np.array([1.0, -1.0, 0.5])) == 2.5
    assert privacy.norm("gaussian", np.array([3.0, -4.0])) == 5


def test_gaussian_sums_have_the_delta_of_the_mechanism():
    """The factorisation: its column's norm by hand. The tree's releases reveal less than its nodes."""
    n, sizes = 20, {"n_actions": 3, "epsilon": 0.7, "delta": 1e-4}
    column = np.array([math.comb(2 * k, k) / 4**k for k in range(n)])
    scale = registry.learner("hedge_factorized", horizon=n + 1, rng=np.random.default_rng(1), **sizes).sums.scale
    move = math.sqrt(3 * np.square(column).sum()) / scale
    found = privacy.delta_of_prefixes("hedge_factorized", horizon=n + 1, **sizes)
    assert found == pytest.approx(gaussian_delta(1 / move, epsilon=0.7), rel=1e-6)
    assert found == pytest.approx(1e-4, rel=1e-5)
    tree = privacy.delta_of_prefixes("hedge_tree_gaussian", horizon=n + 1, **sizes)
    assert 0 < tree < 0.5e-4
    weaker = privacy.delta_of_prefixes("hedge_tree_gaussian", horizon=n + 1, noise_divisor=1.3, **sizes)
    assert weaker > tree
    assert gaussian_scale(epsilon=0.7, delta=1e-4) > 1


# Bits


def test_a_bit_that_follows_its_loss_too_closely_is_seen(monkeypatch):
    assert privacy.log_odds("bit_thompson", epsilon=0.7) == pytest.approx(0.7)
    response = random_bit.response
    monkeypatch.setattr(random_bit, "response", lambda epsilon: response(1.2 * epsilon))
    assert privacy.log_odds("bit_thompson", epsilon=0.7) == pytest.approx(0.84)


def test_the_checks_name_every_private_competitor():
    """What reads epsilon among the competitors stands in one of the claims."""
    audited = {name for claim in CLAIMS if claim.id.startswith("SY-P-") for name in claim.stated["learners"]}
    assert audited == {entry.name for entry in competitors.LEARNERS if entry.private}


def test_one_release_is_no_audit():
    found = checks.separate_sums("quick", 1, learners=("dp_se",), n_actions=16, noise_divisor=1.0)
    assert found.measured == math.inf


# From learners and tables that are given


@pytest.fixture
def sums(monkeypatch):
    """A learner of two sums, with Laplace noise of scale 4 and Gaussian noise of scale 2, over 100 rounds each."""
    calls = SimpleNamespace(rows=[], answers=[], done=lambda rows: "plays", extra=lambda rows: [])

    def played(name, rows, unit, answers, *, sizes):
        calls.rows.append(rows)
        calls.answers.append(answers)
        assert sizes == {"horizon": len(rows), "epsilon": 0.7}
        noisy = [rows[:100].sum(axis=0) + 4 * unit, rows[100:].sum(axis=0) + 2 * unit, *calls.extra(rows)]
        return calls.done(rows), noisy, ["laplace", "gaussian"]

    monkeypatch.setattr(privacy, "_played", played)
    return calls


@pytest.mark.parametrize("divisor", [1.0, 1.3])
def test_the_worst_of_twelve_rounds_is_the_loss_of_sums(divisor, sums):
    """Three losses move by 1: 3/4 in the first sum, sqrt(3) / 2 in the second, of which the larger one counts."""
    found = privacy.loss_of_sums("any", n_actions=3, n_rounds=200, epsilon=0.7, noise_divisor=divisor)
    assert found == (pytest.approx(divisor * math.sqrt(3) / 2), 2)
    first, *others = sums.rows
    changed = [int(np.flatnonzero((rows != first).any(axis=1))[0]) for rows in others[2:]]
    assert changed == [199 * i // 11 for i in range(12)]
    for rows, i in zip(others[2:], changed, strict=True):
        np.testing.assert_array_equal(rows[i], 1 - first[i])
    assert set(np.unique(first)) == {0, 1}
    assert len({id(answers) for answers in sums.answers}) == 1


def test_another_play_or_another_number_of_sums_has_no_limit(sums):
    sums.done = lambda rows: float(rows.sum())
    assert loss("any", n_actions=3, n_rounds=200) == math.inf
    privacy._loss_of_sums.cache_clear()
    sums.done, first = (lambda rows: "plays"), sums.rows[0]
    sums.extra = lambda rows: [] if np.array_equal(rows, first) else [rows[0]]
    assert loss("any", n_actions=3, n_rounds=200) == math.inf


SHARED = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
"""What three noises add to two sums."""


@pytest.mark.parametrize(
    ("rounds", "least"),
    [([[1.0], [1.0]], 1), ([[1.0], [0.0]], 1), ([[2.0], [1.0]], 2), ([[1.0, 2], [-1, 2]], 2), ([[1.0], [-2]], 3)],
)
@pytest.mark.parametrize(("law", "size"), [("laplace", 4), ("cube 4", 1)])
def test_prefix_sums_are_hidden_by_the_least_shift_of_noises(rounds, least, law, size, monkeypatch):
    """By hand from the noises' columns (1, 0), (1, 1), (0, 1), times the scale 5; four losses move by 1 each."""
    monkeypatch.setattr(privacy, "tables", lambda name, **words: (np.array(rounds), 5 * SHARED, law))
    found = privacy.loss_of_prefixes("any", n_actions=4, horizon=3, noise_divisor=1.5)
    assert found == pytest.approx(1.5 * size * least / 5)


def test_what_no_noise_reaches_is_not_hidden(monkeypatch):
    monkeypatch.setattr(privacy, "tables", lambda name, **words: (np.eye(2), np.array([[3.0], [0]]), "laplace"))
    assert privacy.loss_of_prefixes("any", n_actions=2, horizon=3) == math.inf


@pytest.mark.parametrize("divisor", [1.0, 2.0])
def test_delta_is_that_of_the_shortest_shift_of_gaussian_noises(divisor, monkeypatch):
    """A move (3, 4) under noises of scale 10 and 10, of four losses: sqrt(4) / 2, times the divisor."""
    asked = []

    def tables(name, **words):
        asked.append(words)
        return np.array([[1.0, 3], [1, 4]]), 10 * np.eye(2), law

    monkeypatch.setattr(privacy, "tables", tables)
    words = {"n_actions": 4, "horizon": 3, "epsilon": 0.7, "delta": 0.1}
    law = "gaussian"
    found = privacy.delta_of_prefixes("any", noise_divisor=divisor, **words)
    assert found == pytest.approx(gaussian_delta(1 / divisor, epsilon=0.7))
    law = "laplace"
    assert privacy.delta_of_prefixes("any", **words) == 1
    assert asked == [words] * 2


@pytest.mark.parametrize("factor", [1.0, 1.2, 0.5])
def test_log_odds_of_a_bit_are_those_of_the_level_it_is_built_with(factor):
    assert privacy.log_odds("bit_thompson", epsilon=0.7, epsilon_factor=factor) == pytest.approx(0.7 * factor)


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
