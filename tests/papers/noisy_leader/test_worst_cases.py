"""Checks show the worst of what they compare, by hand or from numbers that are given, and try what they say."""

from itertools import permutations, product
from math import ceil, exp, log, log2
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from replicate.certify import CLAIM_FALSE_ALARM
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.checks import lemmas, privacy, regret
from replicate.papers.noisy_leader.checks.errata import proofs
from replicate.papers.noisy_leader.experiments import growth
from replicate.papers.noisy_leader.experiments import regret as experiments
from tests.papers.pieces import numbers, shown

CEILING = 1 + 1e-9


def regret_of_gumbel_noise(k, epsilon, horizon):
    """One action has loss 0, the others 1: selected after n rounds with odds (K - 1) e^(-eps n / 2)."""
    total = 1 - 1 / k
    for n in 2.0 ** np.arange(int(horizon).bit_length() - 1):
        total += min(2 * n, horizon - 2 * n + 1) * special.expit(log(k - 1) - epsilon / 2 * n)
    return total


# Errata


@pytest.mark.parametrize(("factor", "largest"), [("K", 99), ("1", 0)])
def test_an_integral_that_is_k_times_too_large_is_furthest_off_at_a_hundred_actions(factor, largest):
    found = proofs.integrand("quick", 0, factor=factor)
    assert (found.measured, found.limit) == (pytest.approx(largest, abs=1e-8), 1e-6)


@pytest.mark.parametrize("factor", ["K", "1"])
def test_a_learner_s_regret_is_held_against_the_integral_of_256_actions(factor):
    """From 1 on, of (K - 1) / (e^(t eps) + K - 1): log(1 + (K - 1) e^-eps) / eps."""
    ratios = []
    for k, epsilon in ((16, 0.1), (256, 1.0)):
        integral = log(1 + (k - 1) * exp(-epsilon)) / epsilon
        ratios.append((k if factor == "K" else 1) * integral / regret_of_gumbel_noise(k, epsilon, 2**30))
    found = proofs.integrand_against_a_learner("quick", 0, factor=factor)
    assert shown(found) == (pytest.approx(max(ratios), rel=1e-7), pytest.approx(CEILING, rel=1e-12), ">=")
    assert max(ratios) > 1.05 * min(ratios)


def test_the_least_horizon_costs_a_learner_most_at_the_smallest_constant():
    """K = 16 and epsilon = c ln K / 2: 5, 20 and 2,000 rounds; 2 over the largest regret."""
    regrets = [regret_of_gumbel_noise(16, c * log(16) / 2, ceil(2 / c)) for c in (0.4, 0.1, 0.001)]
    found = proofs.theorem_3_of_a_learner("quick", 0, horizon="least")
    assert shown(found) == (pytest.approx(2 / max(regrets), rel=1e-9), pytest.approx(CEILING), ">=")
    assert max(regrets) > 2 * min(regrets)


@pytest.mark.parametrize(("calibration", "scale"), [("printed", 1), ("corrected", 2)])
def test_exponential_noise_spends_two_over_its_scale_and_one_where_scores_move_together(calibration, scale):
    found = privacy.exponential_loss("quick", 0, calibration=calibration)
    assert shown(found) == (pytest.approx(2 / scale, rel=1e-9), 1 + 1e-6, ">=")
    assert f"moved the same way: {1 / scale:g}." in found.detail


@pytest.mark.parametrize(("learner", "scale"), [("exponential as printed", 1), ("exponential", 2)])
def test_two_rounds_of_exponential_noise_against_the_sum(learner, scale):
    """One half, and e^(-1 / scale) / 2 for a leader that is one behind; every learner: 1/2 and 1 / (1 + e)."""
    found = regret.below_the_sum("quick", 0, learner=learner)
    ratio = (1 / 2 + 1 / (1 + exp(1))) / (1 / 2 + exp(-1 / scale) / 2)
    assert shown(found) == (pytest.approx(ratio, rel=1e-9), pytest.approx(CEILING), ">=")


# Regret


@pytest.mark.parametrize("horizon", ["least", "1"])
@pytest.mark.parametrize("closest", [0, 3, 4])
def test_the_order_of_theorem_3_is_held_for_four_learners_and_for_any(horizon, closest, monkeypatch):
    """Regrets of 2, 3, 4, 5 and 6 orders, but for one learner half an order; T is ceil(ln K / epsilon), or 1."""
    asked, learners = [], (*NOISES, "prefix_softmax", "any learner")
    orders = [0.5 if i == closest else 2.0 + i for i in range(5)]

    def given(name, *, n_actions, epsilon, horizon):
        asked.append((name, n_actions, epsilon, horizon))
        return orders[learners.index(name)] * log(n_actions) / epsilon

    monkeypatch.setattr(regret.deterministic, "lower_bound_regret", given)
    monkeypatch.setattr(regret.bounds, "theorem_3_integral", lambda **words: given("any learner", **words))
    found = regret.order_of_theorem_3("quick", 0, horizon=horizon, constant=3.0)
    cells = list(product((2, 3, 16, 256), (log(2) / 64, 0.01, 0.1, 1.0)))
    limit = pytest.approx(3 * (1 - 1e-9), rel=1e-12)
    assert numbers(found) == [(pytest.approx(order), limit, ">=") for _ in cells for order in orders]
    rounds = {(2, log(2) / 64): 64}
    known = [
        (name, k, epsilon, 1 if horizon == "1" else rounds.get((k, epsilon), ceil(log(k) / epsilon)))
        for k, epsilon in cells
        for name in learners
    ]
    assert asked == known


@pytest.mark.parametrize("powers", list(permutations(((1.0, 1.2), (1.4, 0.5), (0.9, 1.3)))))
def test_the_steepest_growth_of_any_noise_between_neighbours_is_shown(powers, monkeypatch):
    """Powers of log K of their own from 4 to 16 and from 16 to 64 actions; of every noise the larger counts."""
    rows, asked = [], []
    for noise, (first, second) in zip(NOISES, powers, strict=True):
        for k, value in ((4, 1.0), (16, 2.0**first), (64, 2.0**first * 1.5**second)):
            rows.append({"noise": noise, "n_actions": k, "regret": value})
    monkeypatch.setattr(
        regret.growth, "deterministic_growth", lambda *words: asked.append(words) or pd.DataFrame(rows)
    )
    found = regret.exact_growth("quick", 7, noise_factor="log K")
    assert numbers(found) == [(pytest.approx(max(pair)), 1.5, "<=") for pair in powers]
    steepest = NOISES[[max(pair) for pair in powers].index(1.4)]
    assert found.detail.startswith(f"Steepest: {steepest}.")
    assert asked == [("quick", 7, "log K")]


def test_two_actions_are_split_in_one_way_that_is_listed_twice():
    """No group may be empty."""
    assert [share.tolist() for share in growth.splits(2)] == [[1, 1], [1, 1]]


# Lemmas


def test_the_largest_slope_over_value_of_all_vectors_counts(monkeypatch):
    """The sum is exp(x / K): slope over value is 1 / K, largest for two actions."""
    monkeypatch.setattr(lemmas.lemmas, "smooth_sum", lambda x, a: np.exp(np.asarray(x) / len(a)))
    found = lemmas.lemma_2("quick", 5, constant=3.0)
    assert shown(found) == (pytest.approx(1 / 2), pytest.approx(3 * CEILING), "<=")


@pytest.fixture
def integrals(monkeypatch):
    """Integrals that are given, and no result that is kept."""
    monkeypatch.setattr(lemmas, "_integrals", lemmas._integrals.__wrapped__)
    return lambda rule: monkeypatch.setattr(lemmas.lemmas, "lemma_integral", rule)


def test_the_largest_sum_over_an_integral_of_all_vectors_counts(integrals, monkeypatch):
    """K over 2, largest for 4,096 actions."""
    integrals(lambda a: 2.0)
    monkeypatch.setattr(lemmas.lemmas, "lemma_sum", lambda a: float(len(a)))
    assert shown(lemmas.lemma_3("quick", 5, constant=3.0)) == (2048, 3, "<=")


def test_the_integral_that_is_furthest_from_its_closed_form_counts(integrals):
    """They are a thousandth of K too large: 4.096 for 4,096 actions."""
    integrals(lambda a: log2(np.exp(-a).sum()) + len(a) / 1000)
    found = lemmas.lemma_3_integral("quick", 5, form="corrected")
    assert shown(found) == (pytest.approx(4.096), 1e-6, "<=")


@pytest.mark.parametrize(("order", "rise"), [("increasing", 0.0), ("decreasing", 1 - 0.99**500)])
def test_binomial_laws_rise_most_from_one_hundredth_to_zero(order, rise):
    """Of 500 coins none shows a loss with probability 0.99^500, or 1; the other way nothing rises."""
    found = lemmas.lemma_4("quick", 0, order=order)
    assert shown(found) == (pytest.approx(rise, rel=1e-12, abs=1e-13), 1e-12, "<=")


# What is tried at random

SEEDS = range(10)


def uniform(values, low, high):
    """Whether values may be draws that are uniform between two numbers, and not all in a part of the range."""
    spread = np.ptp(values) / (high - low)
    return stats.kstest(np.asarray(values), stats.uniform(low, high - low).cdf).pvalue > 1e-6 and spread > 0.9


def assert_exponential_at_many_scales(drawn, low, high):
    """Entries of long vectors are exponential in units of a scale, whose logarithm to base 10 is uniform."""
    long = [vector for vector in drawn if len(vector) >= 15]
    logs = np.array([np.log10(vector.mean()) for vector in long])
    assert uniform(logs, low, high), (logs.min(), logs.max())
    for vector in long:
        assert stats.kstest(vector / vector.mean(), stats.expon.cdf).pvalue > 1e-6


def test_vectors_of_the_lemmas_have_a_zero_and_entries_at_many_scales():
    """Eight each of 1, 2, 5, 30 and 199 entries besides, at scales 10^-4 to 10; then steep and flat ones."""
    everywhere = []
    for seed in SEEDS:
        vectors = lemmas._vectors(seed)
        assert all(a[0] == 0 and (a[1:] > 0).all() for a in vectors)
        drawn, steep, flat = vectors[:40], vectors[40:43], vectors[43:]
        assert [len(a) - 1 for a in drawn] == [k for k in (1, 2, 5, 30, 199) for _ in range(8)]
        for a, share in zip(steep, (0.7, 0.8, 0.9), strict=True):
            assert a[1:] == pytest.approx(np.full(4095, share * log(4096) / 32))
        assert [a.tolist() for a in flat] == [[0.0, *[1e-6] * k] for k in (1, 30, 1000)]
        everywhere += [a[1:] for a in drawn]
    assert_exponential_at_many_scales(everywhere, -4, 1)


def test_both_lemmas_are_tried_on_all_the_vectors(integrals, monkeypatch):
    """The second, its converse on vectors less half of their largest entry, and the third."""
    seen = []
    monkeypatch.setattr(lemmas.lemmas, "smooth_sum", lambda x, a: seen.append((x, a)) or -np.exp(np.asarray(x)))
    vectors = lemmas._vectors(5)
    lemmas.lemma_2_negative("quick", 5, constant=1.0)
    for (x, given), a in zip(seen[::2], vectors, strict=True):
        assert given == pytest.approx(a - a.max() / 2)
        assert (x[0], 2 ** x[-1] * a.max() / 2) == (-12, pytest.approx(500))
    seen.clear()
    monkeypatch.setattr(lemmas.lemmas, "smooth_sum", lambda x, a: seen.append(a) or np.exp(np.asarray(x)))
    lemmas.lemma_2("quick", 5, constant=1.0)
    integrals(lambda a: seen.append(a) or 1.0)
    monkeypatch.setattr(lemmas.lemmas, "lemma_sum", lambda a: seen.append(a) or 1.0)
    lemmas.lemma_3("quick", 5, constant=1.0)
    expected = [a for a in vectors for _ in range(2)] + vectors + vectors
    assert all((given == a).all() for given, a in zip(seen, expected, strict=True))


def test_scores_are_exponential_at_scales_from_a_hundredth_to_ten(monkeypatch):
    tried = []
    monkeypatch.setattr(lemmas.lemmas, "flip_over_softmax", lambda scores: tried.append(scores) or 1.0)
    for seed in SEEDS:
        lemmas.flip_over_softmax("quick", seed, constant=1.3)
    drawn = [scores for i, scores in enumerate(tried) if i % 95 < 80]
    assert_exponential_at_many_scales(drawn, -2, 1)


def test_deficits_are_exponential_at_scales_from_a_hundredth_to_sixteen(monkeypatch):
    """Four of two actions that are given, 160 of 2 to 64 actions; those beyond 100 are left out."""
    asked = []

    def law(scores, *, noise, scale):
        asked.append((-scores, noise, scale))
        return np.full(len(scores), 1.0 if noise == "gumbel" else float(len(asked) % 7))

    monkeypatch.setattr(lemmas.mechanisms, "report_noisy_max_pmf", law)
    drawn = []
    for seed in range(8):
        found = lemmas.dominance("quick", seed, scale=1.5)
        assert len(found.pieces) == len(asked) // 2
        assert "K=2, largest deficit 40:" in found.pieces[3].detail
        assert [(noise, scale) for _, noise, scale in asked] == [("exponential", 1.5), ("gumbel", 1.0)] * len(
            found.pieces
        )
        sums = [scores for scores, *_ in asked[::2]]
        assert all((sums[i] == asked[2 * i + 1][0]).all() and sums[i].min() == 0 for i in range(len(sums)))
        assert [scores.tolist() for scores in sums[:4]] == [[0, x] for x in (0.01, 1.0, 10.0, 40.0)]
        sizes = [len(scores) - 1 for scores in sums[4:]]
        assert sizes == sorted(sizes)
        assert all(30 < sizes.count(k) <= 40 for k in (1, 2, 15, 63))
        assert max(scores.max() for scores in sums) <= 100
        drawn += [scores[1:] for scores in sums[4:]]
        asked.clear()
    # Of the largest scales some are left out: up to 10^0.7 = 5 times 15 nothing is.
    within = [vector for vector in drawn if vector.mean() < 10**0.7]
    assert_exponential_at_many_scales(within, -2, 0.7)
    assert max(vector.mean() for vector in drawn if len(vector) > 10) > 10


# Bounds on regrets that are given


@pytest.mark.parametrize(("learner", "column"), [("the paper's", 0), ("uniform play", 1)])
@pytest.mark.parametrize("order", list(permutations((1.0, 7.0, 4.0))))
def test_regrets_at_critical_gaps_are_held_against_corollary_2(order, learner, column, monkeypatch):
    rows = pd.DataFrame({"upper": order, "bound": 5.0}).assign(uniform=lambda data: data["upper"] + 30)
    rows = rows.assign(n_actions=2, gap=0.1, epsilon=1.0, noise="gumbel")
    monkeypatch.setattr(regret.experiments, "critical_gaps", lambda *words: {("quick", 7): (rows, None)}[words])
    found = regret.corollary_2("quick", 7, learner=learner, constant=2.0)
    assert numbers(found) == [(value + 30 * column, 10, "<=") for value in order]
    assert [piece.uniform for piece in found.pieces] == [value + 30 for value in order]


@pytest.fixture(params=list(permutations((1.0, 7.0, 4.0))))
def found_worst(request, monkeypatch):
    """Regrets times epsilon that a search found for three noises, at 4, 16 and 64 actions, and Corollary 3."""
    rows = {"noise": NOISES, "n_actions": [4, 16, 64], "regret": request.param, "corollary_3": [5.0, 6.0, 7.0]}
    tables = {("quick", 7, "1"): pd.DataFrame(rows)}
    monkeypatch.setattr(regret.growth, "deterministic_growth", lambda *words: tables[words])
    return list(zip(NOISES, (4, 16, 64), request.param, strict=True))


@pytest.mark.parametrize("order", list(permutations((3.0, 9.0, 5.0))))
def test_regret_that_falls_with_epsilon_is_held_against_the_lower_limit_of_the_first(order, monkeypatch):
    """At epsilon = 1/4 at least 8, later at most what is given over epsilon; a share of an eighth each."""
    asked = []

    def limited(low, high):
        def limits(*, false_alarm):
            asked.append(false_alarm)
            return low, high

        return SimpleNamespace(limits=limits)

    found = {0.25: limited(8.0, 9.0)} | {
        level: limited(1.0, value / level) for level, value in zip((0.125, 0.0625, 0.03125), order, strict=True)
    }
    tables = {("quick", 7, "log K"): found}
    monkeypatch.setattr(regret.experiments, "falling_epsilon", lambda *words: tables[words])
    shown = regret.no_horizon("quick", 7, noise_factor="log K", limit=1.5)
    assert numbers(shown) == [(value / 2, 1.5, "<=") for value in order]
    assert asked == [pytest.approx(CLAIM_FALSE_ALARM / 8)] * 4
    assert shown.pieces[0].detail.startswith("ε Reg: at least 2 at ε=0.25, T=4,096; 0.125 to ")


UNIFORM = [0.001 * 2**59 * (1 - 1 / k) for k in (4, 16, 64)]
"""Uniform play's regret times epsilon where all gaps are 1."""


@pytest.mark.parametrize("learner", ["the paper's", "uniform play"])
def test_the_worst_regrets_found_are_held_against_corollary_3(learner, found_worst):
    found = regret.corollary_3("quick", 7, learner=learner, constant=2.0)
    values = UNIFORM if learner == "uniform play" else [value for *_, value in found_worst]
    assert numbers(found) == [
        (pytest.approx(value), 2 * bound, "<=") for value, bound in zip(values, (5, 6, 7), strict=True)
    ]
    assert [piece.uniform for piece in found.pieces] == pytest.approx(UNIFORM)


def test_the_worst_regrets_of_two_noises_are_held_against_theorem_4(found_worst, monkeypatch):
    """The bound is given as 1,000 K / 2; Laplace noise is left out."""

    def bound(*, n_actions, epsilon, factor):
        return n_actions * factor / epsilon

    monkeypatch.setattr(regret.bounds, "theorem_4", bound)
    found = regret.theorem_4("quick", 7, factor=0.5)
    known = [(value, pytest.approx(k / 2), "<=") for noise, k, value in found_worst if noise != "laplace"]
    assert numbers(found) == known


def test_the_worst_regrets_of_all_noises_are_held_against_our_bound(found_worst, monkeypatch):
    """The scale is 2 / epsilon; the bound is given as the scale times K, half of it, and more for later noises."""

    def bound(*, n_actions, noise, scale, factor):
        return n_actions * scale * factor * (1 + NOISES.index(noise))

    monkeypatch.setattr(regret.bounds, "potential", bound)
    found = regret.potential("quick", 7, factor=0.5)
    assert numbers(found) == [
        (value, pytest.approx(k * (i + 1)), "<=") for i, (_, k, value) in enumerate(found_worst)
    ]


def test_regret_over_time_is_the_mean_of_the_runs(monkeypatch):
    """Of three runs in blocks 1 to 31; what grows after the thirtieth block is limited."""
    regrets, grown = np.add.outer([0.0, 1.0, 5.0], np.arange(31.0)), []
    run = SimpleNamespace(rounds=2 ** np.arange(1, 32) - 1, regret=regrets)
    monkeypatch.setattr(experiments.dyadic, "simulate", lambda *_, **__: run)
    monkeypatch.setattr(experiments.certify, "mean_upper", lambda x, **_: grown.append(x.tolist()) or 3.0)
    data = experiments.late_growth.__wrapped__("quick", 7, "noisy leader")
    assert data["regret"].to_list() == pytest.approx(4 * list(np.arange(31.0) + 2))
    assert (grown, set(data["growth"])) == ([[1, 1, 1]] * 4, {3.0})
