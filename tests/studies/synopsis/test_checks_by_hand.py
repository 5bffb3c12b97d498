"""What checks across papers measure and hold it against, by hand: from regrets and exact losses that are given."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replicate import certify
from replicate.learners.competitors.noisy_sums import NoisyLeader
from replicate.studies.synopsis.checks import lemmas, privacy, regret

PROFILE, SEED = "quick", 1
SLACK = 1 + 1e-9
LEVELS = (1.0, 0.1)


def pieces(evidence):
    return [(piece.measured, piece.limit) for piece in evidence.pieces]


def known(rows):
    return [pytest.approx(row, rel=1e-12) for row in rows]


@pytest.fixture
def ratios(monkeypatch):
    """Limits of ratios are ratios of means here; what was compared with what, at which rate, paired or not."""
    asked = []

    def ratio(above, below, *, false_alarm, paired=False):
        asked.append((false_alarm, paired))
        return float(np.mean(above) / np.mean(below))

    monkeypatch.setattr(regret, "_ratio", ratio)
    return asked


# Independent losses


REGRETS = {"prefix_softmax": 8, "gumbel": 5, "exponential": 6, "laplace": 9, "no_noise": 3}
GRID = pd.DataFrame(
    [
        (k, gap, epsilon, learner, np.array([base, base + 2 * k]))
        for k, gap, epsilon in ((2, 0.1, 0.1), (2, 0.5, 0.1), (8, 0.1, 1.0), (8, 0.5, 1.0))
        for learner, base in REGRETS.items()
    ],
    columns=["n_actions", "gap", "epsilon", "learner", "samples"],
)  # fmt: skip
"""Mean regret base + K of every learner at four settings, whose epsilon / gap are 1, 1/5, 10 and 2."""


@pytest.fixture
def grid(monkeypatch):
    monkeypatch.setattr(regret.regret, "stochastic_grid", lambda *asked: {(PROFILE, SEED): GRID}[asked])


@pytest.mark.parametrize(("learner", "base"), [("exponential", 6), ("laplace", 9)])
def test_a_learner_is_compared_with_each_other_private_one_on_common_losses(learner, base, grid, ratios):
    """Three others at four settings: a twelfth of the false alarm each."""
    found = regret.close_to_best(PROFILE, SEED, learner=learner, limit=1.3)
    rivals = [other for name, other in REGRETS.items() if name not in (learner, "no_noise")]
    assert pieces(found) == known(((base + k) / (other + k), 1.3) for k in (2, 2, 8, 8) for other in rivals)
    assert ratios == [(pytest.approx(1e-9 / 12), True)] * 12


@pytest.mark.parametrize(
    ("shares", "settings"),
    [((0.0, 0.2), [2]), ((0.2, 1.0), [2, 2]), ((1.0, 2.0), [2, 8]), ((2.0, 100.0), [8, 8]), ((0.3, 0.9), None)],
)
def test_noise_has_its_price_where_epsilon_over_the_gap_is_in_a_range(shares, settings, grid, ratios):
    """(6 + K) / (3 + K), both ends of the range in it; a range without a setting is no evidence."""
    if settings is None:
        with pytest.raises(ValueError, match="at least one piece"):
            regret.noise_price(PROFILE, SEED, epsilon_over_gap=shares, limit=1.5)
        return
    found = regret.noise_price(PROFILE, SEED, epsilon_over_gap=shares, limit=1.5)
    assert pieces(found) == known(((6 + k) / (3 + k), 1.5) for k in settings)
    assert ratios == [(pytest.approx(1e-9 / len(settings)), True)] * len(settings)


@pytest.fixture
def small_epsilon(monkeypatch):
    """Epsilon times regret as epsilon vanishes: log K and log2 K by rates that are given."""
    rates = {"prefix_softmax": 8.08, "exponential": 4.04, "laplace": 6.0}

    def given(k, learner):
        return rates[learner] * (math.log(k) if learner == "prefix_softmax" else math.log2(k))

    monkeypatch.setattr(regret.regret, "small_epsilon", given)


ACTIONS = (2, 4, 16, 64, 256)


@pytest.mark.parametrize(("on_blocks", "off"), [("exponential", 0.01), ("laplace", 0.5)])
def test_vanishing_levels_cost_8_log_k_and_4_log2_k(on_blocks, off, small_epsilon):
    found = regret.vanishing_epsilon(PROFILE, SEED, on_blocks=on_blocks)
    assert [piece.measured for piece in found.pieces] == pytest.approx([0.01, off] * 5)
    assert {piece.limit for piece in found.pieces} == {1e-3}
    assert [piece.detail.split("; ")[0] for piece in found.pieces] == [
        f"Largest at {name}, K={k}" for k in ACTIONS for name in ("prefix_softmax", on_blocks)
    ]


def test_two_learners_are_ranked_at_every_number_of_actions(small_epsilon):
    found = regret.ranking(PROFILE, SEED, better="exponential", worse="prefix_softmax", limit=1.35)
    assert pieces(found) == known([(2 * math.log(2), 1.35)] * 5)
    assert found.relation == ">="
    assert found.detail.startswith("Exact: 1.39 at K=2, 1.39 at K=4, 1.39 at K=16, 1.39 at K=64, 1.39 at K=256.")


# Losses that change, and what is not seen


def test_a_learner_made_for_change_is_compared_with_laplace_noise(ratios, monkeypatch):
    regrets = {
        (PROFILE, SEED, "restarts"): np.array([6.0, 8.0]),
        (PROFILE, SEED, "laplace"): np.array([1.0, 3.0]),
    }
    monkeypatch.setattr(regret.regret, "calm", lambda *asked: regrets[asked])
    found = regret.insurance(PROFILE, SEED, learner="restarts", limit=4.0)
    assert (found.measured, found.limit, found.relation) == (3.5, 4.0, "<=")
    assert ratios == [(pytest.approx(1e-9), False)]


def test_slopes_are_read_from_the_side_that_is_claimed(monkeypatch):
    """Regret T**0.5 times 0.9, 1 or 1.1: of a slope at least the lower limit counts, of one at most the upper."""
    horizons = np.array([100.0, 1000.0, 10_000.0])
    rng = np.random.default_rng(4)
    samples = np.sqrt(horizons) * rng.uniform(0.9, 1.1, size=(40, 3))
    monkeypatch.setattr(
        regret.regret, "growth", lambda *asked: {(PROFILE, SEED, "any"): (horizons, samples)}[asked]
    )
    slope = certify.log_log_slope(horizons, samples)
    up, down = (f(PROFILE, SEED, learner="any", slope=0.5) for f in (regret.grows, regret.hardly_grows))
    assert (up.measured, up.limit, up.relation) == (slope.low, 0.5, ">=")
    assert (down.measured, down.limit, down.relation) == (slope.high, 0.5, "<=")
    assert 0.4 < up.measured < 0.5 < down.measured < 0.6
    first, last = samples.mean(axis=0)[[0, -1]]
    for found in (up, down):
        assert found.detail.endswith(f"S = 3: {first:,.0f} at T=100, {last:,.0f} at 10,000.")


@pytest.fixture
def arms(monkeypatch):
    """Three numbers of actions; regrets of 8 games whose means are given."""
    means = {"htinf": [6.0, 12.0, 40.0], "exponential": [2.0, 3.0, 5.0], "thompson": [4.0, 6.0, 8.0]}
    found = {(PROFILE, SEED, name): np.add.outer([-1.0, 1.0] * 4, row) for name, row in means.items()}
    monkeypatch.setattr(regret.regret, "against_arms", lambda *asked: (np.array([2, 8, 32]), found[asked]))


def test_bandits_pay_for_what_they_do_not_see_at_every_number_of_arms(arms, ratios):
    found = regret.bandit_price(PROFILE, SEED, learner="htinf", limit=2.5)
    assert pieces(found) == known([(3.0, 2.5), (4.0, 2.5), (8.0, 2.5)])
    assert (found.measured, found.relation) == (pytest.approx(3), ">=")
    assert ratios == [(pytest.approx(1e-9 / 3), False)] * 3


def test_privacy_in_bandits_is_measured_against_thompson_sampling(arms, ratios):
    found = regret.privacy_in_bandits(PROFILE, SEED, learner="htinf", limit=4.5)
    assert pieces(found) == known([(1.5, 4.5), (2.0, 4.5), (5.0, 4.5)])
    assert (found.measured, found.relation) == (5.0, "<=")
    assert ratios == [(pytest.approx(1e-9 / 3), False)] * 3


def test_advice_is_compared_round_by_round_with_both_rivals(monkeypatch):
    """The upper limit 30 in 10 rounds, against lower ones of 8 in 2 rounds and of 50 in 25."""
    data = pd.DataFrame(
        {
            "learner": ["a", "b", "c"],
            "horizon": [2, 10, 25],
            "lower": [8.0, 20.0, 50.0],
            "upper": [9.0, 30.0, 60.0],
        }
    )
    monkeypatch.setattr(regret.other_games, "advised", lambda *asked: {(PROFILE, SEED): data}[asked])
    found = regret.advice(PROFILE, SEED, learner="b", limit=1.0)
    assert pieces(found) == known([(0.75, 1.0), (1.5, 1.0)])
    assert found.detail == "b against c."


def test_labels_are_compared_at_every_place_with_every_rival(monkeypatch):
    rows = [
        ("few", "sign_bits", 1.0, 3.0), ("few", "pure", 6.0, 8.0), ("few", "merged_response", 5.0, 6.0),
        ("many", "sign_bits", 4.0, 7.0), ("many", "pure", 3.5, 9.0), ("many", "merged_response", 14.0, 15.0),
    ]  # fmt: skip
    data = pd.DataFrame(rows, columns=["place", "learner", "lower", "upper"])
    data = data.assign(n_hypotheses=4.0, n_labels=32.0, regret=5.0)
    monkeypatch.setattr(regret.other_games, "labelled", lambda *asked: {(PROFILE, SEED): data}[asked])
    found = regret.labels(
        PROFILE, SEED, winner="sign_bits", rivals=("pure", "merged_response"), places=("few", "many"), limit=0.9
    )
    assert pieces(found) == known([(0.5, 0.9), (0.6, 0.9), (2.0, 0.9), (0.5, 0.9)])
    assert found.detail.startswith(
        "many, K=4, M=32; T = 10¹⁰, ε = 1; in the mean: one bit of a random sign test 5, Algorithm 2 of paper 5 5"
    )


# Exact privacy, proved bounds


@pytest.fixture
def losses(monkeypatch):
    """Exact losses that are given: 0.3 times what is asked for, times all noise's divisor; what was asked."""
    asked = []

    def given(value):
        def found(name, *, noise_divisor, **sizes):
            asked.append((name, sizes))
            return value(sizes["epsilon"] * noise_divisor)

        return found

    monkeypatch.setattr(privacy.privacy, "loss_of_prefixes", given(lambda e: 0.3 * e))
    monkeypatch.setattr(privacy.privacy, "delta_of_prefixes", given(lambda e: 2e-7 * e))
    monkeypatch.setattr(privacy.privacy, "loss_of_sums", given(lambda e: (0.3 * e, 2 if e > 0.15 else 1)))
    return asked


@pytest.mark.parametrize(("profile", "rounds"), [("quick", 32), ("full", 64), ("huge", 64)])
def test_prefix_sums_are_held_against_what_the_learner_declares(profile, rounds, losses):
    """A leader on noisy sums declares less than it is asked for: its level is that of its own tuning."""
    learners = ("hedge_tree_cube", "leader_tree_cube")
    found = privacy.prefix_sums(profile, SEED, learners=learners, noise_divisor=1.2)
    sizes = [{"n_actions": 3, "horizon": rounds, "epsilon": e} for e in LEVELS]
    assert losses == [(name, size) for name in learners for size in sizes]
    own = [NoisyLeader(**size, rng=np.random.default_rng(1)).privacy.epsilon for size in sizes]
    declared = zip(LEVELS * 2, (*LEVELS, *own), strict=True)
    assert pieces(found) == known((0.36 * e / level, SLACK) for e, level in declared)


def test_gaussian_sums_are_held_against_their_delta(losses):
    found = privacy.gaussian_sums(PROFILE, SEED, learners=("hedge_tree_gaussian",), noise_divisor=1.5)
    assert losses == [
        ("hedge_tree_gaussian", {"n_actions": 3, "horizon": 32, "epsilon": e, "delta": 1e-6}) for e in LEVELS
    ]
    assert pieces(found) == known((3e-7 * e, 1e-6 * SLACK) for e in LEVELS)


def test_sums_released_one_by_one_are_at_least_two(losses):
    """A learner that releases one sum alone shows nothing: its loss counts as infinite."""
    found = privacy.separate_sums(PROFILE, SEED, learners=("dp_se", "adap_ucb"), n_actions=4, noise_divisor=1.2)
    rounds = {"dp_se": 3300, "adap_ucb": 500}
    assert losses == [
        (name, {"n_actions": 4, "n_rounds": n, "epsilon": e}) for name, n in rounds.items() for e in LEVELS
    ]
    assert pieces(found) == known([(0.36, SLACK), (math.inf, SLACK)] * 2)


@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_random_bits_are_held_against_their_level(factor, monkeypatch):
    monkeypatch.setattr(
        privacy.privacy, "log_odds", lambda name, *, epsilon, epsilon_factor: len(name) * epsilon * epsilon_factor
    )
    found = privacy.random_bits(PROFILE, SEED, learners=("a", "bcd"), epsilon_factor=factor)
    assert pieces(found) == known((n * factor, SLACK) for n in (1, 3) for _ in LEVELS)


@pytest.mark.parametrize(("play", "measured"), [("their own", [3.0, 6.0]), ("uniform play", [9.0, 40.0])])
def test_proved_bounds_are_held_against_regrets_from_above(play, measured, monkeypatch):
    """The false alarm is shared by the learners."""
    found = {
        name: SimpleNamespace(mean=1.0, upper=upper, bound=bound, uniform=uniform)
        for name, upper, bound, uniform in (("htinf", 3.0, 4.0, 9.0), ("exp3", 6.0, 5.0, 40.0))
    }
    asked = []

    def against_bound(profile, seed, name, among):
        asked.append((profile, seed, name, among))
        return found[name]

    game = SimpleNamespace(losses="iid", gap=0.1, horizon=100)
    monkeypatch.setattr(lemmas, "competitors", SimpleNamespace(
        GAMES=dict.fromkeys(found, game), against_bound=against_bound
    ))  # fmt: skip
    evidence = lemmas.proved_bounds(PROFILE, SEED, learners=("htinf", "exp3"), constant=1.5, play=play)
    assert pieces(evidence) == list(zip(measured, [6.0, 7.5], strict=True))
    assert [piece.uniform for piece in evidence.pieces] == [9.0, 40.0]
    assert asked == [(PROFILE, SEED, name, 2) for name in found]
