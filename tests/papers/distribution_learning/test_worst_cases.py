"""Checks show the worst of what they compare, by hand or from numbers that are given, and try what they say."""

import math
from itertools import cycle, permutations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate.certify import CLAIM_FALSE_ALARM
from replicate.papers.distribution_learning import privacy as losses_of_messages
from replicate.papers.distribution_learning.checks import errata, lemmas, privacy, regret
from replicate.papers.distribution_learning.experiments import bits
from replicate.papers.distribution_learning.experiments import regret as experiments
from replicate.papers.distribution_learning.experiments.privacy import Audit
from tests.papers.pieces import numbers, shown

CEILING = 1 + 1e-9


# Regret


@pytest.mark.parametrize(("weights", "column"), [("learned", 0), ("frozen", 1)])
@pytest.mark.parametrize("order", list(permutations((3.0, 9.0, 5.0))))
def test_contexts_that_are_chosen_are_held_in_three_orders_for_every_truth(order, weights, column, monkeypatch):
    """Two truths for each order, the second with twice the risk and half of the bound."""
    risks = dict(zip(("hardest first", "hardest last", "greedy"), order, strict=True))

    def chosen(profile, seed, name):
        assert (profile, seed) == ("quick", 7)
        rows = {"truth": [0, 1], "horizon": 100, "bound": [20.0, 10.0], "uniform": [50.0, 60.0]}
        base = np.array([1.0, 2.0])
        return pd.DataFrame(rows | {"learned": risks[name] * base, "frozen": 10 * risks[name] * base})

    monkeypatch.setattr(regret.experiments, "chosen_contexts", chosen)
    found = regret.adversarial_contexts("quick", 7, constant=3.0, weights=weights)
    scale = (1, 10)[column]
    assert numbers(found) == [
        pair for risk in order for pair in ((scale * risk, 60, "<="), (2 * scale * risk, 30, "<="))
    ]
    assert [piece.uniform for piece in found.pieces] == [50, 60] * 3


@pytest.mark.parametrize(("learner", "divisor"), [("posterior", "upper"), ("weighted majority", "upper_2")])
@pytest.mark.parametrize("order", list(permutations((8.0, 6.0, 10.0))))
def test_a_lower_limit_of_algorithm_2_is_held_over_the_upper_one_of_bayes_rule(
    order, learner, divisor, monkeypatch
):
    """Or over its own upper limit."""
    columns = {"upper": 2.0, "upper_2": 16.0, "lower_2": list(order), "mean": 1.0, "response": 30.0}
    data = pd.DataFrame(columns).assign(instance="one", epsilon=1.0)
    monkeypatch.setattr(regret.experiments, "posterior_risks", lambda *words: {("quick", 7): data}[words])
    found = regret.posterior("quick", 7, factor=1.5, learner=learner)
    assert numbers(found) == [(low / columns[divisor], 1.5, ">=") for low in order]


@pytest.mark.parametrize(("radius", "failing"), [(6.0, 0), (6.5, 3), (9.0, 1)])
def test_an_estimate_that_the_median_trick_chooses_is_as_far_as_the_radius_allows(radius, failing, monkeypatch):
    """Three alpha and the radius, in units of 9 alpha, where more than half are at 3 alpha and some at both."""
    asked = []

    def failure(*, batches):
        asked.append(batches)
        return (2 if len(asked) - 1 == failing else 0.5) * math.exp(-batches / 18)

    monkeypatch.setattr(regret.bounds, "median_failure", failure)
    found = regret.median_boost("quick", 7, radius=radius)
    ratios = [2 if i == failing else 0.5 for i in range(4)]
    known = [(pytest.approx((3 + radius) / 9), pytest.approx(CEILING), "<=")]
    assert numbers(found) == known + [(pytest.approx(ratio), 1, "<=") for ratio in ratios]
    assert asked == [1, 10, 101, 1001]


def test_just_over_half_of_the_estimates_at_random_places_are_within_3_alpha(monkeypatch):
    """200 times for 1, 3, 5, 11 and 31 estimates; the others are anywhere up to five times as far."""
    drawn, rng = [], np.random.default_rng(5)

    def uniform(low, high, size):
        drawn.append((low, high, rng.uniform(low, high, size)))
        return drawn[-1][2]

    monkeypatch.setattr(
        regret, "stream", lambda *words: {(7, "dl", "median"): SimpleNamespace(uniform=uniform)}[words]
    )
    assert regret.median_boost("quick", 7, radius=6.0).measured <= CEILING
    sizes = [(m // 2 + 1, m - m // 2 - 1) for m in (1, 3, 5, 11, 31) for _ in range(200)]
    known = [part for near, far in sizes for part in ((-3, 3, near), (-15, 15, far))]
    assert [(low, high, len(places)) for low, high, places in drawn] == known


@pytest.mark.parametrize("learner", ["pure", "uniform"])
@pytest.mark.parametrize("worse", [0, 1])
def test_the_accuracy_that_is_promised_is_tried_on_two_classes(learner, worse, monkeypatch):
    """After 1,000 rounds for each hypothesis; four laws on eight labels, and two coins that are 0.105 apart."""
    measured, uniform = ((0.05, 0.08), (0.07, 0.02))[worse], ((0.3, 0.4), (0.6, 0.5))[worse]
    asked = []

    def promised(*, n_hypotheses, epsilon, accuracy):
        assert (epsilon, accuracy) == (1.0, 0.1)
        return 1000 * n_hypotheses

    def public(f, *words):
        asked.append((f.shape, words))
        return f

    def sums(f, truth):
        assert truth == 0
        return SimpleNamespace(variation=np.full(10, measured[len(f) == 2] * len(f) * 100))

    monkeypatch.setattr(regret.bounds, "sample_size", promised)
    monkeypatch.setattr(regret.experiments, "uniform_losses", lambda f, truth: (9.0, uniform[len(f) == 2]))
    monkeypatch.setattr(regret.experiments, "public_scheme", public)
    monkeypatch.setattr(regret.experiments, "bracketed", sums)
    found = regret.sample_size("quick", 7, learner=learner)
    losses = uniform if learner == "uniform" else measured
    assert numbers(found) == [(pytest.approx(loss), 0.1, "<=") for loss in losses]
    assert [piece.uniform for piece in found.pieces] == list(uniform)
    classes = [((4, 8), ("pure", 1.0, 4000)), ((2, 2), ("pure", 1.0, 2000))]
    assert asked == (classes if learner == "pure" else [])


@pytest.mark.parametrize(("weights", "column"), [("learned", 0), ("uniform", 1)])
@pytest.mark.parametrize("order", list(permutations((3.0, 9.0, 5.0))))
def test_one_bit_a_label_is_held_where_uniform_weights_break_the_bound(order, weights, column, monkeypatch):
    """And where an upper limit is known: of five classes one has none, and on one uniform weights are good."""
    columns = {"learned": [*order, 1.0, math.nan], "uniform": [50.0, 60.0, 70.0, 9.0, 80.0], "bound": 10.0}
    data = pd.DataFrame({f"tv_{name}": values for name, values in columns.items()})
    data = data.assign(instance="one", n_hypotheses=2, epsilon=1.0, horizon=100)
    monkeypatch.setattr(regret.bits, "rates", lambda *words: {("quick", 7): data}[words])
    found = regret.bits_bound("quick", 7, quantity="tv", constant=2.0, weights=weights)
    assert numbers(found) == [((value, 50 + 10 * i)[column], 20, "<=") for i, value in enumerate(order)]
    assert [piece.uniform for piece in found.pieces] == [50, 60, 70]


def test_what_all_pairs_reveal_together_is_held_against_what_a_round_can(monkeypatch):
    """Seven pairs whose divergences add up to 28 times the level, over twice the level."""
    level = iter([epsilon for epsilon in (0.1, 1.0, 3.0) for _ in range(18)])
    monkeypatch.setattr(regret.lemmas, "released_divergences", lambda *_: next(level) * np.arange(1.0, 8))
    monkeypatch.setattr(regret.bounds, "information", lambda epsilon: 2 * epsilon)
    found = regret.information("quick", 7, constant=3.0, factor=1.0)
    channels = [shown(piece) for piece in found.pieces if piece.detail.endswith(".") and "channel" in piece.detail]
    assert channels == [(pytest.approx(14), 3, "<=")] * 30
    assert len(found.pieces) == 3 * 19 + 2


def test_the_cell_with_the_largest_form_is_told(monkeypatch):
    """Given as K epsilon and a little less for longer games: 2^28 hypotheses, two rounds, epsilon 1."""
    monkeypatch.setattr(
        regret.bounds,
        "theorem_2_constant",
        lambda *, n_hypotheses, horizon, epsilon, power: n_hypotheses * epsilon - 1e-9 * math.log(horizon) * power,
    )
    found = regret.rates("quick", 7, constant=3.0, power=5.0)
    assert found.detail.endswith(f"K={2**28}, T=2, ε=1.0.")
    assert found.measured == pytest.approx(2**28)


def test_the_gap_of_a_pair_on_many_labels_is_told(monkeypatch):
    """Four times what the second law has where the first has nothing."""
    pair = np.array([[0.5, 0.5, 0.0, 0.0], [0.25, 0.5, 0.05, 0.2]])
    monkeypatch.setattr(regret.experiments, "response_pair", lambda size: pair)
    monkeypatch.setattr(regret.experiments, "uniform_losses", lambda f, truth: (1.0, 2.0))
    found = regret.response("quick", 7, constant=2.0, learner="uniform")
    assert [piece.detail for piece in found.pieces] == [
        f"Hadamard pair on M={size} labels, a=1, ε=1, T=1e+10." for size in (2, 8, 64, 1000)
    ]


@pytest.mark.parametrize(("learner", "exact"), [("non_private", True), ("pure", False)])
def test_risk_on_two_coins_is_exact_without_privacy_and_else_a_lower_limit(learner, exact, monkeypatch):
    """Three gaps and three horizons; chances of heads are twice the gap apart."""
    asked, cells = [], [(gap, t) for gap in (0.01, 0.1, 0.4) for t in (10, 1000, 10**5)]
    places = iter((5, 2, 8, 1, 9, 3, 7, 4, 6))

    def play(f, *key, **options):
        asked.append((round(abs(f[0, 0] - f[1, 0]), 9), *key, options))
        return SimpleNamespace(final=next(places) / 4)

    def low(final, *, false_alarm):
        assert false_alarm == pytest.approx(CLAIM_FALSE_ALARM / 9)
        return final

    monkeypatch.setattr(regret.experiments, "coins_mixture_risk", lambda *cell: 10.0 + cells.index(cell) * 7 % 9)
    monkeypatch.setattr(regret.experiments, "play", play)
    monkeypatch.setattr(regret.experiments, "risk_lower", low)
    found = regret.non_private("quick", 7, constant=2.0, learner=learner)
    mixtures = [10 + 7 * i % 9 for i in range(9)]
    risks = mixtures if exact else [place / 4 for place in (5, 2, 8, 1, 9, 3, 7, 4, 6)]
    assert numbers(found) == [(risk, pytest.approx(2 * math.log(2)), "<=") for risk in risks]
    options = [{"scheme": "pure", "horizon": t, "epsilon": 0.3} for _, t in cells]
    key = ("quick", 7, "non-private")
    known = [(2 * gap, *key, gap, words) for (gap, _), words in zip(cells, options, strict=True)]
    assert asked == ([] if exact else known)


# Lemmas


def test_uniform_weights_are_held_against_the_best_action_s_own_losses(monkeypatch):
    """Of 16 rounds the better action loses in two, the other in all, or in the same two: 7 or 0 more than that."""
    few = np.arange(16.0) // 2 == 1
    losses, nearly = np.column_stack([few, np.ones(16)]), np.column_stack([few, few]) * 1.0
    monkeypatch.setattr(lemmas.lemmas, "hard_tables", lambda *_: {"in": losses, "out": nearly})
    monkeypatch.setattr(lemmas.bounds, "wma_regret", lambda *, n_actions, horizon: 6.5)
    monkeypatch.setattr(lemmas.lemmas, "wma_regret", lambda losses, rate: 3.0)
    found = lemmas.wma("quick", 7, constant=2.0, rate_factor=1.0)
    assert [(*shown(piece), piece.uniform) for piece in found.pieces] == [(3, 13, "<=", 7)] * 4


@pytest.mark.parametrize("worst", range(3))
def test_lemma_4_on_messages_shows_the_worst_horizon_and_table(worst, monkeypatch):
    """Tables of 2, of 128 and of more rounds: one of them is given twice the regret of the others."""
    horizons = (2, 128, lemmas.SIZES["quick"].lemma_horizon)
    monkeypatch.setattr(lemmas.bounds, "wma_regret", lambda *, n_actions, horizon: float(horizon))
    monkeypatch.setattr(
        lemmas.lemmas,
        "wma_regret",
        lambda losses, rate: rate * len(losses) * (1 + (len(losses) == horizons[worst])),
    )
    names = list(lemmas.lemmas.hard_tables(2, 4, 0.5, np.random.default_rng(1)))
    found = numbers(lemmas.wma_on_messages("quick", 7, constant=3.0, rate_factor=0.5))
    known = [(0.5 * t * (1 + (i == worst)), 3 * t, "<=") for i, t in enumerate(horizons) for _ in names]
    assert found == known


@pytest.mark.parametrize(("losses", "sign"), [("positive", 1), ("negative", -1)])
def test_second_order_inequalities_are_tried_on_hard_tables_of_either_sign(losses, sign, monkeypatch):
    """Tables of 100 rounds for 2, 3 and 8 actions at five rates; ratios go up and down."""
    tables, asked = {"one": np.array([1.0]), "two": np.array([2.0])}, []

    def hard(rounds, k, rate, rng):
        asked.append((rounds, k, rate, rng.random()))
        return tables

    def slack(table, rate):
        return 10 * rate * float(table[0]) % 7

    monkeypatch.setattr(lemmas.lemmas, "hard_tables", hard)
    monkeypatch.setattr(lemmas.lemmas, "second_order_slack", slack)
    settings = [(k, rate) for k in (2, 3, 8) for rate in (0.1, 0.5, 1.0, 2.0, 4.0)]
    known = [pytest.approx(10 * rate * sign * size % 7) for _, rate in settings for size in (1, 2)]
    found = numbers(lemmas.second_order("quick", 7, constant=3.0, losses=losses))
    assert found == [(ratio, 3, "<=") for ratio in known]
    assert [row[:3] for row in asked] == [(100, *setting) for setting in settings]
    assert len({draw for *_, draw in asked}) == 15


@pytest.mark.parametrize(("scheme", "form"), [("pure", "exp3_regret"), ("approximate", "wma_regret")])
@pytest.mark.parametrize("order", list(permutations((40.0, 90.0, 70.0))))
def test_the_worst_array_of_noise_is_shown_alone(order, scheme, form, monkeypatch):
    """Limits of means of 1,500 runs, between what the weights and a round's divergence can make of the noise.

    The noise of 128 rounds is 2 for the truth and -1 for the other, or the other way round, or 0; R = 5.
    """
    tuning, asked = SimpleNamespace(factor=4.0, log_range=5.0), []
    shared = SimpleNamespace(tuning=tuning)
    arrays = {
        name: np.tile(row, (128, 1)) for name, row in (("for", [2, -1]), ("against", [-1, 2]), ("none", [0, 0]))
    }
    limits = iter(order)

    def public(f, *words):
        assert (f.tolist(), words) == ([[0.8, 0.2], [0.3, 0.7]], (scheme, 1.0, 128))
        return shared

    def bet(excess, **words):
        asked.append((excess, words["low"], words["high"]))
        assert words["false_alarm"] == pytest.approx(CLAIM_FALSE_ALARM / 3)
        return next(limits)

    def excess(used, truth, noise, *, replicates, rng, rate_factor):
        assert (used, truth, replicates, rate_factor) == (shared, 0, 1500, 0.5)
        return next(name for name, array in arrays.items() if array is noise)

    monkeypatch.setattr(lemmas, "public_scheme", public)
    monkeypatch.setattr(lemmas.bounds, "exp3_regret", lambda **_: math.nan)
    monkeypatch.setattr(lemmas.bounds, "wma_regret", lambda **_: math.nan)
    monkeypatch.setattr(lemmas.bounds, form, lambda *, n_actions, horizon: n_actions * horizon)
    monkeypatch.setattr(lemmas, "_noise_arrays", lambda *words: arrays)
    monkeypatch.setattr(lemmas.lemmas, "conditional_excess", excess)
    monkeypatch.setattr(lemmas.certify, "betting_upper", bet)
    found = lemmas.conditional("quick", 7, scheme=scheme, constant=3.0, rate_factor=0.5)
    assert shown(found) == (90, 3 * (2 * 128 / 4 + 3 * 5), "<=")
    assert found.detail.startswith(f"Noise: {list(arrays)[order.index(90)]};")
    assert found.pieces == ()
    most = 128 * 5 + 3 * 5
    assert asked == [("for", 0, 128 * 3 + most), ("against", -128 * 3, most), ("none", 0, most)]


def test_noise_is_extreme_or_drawn_and_cut():
    """For the truth, against it, or first the one; draws of scale 2 are cut at 3: the share e^-1.5 of them."""
    scheme = SimpleNamespace(tuning=SimpleNamespace(shift=3.0, scale=2.0))
    arrays = lemmas._noise_arrays(scheme, 4, 0, np.random.default_rng(1))
    favour = [[3, -3]] * 4
    assert [array.tolist() for array in arrays.values()] == [favour, [[-3, 3]] * 4, [[-3, 3]] * 2 + favour[2:]]
    drawn = list(lemmas._noise_arrays(scheme, 4000, 2, np.random.default_rng(1)).values())[3:]
    assert [array.shape for array in drawn] == [(4000, 2)] * 2
    for column in np.hstack(drawn).T:
        assert np.abs(column).max() == 3
        assert np.mean(np.abs(column) == 3) == pytest.approx(math.exp(-1.5), abs=0.04)
        law = stats.truncexpon(1.5, scale=2).cdf
        assert stats.kstest(np.abs(column[np.abs(column) < 3]), law).pvalue > 1e-6
        assert np.mean(column > 0) == pytest.approx(0.5, abs=0.05)
    assert np.abs(np.corrcoef(np.hstack(drawn).T) - np.eye(4)).max() < 0.1


# Privacy


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_the_loss_on_three_labels_is_held_and_that_on_fifty_told(calibration, monkeypatch):
    """The laws (1/2, 1/2, 0) and (0, 0, 1); one label against 49."""
    asked = []

    def loss(f, **words):
        asked.append((f.shape, words))
        assert sorted(map(sorted, f.tolist())) == sorted(map(sorted, ([0.5, 0.5, 0], [0, 0, 1]))) or f.shape == (
            2,
            50,
        )
        return f.shape[1] / 2

    monkeypatch.setattr(privacy, "privacy_loss", loss)
    found = privacy.three_labels("quick", 7, calibration=calibration)
    assert shown(found) == (1.5, pytest.approx(CEILING), ">=")
    assert found.detail.endswith("one law against 49 labels instead: 25.")
    words = {"epsilon": 1.0, "horizon": 100, "calibration": calibration}
    assert asked == [((2, 3), words), ((2, 50), words)]


@pytest.mark.parametrize("most", [0.1, 1.0, 2.0])
def test_the_largest_loss_of_one_coordinate_over_epsilon_is_shown(most, monkeypatch):
    """Of all classes, horizons and levels; losses are 0.4 epsilon, but 0.8 epsilon on 49 labels at 10^4 rounds."""
    asked = []

    def loss(f, *, epsilon, horizon, calibration, noise_factor):
        asked.append((f.shape, horizon, epsilon))
        assert (calibration, noise_factor) == ("corrected", 0.5)
        return epsilon * (0.8 if (f.shape, horizon, epsilon) == ((2, 50), 10**4, most) else 0.4)

    monkeypatch.setattr(privacy, "privacy_loss", loss)
    found = privacy.one_coordinate("quick", 7, calibration="corrected", noise_factor=0.5)
    assert shown(found) == (pytest.approx(0.8), pytest.approx(CEILING), "<=")
    assert found.detail == f"Largest exact loss over ε: one against 49, T=1e+04, ε={most:g}."
    shapes = [(2, 3), (2, 50), (2, 10**4)] + [(4, 16)] * privacy.SIZES["quick"].classes
    grid = [(t, e) for t in (10, 100, 10**4, 10**6, 10**12) for e in (0.1, 1.0, 2.0)]
    assert asked == [(shape, *cell) for shape in shapes for cell in grid]


@pytest.mark.parametrize("exact", [1.2, math.nan])
def test_what_labels_certify_is_held_against_one(exact, monkeypatch):
    asked = []
    audit = Audit(certified=0.7, exact=exact, samples=300)
    monkeypatch.setattr(privacy.audits, "audit_labels", lambda *words: asked.append(words) or audit)
    found = privacy.audited_labels("quick", 7, scheme="non_private")
    assert (shown(found), asked) == ((0.7, 1.0, "<="), [("quick", 7, "non_private")])
    assert ("Exact 1.2." in found.detail) == (exact == 1.2)


@pytest.mark.parametrize("order", list(permutations((1.5, 4.0, 2.0))))
def test_the_correction_costs_an_upper_limit_over_a_lower_one(order, monkeypatch):
    """Corrected at a level of its own over printed at 1, on the same class with the same scheme."""
    cells = [("one", "pure"), ("one", "approximate"), ("two", "pure")]
    levels = {1.0: (2.0, math.nan), 0.5: (math.nan, 2.0)}

    def risks(profile, seed, level):
        lower, upper = levels[level]
        rows = [
            {"instance": name, "scheme": scheme, "calibration": "printed", "lower": lower, "upper": -1.0}
            for name, scheme in cells
        ]
        rows += [
            {"instance": name, "scheme": scheme, "calibration": "corrected", "lower": -1.0, "upper": upper * x}
            for (name, scheme), x in zip(cells, order, strict=True)
        ]
        return pd.DataFrame(rows)

    monkeypatch.setattr(privacy.regret, "printed_and_corrected", risks)
    found = numbers(privacy.price("quick", 7, factor=3.0, epsilon=0.5))
    by_name = [order[1], order[0], order[2]]
    assert found == [(ratio, 3, "<=") for ratio in by_name]


def test_many_classes_have_laws_at_three_concentrations_and_disjoint_supports():
    """Five classes with zeros, twelve sizes of 60 drawn classes, and ten with supports of their own."""
    classes = privacy._many_classes(np.random.default_rng(3))
    assert len(classes) == 5 + 12 * 60 + 10
    assert all(f.sum(axis=1) == pytest.approx(1) for f in classes)
    drawn = {1.0: [], 0.3: [], 0.05: []}
    place = 5
    for k, m in ((k, m) for k in (2, 3, 5) for m in (2, 5, 12, 60)):
        for concentration in (0.05, 0.3, 1.0):
            part = classes[place : place + 20]
            assert {f.shape for f in part} == {(k, m)}
            law = stats.beta(concentration, concentration * (m - 1))
            drawn[concentration] += [law.cdf(f[0, 0]) for f in part]
            place += 20
        if m >= k:
            assert ((classes[place] > 0).sum(axis=0) == 1).all()
            place += 1
    assert all(stats.kstest(values, stats.uniform.cdf).pvalue > 1e-6 for values in (drawn[0.3], drawn[1.0]))
    assert np.mean(np.array(drawn[0.05]) > 0.5) == pytest.approx(0.5, abs=0.2)


# Errata


@pytest.mark.parametrize(("chosen", "released"), [("each round", 2.0), ("the sum", 32 / 31)])
def test_the_pair_that_rounds_reveal_least_is_held_against_each_limit(chosen, released, monkeypatch):
    """Pair i has divergence i + 1 in each of 31 rounds, in the first one twice that."""
    rounds = cycle([2.0] + [1.0] * 30)
    monkeypatch.setattr(errata.lemmas, "released_divergences", lambda *_: next(rounds) * np.arange(1.0, 32)[::-1])
    found = errata.one_for_all_rounds("quick", 0, chosen=chosen)
    limits = [0.09 * math.expm1(e) ** 2 * math.exp(e) / 62 for e in (0.1, 0.5)]
    assert numbers(found) == [(pytest.approx(released / limit), pytest.approx(CEILING), ">=") for limit in limits]


@pytest.mark.parametrize(
    ("hypotheses", "cells", "limit"), [("three labels", 2 + 2 + 3, 6), ("one against 49 labels", 50 + 49 * 2, 100)]
)
def test_cells_of_a_class_are_counted_over_k_m_by_hand(hypotheses, cells, limit):
    """A label has M times its largest chance, rounded up: 3 / 2, 3 / 2 and 3; 50, and 50 / 49 of each other."""
    found = privacy.n_cells("quick", 0, hypotheses=hypotheses)
    assert shown(found) == (pytest.approx(cells / limit), pytest.approx(CEILING), ">=")
    assert found.detail.startswith(f"N' = {cells}, K M = {limit}, ")


def test_the_smallest_density_is_told_of_cells_that_there_are(monkeypatch):
    """Of 1/500 and 1/800, where there is a cell, in units of 1 / (T K M) = 1/600; 1/5000 has no cell."""
    density = np.log([[1 / 500, 1 / 5000, 0.5], [0.3, 0.2, 1 / 800]])
    channel = SimpleNamespace(n_cells=9.0, cells=np.array([2, 0, 3]), log_density=lambda f: density)
    monkeypatch.setattr(
        privacy.channels, "clipping", lambda f, weights, horizon: {(3, 100): channel}[len(weights), horizon]
    )
    found = privacy.n_cells("quick", 0, hypotheses="three labels")
    assert (found.measured, f"smallest density x TKM = {600 / 800:.4g};" in found.detail) == (1.5, True)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_loss_of_a_scheme_is_that_of_its_worst_context(order, monkeypatch):
    """The largest chance of a label stands in for a context's loss: 9/10 or 6/10."""
    contexts = np.array([[[0.9, 0.1], [0.2, 0.8]], [[0.6, 0.4], [0.5, 0.5]]])[list(order)]
    monkeypatch.setattr(losses_of_messages, "one_coordinate_loss", lambda channel, masses, scale: masses.max())
    assert losses_of_messages.privacy_loss(contexts, epsilon=1.0, horizon=100) == pytest.approx(0.9)


# Experiments


def test_losses_of_fixed_mixtures_are_means_over_contexts():
    """In one context the laws are 3/4 and 1/4 of heads, in the other alike: half of what the first costs."""
    f = np.array([[[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.5], [0.5, 0.5]]])
    first = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    assert experiments.uniform_losses(f, 0) == pytest.approx((first / 2, 0.25 / 2))
    scheme = SimpleNamespace(masses=f, predictions=f)
    assert experiments.frozen_losses(scheme, 0) == pytest.approx((math.log(3) / 2 / 2, 0.5 / 2))


@pytest.mark.parametrize(("pairs", "runs"), [(1, 320), (3, 106), (15, 80)])
def test_distances_on_pairs_have_640_runs_in_all_or_80_for_each_truth(pairs, runs, monkeypatch):
    asked = []

    def play(f, *key, truth, **options):
        asked.append((len(f), truth, options["replicates"]))
        return SimpleNamespace(averaged_tv=np.zeros(options["replicates"]))

    monkeypatch.setattr(bits.regret, "play", play)
    monkeypatch.setattr(bits.regret, "risk_lower", lambda total, **_: float(len(total)))
    found = bits.pair_distances.__wrapped__("quick", 7, 1.0, 10**6, pairs)
    assert found["lower"].to_list() == [runs, runs, 10]
    assert asked == [(2 * pairs, truth, many) for many in (runs, runs, 10) for truth in range(2 * pairs)]


@pytest.mark.parametrize(("profile", "k", "runs"), [("quick", 3, 106), ("quick", 15, 40), ("full", 15, 40)])
@pytest.mark.parametrize("quantity", ["tv", "risk"])
@pytest.mark.parametrize("interaction", [False, True])
def test_losses_on_signed_classes_are_means_over_every_truth(interaction, quantity, profile, k, runs, monkeypatch):
    """The class has the gap of the bound that it is held against; truth j costs j in distance, 100 j in risk."""
    asked, limits = [], []

    def play(f, *key, truth, scheme, replicates, **options):
        asked.append((f, key[:2], key[2:], scheme, truth, replicates))
        assert options == {"epsilon": 0.5, "horizon": 10**6, "grid": 100}
        shared = np.ones(replicates)
        return SimpleNamespace(averaged_tv=truth * shared, final=100 * truth * shared)

    monkeypatch.setattr(bits.regret, "play", play)
    monkeypatch.setattr(bits.certify, "share", lambda many: many)
    monkeypatch.setattr(bits.regret, "risk_lower", lambda x, **words: limits.append((x, *words.values())) or 1.0)
    bits.signed_losses.__wrapped__(profile, 7, quantity, interaction, 0.5, 10**6, k)
    setting = {"n_hypotheses": k, "horizon": 10**6, "epsilon": 0.5, "interaction": interaction}
    if quantity == "tv":
        f = bits.instances.signed_class(k, bits.bounds.signed_gap(**setting))
    else:
        f = bits.instances.rare_class(k, bits.bounds.rare_share(**setting))
    control = 10 if profile == "quick" else runs
    expected = [
        (scheme, truth, many)
        for scheme, many in (("randomized_response", runs), ("sign_bits", runs), ("non_private", control))
        for truth in range(k)
    ]
    assert [words[3:] for words in asked] == expected
    assert all((words[0] == f).all() for words in asked)
    assert {words[1:3] for words in asked} == {((profile, 7), ("signed", quantity, interaction, k))}
    mean = (k - 1) / 2 * (1 if quantity == "tv" else 100)
    assert [(set(x), share) for x, share in limits] == [({mean}, 9)] * 3


def test_laws_of_messages_of_merged_neighbours_differ_most_in_one_message(monkeypatch):
    """Twenty classes of twelve labels, three of one kind each; merged labels release what the first law would."""
    channel = np.column_stack([share := np.array([0.6] * 5 + [0.4] * 7), 1 - share])
    laws, dirichlet = [], bits.instances.dirichlet
    shares = SimpleNamespace(dirichlet=lambda weights, size: np.full((size, 3), 1 / 3))

    def drawn(*sizes, **words):
        laws.append(np.repeat(dirichlet(*sizes, **words), 3, axis=1) / 3)
        return dirichlet(*sizes, **words)

    monkeypatch.setattr(bits, "stream", lambda *_: shares)
    monkeypatch.setattr(bits.instances, "dirichlet", drawn)
    monkeypatch.setattr(bits.instances, "extremal_channel", lambda *_, **__: channel)
    found = bits.merged_channels(7, "neighbours")
    groups = [(11, 0, 1), (2, 3, 4), (5, 6, 7), (8, 9, 10)]
    for f, (difference, _) in zip(laws, found, strict=True):
        merged = [sum(f[0, y] * channel[y, 0] for y in group) / sum(f[0, y] for y in group) for group in groups]
        apart = [
            sum(row[y] * (merged[c] - channel[y, 0]) for c, group in enumerate(groups) for y in group) for row in f
        ]
        assert difference == pytest.approx(max(map(abs, apart)))
        assert abs(apart[0]) < 1e-12 < difference


def test_a_greedy_order_takes_the_context_that_costs_most_in_every_stretch(monkeypatch):
    """A round of the second context costs twice as much: all rounds are there, also between the stretches."""
    edges, starts = np.array([1.0, 300.0, 777.0, 1000.0]), []

    def bracket(scheme, truth, visits):
        assert truth == 1
        starts.append(visits[0].tolist())
        return SimpleNamespace(upper=[(visits[1] - visits[0]) @ [1.0, 2.0]])

    scheme = SimpleNamespace(horizon=1000, masses=np.full((2, 2, 2), 0.5))
    monkeypatch.setattr(experiments, "stretches", lambda horizon: edges)
    monkeypatch.setattr(experiments, "bracket", bracket)
    found = experiments.chosen_visits(scheme, 1, "greedy")
    places = np.unique(np.append(edges, np.append(0, 10 ** np.linspace(0, 3, 40))).round(9))
    assert found == pytest.approx(np.column_stack([0 * places, places]))
    assert starts[2:4] == [pytest.approx([0, 1])] * 2
