"""What experiments make of runs that are given: worst or mean over truths, a quantity with its own distance."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from replicate import certify
from replicate.papers.distribution_learning import bounds, instances
from replicate.papers.distribution_learning.algorithms.schemes import SCHEMES
from replicate.papers.distribution_learning.experiments import bits, regret


def lower(samples, share):
    """Lower limit of a mean of numbers that are at least 0, by reflection."""
    reflected = -np.asarray(samples)
    return -float(certify.betting_upper(reflected, low=reflected.min(), high=0.0, false_alarm=1e-9 / share))


@pytest.fixture
def played(monkeypatch):
    """Runs in the place of `play`: 110 or 210 and a little, by scheme, and 40 more under the worse truth."""
    calls = []

    def play(f, profile, seed, *key, scheme, truth=0, replicates=30, **options):
        calls.append((key, scheme, truth, options["horizon"]))
        worse = (SCHEMES.index(scheme) if scheme in SCHEMES else 0) % 2
        final = 100.0 * (1 + worse) + (50 if truth == worse else 10) + np.arange(replicates) % 5
        return SimpleNamespace(final=final, averaged_tv=final / 1000)

    monkeypatch.setattr(regret, "play", play)
    return calls


def test_a_pair_of_theorem_3_is_summed_up_by_its_worse_truth(played):
    rows = regret.hadamard_risks.__wrapped__("quick", 5)
    horizons = instances.SIZES["quick"].horizons
    assert len(rows) == 2 * len(horizons) * len(SCHEMES) == len(played) // 2
    assert {truth for _, _, truth, _ in played} == {0, 1}
    for row in rows.itertuples():
        many = 60 if row.learner == "randomized_response" else 30
        worst = 100.0 * (1 + SCHEMES.index(row.learner) % 2) + 50 + np.arange(many) % 5
        assert row.mean == pytest.approx(worst.mean())
        assert row.low < row.mean < row.high
        assert row.lower == pytest.approx(lower(worst, len(rows) * 2))
        words = {"n_pairs": 4, "horizon": row.horizon, "epsilon": row.epsilon}
        assert (row.gap, row.theorem_3) == pytest.approx((bounds.hadamard_gap(**words), bounds.theorem_3(**words)))


def test_risks_on_all_pairs_are_averaged_over_truths(played):
    """Eight laws, of which the second or the first costs more."""
    f = instances.hadamard_class(4, 0.5)
    rows = regret.pair_risks.__wrapped__("quick", 5, 1.0, 1000, 4, 0.5).set_index("learner")
    assert {truth for _, _, truth, _ in played} == set(range(len(f)))
    for learner in ("randomized_response", "non_private"):
        many = 600 // len(f) if learner == "randomized_response" else 10
        base = 100.0 * (1 + SCHEMES.index(learner) % 2) + np.arange(many) % 5
        assert rows.loc[learner, "mean"] == pytest.approx((base + 10 + 40 / len(f)).mean())
        assert rows.loc[learner, "lower"] == pytest.approx(lower(base + 10 + 40 / len(f), 12))


def test_distances_on_all_pairs_are_averaged_over_truths(played):
    found = bits.pair_distances.__wrapped__("quick", 5, 1.0, 10**6, 4)
    n = len(instances.hadamard_class(4, 0.5))
    assert {truth for _, _, truth, _ in played} == set(range(n))
    for row in found.itertuples():
        worse = SCHEMES.index(row.learner) % 2 if row.learner in SCHEMES else 0
        many = 10 if row.learner == "non_private" else max(80, 640 // n)
        mean = (100.0 * (1 + worse) + np.arange(many) % 5 + 10 + 40 / n) / 1000
        assert row.lower == pytest.approx(lower(mean, 9))


def test_size_runs_take_two_truths_where_hypotheses_grow_and_one_where_labels_do(played):
    for row, final in regret.size_runs.__wrapped__("quick", 5):
        worse = SCHEMES.index(row["learner"]) % 2
        truths = [50 if truth == worse else 10 for truth in range(2 if row["axis"] == "K" else 1)]
        assert final.mean() == pytest.approx(
            100 * (1 + worse) + np.mean(truths) + np.mean(np.arange(10) % 5), rel=0.01
        )


COINS = np.array([[0.9, 0.1], [0.2, 0.8]])
"""Two laws; under response with probability 3/4 their labels agree with 0.7, 0.3 and 0.35, 0.65."""
APART = {"risk": 0.9 * math.log(4.5) - 0.1 * math.log(8), "tv": 0.7}
"""Divergence and total variation of the second law from the first."""


def limit(quantity, costs, rounds):
    """Upper limit of bits on two coins, every replicate costing the same in each stratum."""
    laws = 0.25 + 0.5 * COINS
    shared = SimpleNamespace(laws=laws[None], masses=COINS[None])
    sums = np.tile(np.cumsum(costs), (4000 if costs[0] else 2, 1))
    other = np.full_like(sums, 1e9)
    names = (
        {"regret": sums, "total_variation": other}
        if quantity == "risk"
        else {"regret": other, "total_variation": sums}
    )
    run = SimpleNamespace(rounds=np.array(rounds), **names)
    return bits.upper(run, shared, 0, quantity=quantity, false_alarm=1e-9)


@pytest.mark.parametrize("quantity", APART)
def test_upper_limits_of_bits_are_proved_tails_where_runs_are_few(quantity):
    """Two runs say nothing: half the distance in round 1, times the affinity in rounds 2 and 3, one stratum."""
    affinity = math.sqrt(0.7 * 0.35) + math.sqrt(0.3 * 0.65)
    known = APART[quantity] / 2 * (1 + 2 * affinity)
    assert limit(quantity, [0.0, 0.0], [1, 3]) == pytest.approx(known)


@pytest.mark.parametrize("quantity", APART)
def test_upper_limits_of_bits_are_near_the_mean_where_runs_are_many(quantity):
    """Of the quantity that is asked for; a stratum costs at most its length times the distance."""
    largest = APART[quantity]
    assert 0.3 * largest < limit(quantity, [0.1 * largest, 0.2 * largest], [1, 3]) < 0.32 * largest
    assert limit(quantity, [9.0, 9.0], [1, 3]) == pytest.approx(3 * largest, rel=0.01)


@pytest.mark.parametrize("scheme", ["pure", "approximate", "randomized_response"])
def test_risks_in_few_and_in_many_labels_have_limits_on_either_side(scheme, monkeypatch):
    """Proved ones of Algorithms 1 and 2, added up over the strata; of response a fourth of the error each."""
    bracket = SimpleNamespace(lower=np.array([1.0, 2.0]), upper=np.array([4.0, 5.0]))
    monkeypatch.setattr(regret, "bracketed", lambda shared, truth: bracket)
    monkeypatch.setattr(regret, "play", lambda *_, **words: SimpleNamespace(final=10 + np.arange(40.0) % 5))
    monkeypatch.setattr(
        regret, "response_upper", lambda run, f, epsilon, truth, *, false_alarm: false_alarm * 1e12
    )
    counts = instances.SIZES["quick"].n_labels
    known = (3.0, 9.0)
    if scheme == "randomized_response":
        known = (pytest.approx(lower(10 + np.arange(40.0) % 5, 4)), pytest.approx(250))
    assert regret.risk_in_labels.__wrapped__("quick", 5, scheme) == ((counts[0], known), (counts[-1], known))


def test_averages_of_a_channel_over_proportional_labels_by_hand(monkeypatch):
    """Message 0 has probability 1/2 about every third of 12 labels and 1/4 about the others: the loss is log 2.

    Averages over three labels are 1/4 and a fourth of the first one's share of the three.
    """
    channel, shown = np.where(np.arange(12)[:, None] % 3 == 0, [0.5, 0.5], [0.25, 0.75]), []
    merge = bits.merge_proportional
    monkeypatch.setattr(bits.instances, "extremal_channel", lambda *_, **__: channel)
    monkeypatch.setattr(bits, "merge_proportional", lambda f: shown.append(f) or merge(f))
    found = bits.merged_channels(5, "proportional")
    assert len(found) == len(shown) == 20
    for (difference, ratio), f in zip(found, shown, strict=True):
        first = 0.25 + f[0].reshape(4, 3)[:, 0] / f[0].reshape(4, 3).sum(axis=1) / 4
        loss = max(math.log(p.max() / p.min()) for p in (first, 1 - first))
        assert difference < 1e-12
        assert ratio == pytest.approx(loss / math.log(2))


@pytest.mark.parametrize("learner", [None, "non_private"])
def test_a_pair_on_many_labels_is_played_by_response_unless_another_is_named(learner, monkeypatch):
    asked = []
    monkeypatch.setattr(regret, "play", lambda f, *key, **words: asked.append((f, key, words)))
    regret.response_run(8, "quick", 5, *([learner] if learner else []))
    [(f, key, words)] = asked
    scheme = learner or "randomized_response"
    assert words == {"scheme": scheme, "horizon": 10**10, "truth": 0, "replicates": 400}
    assert key == ("quick", 5, "response", 8)
    np.testing.assert_allclose(f.sum(axis=1), 1)
    assert f.shape == (2, 8)
