"""Parts of a check that do not lead: each is the number that calculus gives; tables that a check tries."""

import math
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replicate.papers.distribution_learning import instances
from replicate.papers.distribution_learning import lemmas as quantities
from replicate.papers.distribution_learning.checks import lemmas, privacy, regret
from replicate.papers.distribution_learning.experiments import bits
from replicate.streams import stream


def test_the_steps_of_our_lower_bound_are_their_suprema():
    """The variance at the best share, x - log(1 + x) over x**2 at x = -1/2, the divergence's slope at gap 0."""
    found = regret.information("quick", 0, constant=1.0, factor=1.0).pieces
    variance = [piece.measured for piece in found if piece.detail.startswith("Variance")]
    assert variance == pytest.approx([1.0] * 3, rel=1e-3)
    assert [piece.measured for piece in found[-2:]] == pytest.approx([4 * (math.log(2) - 1 / 2), 1.0], rel=1e-4)


@pytest.mark.parametrize(("schemes", "known"), [("sum", 32), ("one pair", 62)])
def test_the_pair_that_is_revealed_least_is_held_against_the_limit(schemes, known, monkeypatch):
    """Pair i has divergence i + 1 in each of 31 rounds, in the first one twice that: 32 in all, 2 at the most."""
    rounds = cycle([2.0] + [1.0] * 30)
    monkeypatch.setattr(regret.lemmas, "released_divergences", lambda *_: next(rounds) * np.arange(1.0, 32))
    found = regret.time_varying("quick", 0, constant=1.0, schemes=schemes).pieces
    assert [piece.measured for piece in found] == [known] * 4


@pytest.mark.parametrize("tests", ["signs", "pairs"])
def test_the_price_of_two_coins_is_one(tests):
    """Their span is one direction: one test decides it, and certificate and ascent meet."""
    found = lemmas.price("quick", 0, limit=4.0, tests=tests).pieces
    coins = {piece.detail.split(".")[0]: piece.measured for piece in found if "two coins" in piece.detail}
    assert coins == pytest.approx({"Certificate": 1.0, "Ascent": 1.0})


def test_hard_tables_are_what_their_names_say():
    tables = quantities.hard_tables(8, 3, 0.5, stream(1, "hard"))
    one_good, late = tables["one good action"], tables["the best action changes"]
    assert one_good.tolist() == [[0, 1, 1]] * 8
    assert late.tolist() == [[1, 0, 0]] * 4 + [[0, 1, 1]] * 4
    leader = tables["the leader loses"]
    before = np.vstack([np.zeros(3), leader.cumsum(axis=0)[:-1]])
    assert leader.argmax(axis=1).tolist() == before.argmin(axis=1).tolist() == [0, 1, 2, 0, 1, 2, 0, 1]
    assert (leader.sum(axis=1) == 1).all()
    long = quantities.hard_tables(4000, 3, 0.5, stream(2, "hard"))
    half = long["one good action, half of the time"]
    assert (half == half[:, 2:] * [0, 1, 1]).all()
    for shares in (half[:, 1], long["coin flips"], long["uniform numbers"]):
        assert shares.mean() == pytest.approx(0.5, abs=0.04)
    assert {*np.unique(long["coin flips"])} == {*np.unique(half)} == {0.0, 1.0}
    assert np.abs(np.corrcoef(long["coin flips"].T) - np.eye(3)).max() < 0.08
    assert len(np.unique(long["uniform numbers"])) == 12_000


def test_lemma_4_is_tried_on_messages_of_all_labels(monkeypatch):
    """One label has two messages in a coordinate, a low and a high one; of eight labels some are in common."""
    tables = []
    monkeypatch.setattr(lemmas.lemmas, "wma_regret", lambda losses, rate: tables.append(losses) or 0.0)
    lemmas.wma_on_messages("quick", 0, constant=1.0, rate_factor=1.0)
    flips = [table for table in tables if len(table) == max(map(len, tables))][-1]
    assert all(8 < len(np.unique(column)) <= 16 for column in flips.T)


def numbers(evidence):
    return [(piece.measured, piece.limit) for piece in evidence.pieces or (evidence,)]


@pytest.mark.parametrize(("noise", "least"), [("printed", 3.0), ("lemma_2", 1.5)])
def test_the_smallest_excess_of_noise_is_that_of_two_hypotheses_or_more(noise, least, monkeypatch):
    rows = {"n": [1, 2, 4], "delta": 0.01, "exact": [1.0, 2.0, 4.0], "printed": [2.0, 8.0, 12.0]}
    table = pd.DataFrame(rows | {"lemma_2": [1.1, 3.0, 8.0]})
    monkeypatch.setattr(privacy.audits, "noise_scales", lambda *_: table)
    found = privacy.excess_noise("quick", 0, factor=1.2, noise=noise)
    assert numbers(found) == [(least, 1.2)]
    assert found.relation == ">="
    most, n = {"printed": (4, 4), "lemma_2": (2, 2)}[noise]
    assert found.detail == f"From {least:.3g} (K={n}, δ=0.01) to {most}; ε=1."


def test_noise_of_algorithm_1_over_what_algorithm_2_has(monkeypatch):
    """A scale of (1 + delta) K / epsilon is sqrt(K) (1 + delta) times sqrt(K) / epsilon."""
    monkeypatch.setattr(
        privacy.composition, "laplace_scale", lambda k, *, epsilon, delta: (1 + delta) * k / epsilon
    )
    found = privacy.cost_of_approximate("quick", 0, constant=0.7, deltas=(0.5, 0.25))
    known = [(math.sqrt(k) * (1 + d), 0.7) for k in (2, 4, 16, 64) for _ in range(2) for d in (0.5, 0.25)]
    assert numbers(found) == [pytest.approx(pair) for pair in known]
    assert {piece.relation for piece in found.pieces} == {">="}


@pytest.mark.parametrize(("limits", "cells", "factor"), [("printed", 32, 2), ("corrected", 36, 3)])
def test_cells_and_spread_are_the_worst_of_all_classes(limits, cells, factor, monkeypatch):
    """Two classes, of 2 laws on 3 labels and of 4 on 8: 5 and 35 cells; the spread is worst for the fewer laws."""
    channels = {
        (2, 3): SimpleNamespace(n_cells=5, sensitivity=lambda f: 9.0),
        (4, 8): SimpleNamespace(n_cells=35, sensitivity=lambda f: 9.0),
    }
    monkeypatch.setattr(privacy, "_many_classes", lambda rng: [np.ones(shape) for shape in channels])
    monkeypatch.setattr(privacy.channels, "clipping", lambda f, own, horizon: channels[f.shape])
    found = privacy.cells_and_sensitivity("quick", 0, limits=limits)
    assert numbers(found) == [(35, cells), (9, pytest.approx(math.log(1000 * factor)))]


@pytest.mark.parametrize("profile", ["quick", "full", "huge"])
def test_games_of_one_bit_a_label_are_long_enough_to_learn(profile):
    """A bit is worth epsilon^2 of a label: a million labels' worth and more, horizons are powers of ten."""
    settings = bits.SETTINGS[profile]
    assert len({*settings}) == len(settings) >= 2
    for epsilon, horizon in settings:
        assert f"{horizon}".strip("0") == "1"
        assert epsilon**2 * horizon >= 10**6 * (1 - 1e-12)


def shown(evidence):
    """Measured number, limit and that of uniform weights, of all pieces."""
    return [(piece.measured, piece.limit, piece.uniform) for piece in evidence.pieces or (evidence,)]


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_weighted_majority_is_tried_where_uniform_weights_break_the_bound(factor, monkeypatch):
    """Action 1 is right in all rounds, or in four: uniform weights lose T (1 - 1 / K), or at most 15/4."""

    def tables(horizon, k, rate, rng):
        losses = np.tile(np.arange(k) > 0, (horizon, 1)) * 1.0
        return {"all rounds": losses, "four rounds": losses * (np.arange(horizon) < 4)[:, None]}

    monkeypatch.setattr(lemmas.lemmas, "hard_tables", tables)
    monkeypatch.setattr(lemmas.lemmas, "wma_regret", lambda losses, rate: losses.sum() * rate)
    found = lemmas.wma("quick", 0, constant=3.0, rate_factor=factor)
    sizes = [(2, 16), (2, 400), (4, 400), (16, instances.SIZES["quick"].lemma_horizon)]
    limits = [math.sqrt(2 * t * math.log(k)) for k, t in sizes]
    known = [((k - 1) * factor * x, 3 * x, t * (1 - 1 / k)) for (k, t), x in zip(sizes, limits, strict=True)]
    assert shown(found) == [pytest.approx(row) for row in known]


@pytest.mark.parametrize(("profile", "sizes"), [("quick", [(2, 14), (3, 9)]), ("full", [(2, 16), (3, 10)])])
def test_lemma_7_is_tried_on_every_table_at_its_own_rate(profile, sizes, monkeypatch):
    """The regret is at most T times the rate, sqrt(2 T K log K)."""
    monkeypatch.setattr(lemmas.lemmas, "hard_tables", lambda t, k, rate, rng: {"one": (t, rate), "two": (t, 0.1)})
    monkeypatch.setattr(lemmas.lemmas, "one_coordinate_regret", lambda given, rate: (given[0] + given[1]) * rate)
    found = lemmas.one_coordinate(profile, 0, constant=3.0, rate_factor=0.5)
    known = []
    for k, t in sizes:
        limit = math.sqrt(2 * t * k * math.log(k))
        known += [((t + more) * limit / t / 2, 3 * limit) for more in (limit / t / 2, 0.1)]
    assert numbers(found) == [pytest.approx(pair) for pair in known]


def test_merged_channels_are_judged_by_the_worst(monkeypatch):
    """Laws at most 3e-13 apart, and a loss of nine tenths of the channel's."""
    asked = []
    given = [(1e-13, 0.5), (3e-13, 0.2), (2e-13, 0.9)]
    monkeypatch.setattr(lemmas.experiments, "merged_channels", lambda *words: asked.append(words) or given)
    found = lemmas.merging("quick", 7, classes="neighbours")
    assert (numbers(found), asked) == ([(3e-13, 1e-12), (0.9, 1 + 1e-9)], [(7, "neighbours")])


@pytest.mark.parametrize("level", [1.0, 1.02])
def test_a_bit_s_and_a_response_s_loss_is_the_level_they_are_made_for(level):
    """Some message is e^epsilon times likelier under one label than under another, and none is more."""
    assert numbers(privacy.bits_loss("quick", 0, level=level)) == [(pytest.approx(level), 1 + 1e-9)] * 18


@pytest.mark.parametrize("level", [1.0, 0.5])
def test_bayes_rule_reads_messages_with_noise_for_the_level(level, monkeypatch):
    """A loss of 6 for noise of scale 3: in units of epsilon."""
    asked = []

    def scheme(f, name, epsilon, horizon):
        asked.append((f.shape, name, epsilon, horizon))
        return SimpleNamespace(tuning=SimpleNamespace(scale=3.0))

    monkeypatch.setattr(privacy.regret, "public_scheme", scheme)
    monkeypatch.setattr(privacy.posterior, "message_classes", lambda shared, *, scale: 18 / scale)
    monkeypatch.setattr(privacy.posterior, "privacy_loss", lambda shared, classes: classes)
    found = privacy.posterior_loss("quick", 0, level=level)
    assert numbers(found) == [(pytest.approx(6 * level / epsilon), 1 + 1e-9) for epsilon in (1.0, 0.1, 1.0)]
    sizes = [((2, 50), 1.0, 10**12), ((2, 1000), 0.1, 10**15), ((4, 8), 1.0, 10**10)]
    assert asked == [(shape, "pure", epsilon, horizon) for shape, epsilon, horizon in sizes]


@pytest.mark.parametrize(("weights", "measured"), [("learned", (2.0, 3.0)), ("frozen", (70.0, 80.0))])
def test_large_classes_are_held_against_their_bounds(weights, measured, monkeypatch):
    rows = {"learned": [2.0, 3.0], "frozen": [70.0, 80.0], "uniform": [50.0, 60.0], "bound": [10.0, 20.0]}
    sizes = {"scheme": "pure", "n_hypotheses": 2, "n_labels": 3, "delta": 0.1}
    tables = {("quick", 7): pd.DataFrame(rows).assign(**sizes)}
    monkeypatch.setattr(regret.experiments, "large_classes", lambda *words: tables[words])
    found = regret.large_classes("quick", 7, constant=4.0, weights=weights)
    assert shown(found) == [(measured[0], 40, 50), (measured[1], 80, 60)]


@pytest.mark.parametrize("factor", [1.0, 0.9])
def test_simulated_means_lie_between_the_proved_limits(factor, monkeypatch):
    """Limits of 3 and 7 at the rate as it is; confidence limits are 1 below and above the mean, 6 error rates."""
    asked, rates, alarms, played = [], [], [], []
    monkeypatch.setattr(regret.experiments, "public_scheme", lambda f, *words: words)
    monkeypatch.setattr(regret.lemmas, "with_rate", lambda shared, rate: rates.append(rate) or (*shared, rate))

    def limits(shared, truth, contexts):
        asked.append((shared, truth, contexts))
        return SimpleNamespace(lower=np.array([1.0, 2.0]) * shared[-1], upper=np.array([3.0, 4.0]) * shared[-1])

    def confidence(side):
        return lambda samples, *, false_alarm: alarms.append(false_alarm) or samples.mean() + side

    monkeypatch.setattr(regret.experiments, "bracketed", limits)

    def play(f, profile, seed, place, name, *, truth, scheme, horizon):
        assert (profile, seed, place, scheme, horizon) == ("quick", 7, "closed form", "pure", 10**12)
        played.append(truth)
        return SimpleNamespace(final=np.array([4.0, 6.0]))

    monkeypatch.setattr(regret.experiments, "play", play)
    monkeypatch.setattr(regret.experiments, "risk_lower", confidence(-1))
    monkeypatch.setattr(regret.certify, "mean_upper", confidence(1))
    found = regret.closed_form("quick", 7, scheme="pure", rate_factor=factor)
    assert [(p.measured, p.limit, p.relation) for p in found.pieces] == [
        (4, pytest.approx(7 * factor), "<="), (6, pytest.approx(3 * factor), ">=")
    ] * 3  # fmt: skip
    assert all("mean 5 of 2 runs in" in piece.detail for piece in found.pieces)
    assert alarms == [regret.certify.share(6)] * 6
    shared = ("pure", 1.0, 10**12, factor)
    assert asked == [(shared, truth, "iid") for truth in (0, 1, 2)]
    assert played == [0, 1, 2]


@pytest.mark.parametrize(("channel", "tried"), [("private", 18), ("identity", 1)])
def test_the_pair_that_a_channel_tells_apart_least_is_held_against_a_square(channel, tried, monkeypatch):
    """Seven pairs, a gap of epsilon / 10: a^2 min{(e^epsilon - 1)^2, 1} e^epsilon / 14."""
    asked, released = [], set()

    def gap(**sizes):
        asked.append((sizes["n_pairs"], sizes["horizon"]))
        return sizes["epsilon"] / 10

    def divergences(f, law):
        released.add((*f, len(law)))
        return np.arange(2.0, 9)[::-1]

    monkeypatch.setattr(regret.bounds, "hadamard_gap", gap)
    monkeypatch.setattr(regret.instances, "hadamard_class", lambda n_pairs, gap: (n_pairs, gap))
    monkeypatch.setattr(regret.lemmas, "released_divergences", divergences)
    found = regret.two_points("quick", 0, constant=3.0, channel=channel)
    known = []
    for e in (0.1, 0.5, 1.0, 1.7, 3.0):
        limit = 3 * (e / 10) ** 2 * min(math.expm1(e) ** 2, 1) * math.exp(e) / 14
        known += [pytest.approx((2, limit))] * tried
    assert numbers(found) == known
    assert set(asked) == {(7, 10**4)}
    assert released == {(7, e / 10, 8) for e in (0.1, 0.5, 1.0, 1.7, 3.0)}


@pytest.mark.parametrize(("quantised", "best"), [(5.0, 5.0), (1e9, 200 * math.log(2))])
def test_theorem_1_is_held_against_the_better_of_two_schemes(quantised, best, monkeypatch):
    """Its form is sqrt(2 T) / (820 epsilon): 20 / 82 at T = 200 and epsilon = 1/10."""
    asked = []
    monkeypatch.setattr(regret.bounds, "quantised_risk", lambda **words: asked.append(words) or quantised)
    found = regret.theorem_1("quick", 0, horizon=200, epsilon=0.1)
    assert numbers(found) == [(pytest.approx(20 / 82 / best), 1 + 1e-9)]
    assert (asked, found.relation) == ([{"horizon": 200, "epsilon": 0.1}], ">=")


FEW = ((1.0, 1, 10**10), (1.0, 4, 10**10), (0.1, 4, 10**12))
MANY = ((1.0, 4, 10**10), (0.1, 4, 10**12), (1.0, 15, 10**10))


@pytest.mark.parametrize(("name", "settings"), [("few_labels", FEW), ("budgeted", MANY)])
def test_risks_on_pairs_are_held_against_the_bound_of_their_class(name, settings, monkeypatch):
    """With few labels M = 2 K + 1: sqrt(M T) / epsilon; else our bound, given as K times the horizon."""
    asked = []

    def risks(profile, seed, *setting):
        assert (profile, seed) == ("quick", 7)
        asked.append(setting)
        return pd.DataFrame({"learner": ["a", "b", "c"], "lower": [3.0, 1.0, 2.0]})

    monkeypatch.setattr(regret.bounds, "budgeted_gap", lambda *, n_pairs, horizon, epsilon: n_pairs * epsilon)
    monkeypatch.setattr(
        regret.bounds, "budgeted_lower_bound", lambda *, n_pairs, horizon, epsilon: n_pairs * horizon
    )
    monkeypatch.setattr(regret.experiments, "pair_risks", risks)
    found = getattr(regret, name)("quick", 7, constant=0.5, learners=("c", "a"))
    known = []
    for epsilon, pairs, horizon in settings:
        form = math.sqrt((2 * pairs + 1) * horizon) / epsilon if name == "few_labels" else pairs * horizon
        known += [(3, form / 2), (2, form / 2)]
    assert numbers(found) == [pytest.approx(pair) for pair in known]
    assert {piece.relation for piece in found.pieces} == {">="}
    assert asked == [(e, t, pairs, pairs * e) for e, pairs, t in settings]


@pytest.mark.parametrize(("name", "column"), [("small_epsilon", None), ("lower_bound", "theorem_3")])
def test_risks_on_the_hadamard_class_are_held_against_both_lower_bounds(name, column, monkeypatch):
    """Theorem 3 is a column; the corrected Theorem 1 is sqrt(K T) / epsilon."""
    rows = {"learner": ["a", "b", "c"], "lower": [5.0, 6.0, 7.0], "theorem_3": [8.0, 9.0, 10.0]}
    rows |= {"n_pairs": 4, "horizon": [100, 400, 900], "epsilon": [1.0, 0.5, 0.1], "gap": 0.1}
    tables = {("quick", 7): pd.DataFrame(rows)}
    monkeypatch.setattr(regret.experiments, "hadamard_risks", lambda *words: tables[words])
    found = getattr(regret, name)("quick", 7, constant=0.5, learners=("a", "c"))
    limits = (8, 10) if column else (20, 600)
    assert numbers(found) == [pytest.approx((5, limits[0] / 2)), pytest.approx((7, limits[1] / 2))]
    assert {piece.relation for piece in found.pieces} == {">="}


@pytest.mark.parametrize("weights", ["learned", "uniform"])
@pytest.mark.parametrize(("profile", "horizon"), [("quick", 400), ("full", 2000)])
def test_distances_of_two_coins_are_held_against_the_bits_that_resolve_them(
    profile, horizon, weights, monkeypatch
):
    """Gaps 2, 4 and 8 times 1 / (2 sqrt(T) tanh(epsilon / 2)), at most 0.49; uniform weights miss by the gap."""
    monkeypatch.setattr(regret.bits, "coins_distance", lambda gap, rounds, epsilon: gap + rounds + epsilon)
    found = regret.exact_bits(profile, 0, constant=3.0, weights=weights)
    known = []
    for epsilon in (0.3, 1.0, 3.0):
        bit = math.tanh(epsilon / 2)
        for times in (1, 2, 4):
            gap = min(times / (math.sqrt(horizon) * bit), 0.49)
            measured = gap + horizon + epsilon if weights == "learned" else horizon * gap**2
            known.append((measured, 3 * math.log(2) / (2 * bit**2), horizon * gap**2))
    assert shown(found) == [pytest.approx(row) for row in known]


def test_one_bit_a_pair_is_compared_with_one_sign(monkeypatch):
    """At least 6, and at most 2: a lower limit over an upper one."""
    limits = {("quick", 7, "pair_bits"): (6.0, 9.0), ("quick", 7, "sign_bits"): (1.0, 2.0)}
    monkeypatch.setattr(regret.bits, "block_distance", lambda *words: limits[words])
    found = regret.pairs_fail("quick", 7, factor=2.5, learner="pair_bits")
    assert (numbers(found), found.relation) == ([(3.0, 2.5)], ">=")


# Limits of what is drawn


@pytest.fixture
def bets(monkeypatch):
    """What a limit was asked for; the largest sample and a share of the range is the answer."""
    asked = []

    def upper(samples, *, low, high, false_alarm):
        asked.append((low, high, false_alarm))
        return max(samples) + (high - low) / 10

    monkeypatch.setattr(regret.certify, "betting_upper", upper)
    return asked


@pytest.mark.parametrize("learner", ["randomized_response", "uniform"])
def test_response_on_close_coins_is_held_by_an_upper_limit_up_to_twice_the_gap(learner, bets, monkeypatch):
    """Gaps of 1/10 and 1/5; samples beyond twice the gap are rounding."""
    data = pd.DataFrame({"horizon": [100, 1000], "gap": [0.1, 0.2]})
    samples = np.array([[0.05, 0.1], [0.3, 0.25]])
    monkeypatch.setattr(regret.experiments, "close_coins", lambda *_: (data, samples))
    monkeypatch.setattr(regret.experiments, "uniform_losses", lambda f, truth: (0.0, 9 * f[0, 0] + truth))
    monkeypatch.setattr(regret.bounds, "randomized_response_tv", lambda *, horizon, **_: 1 / horizon)
    found = regret.response_rate("quick", 0, constant=3.0, learner=learner)
    uniform = [9 * instances.close_pair(gap)[0, 0] for gap in (0.1, 0.2)]
    measured = uniform if learner == "uniform" else [0.2 + 0.02, 0.25 + 0.04]
    known = [(pytest.approx(value), 3 / t) for value, t in zip(measured, (100, 1000), strict=True)]
    assert [(piece.measured, piece.limit) for piece in found.pieces] == known
    assert bets == [(0, pytest.approx(top), pytest.approx(5e-10)) for top in (0.2, 0.4)]


@pytest.mark.parametrize("learner", ["randomized_response", "uniform"])
def test_response_on_many_labels_is_held_by_an_upper_limit_up_to_the_other_law(learner, bets, monkeypatch):
    """Risks are cut at 10^10 times the divergence of the pair's two laws, log 2 here."""
    pair = np.array([[0.5, 0.0, 0.5], [0.25, 0.5, 0.25]])
    asked = []
    monkeypatch.setattr(regret.experiments, "response_pair", lambda m: pair)
    monkeypatch.setattr(regret.experiments, "uniform_losses", lambda f, truth: (4e-10, 0.0))
    monkeypatch.setattr(
        regret.experiments, "response_run",
        lambda m, *words: asked.append((m, *words)) or SimpleNamespace(final=np.array([-1.0, m, 1e12])),
    )  # fmt: skip
    monkeypatch.setattr(regret.bounds, "randomized_response", lambda *, n_labels, **_: n_labels)
    found = regret.response("quick", 5, constant=3.0, learner=learner)
    top = 1e10 * math.log(2)
    value = 4 if learner == "uniform" else 1.1 * top
    assert [(piece.measured, piece.limit) for piece in found.pieces] == [
        (pytest.approx(value), 3 * m) for m in (2, 8, 64, 1000)
    ]
    drawn = learner != "uniform"
    assert bets == [(0, pytest.approx(top), pytest.approx(2.5e-10))] * (4 * drawn)
    assert asked == [(m, "quick", 5, learner) for m in (2, 8, 64, 1000)] * drawn


@pytest.mark.parametrize(("gap", "source"), [("shrinking", "close_coins"), ("fixed", "tv_over_horizons")])
def test_coins_are_held_by_a_lower_limit_at_every_horizon(gap, source, monkeypatch):
    data, samples = pd.DataFrame({"horizon": [100.0, 1e4]}), np.array([[0.5, 0.25], [0.7, 0.35]])
    asked = []

    def lower(x, *, false_alarm):
        asked.append((x.tolist(), false_alarm))
        return x.min() - 0.1

    for name in ("close_coins", "tv_over_horizons"):
        given = samples if name == source else -samples
        monkeypatch.setattr(regret.experiments, name, lambda *_, given=given: (data, given))
    monkeypatch.setattr(regret.experiments, "risk_lower", lower)
    monkeypatch.setattr(regret.bounds, "theorem_6", lambda *, horizon, **_: 1 / horizon)
    found = regret.tight_on_coins("quick", 0, constant=3.0, gap=gap)
    numbers = [(piece.measured, piece.limit, piece.relation) for piece in found.pieces]
    assert numbers == [(pytest.approx(0.4), 0.03, ">="), (pytest.approx(0.15), pytest.approx(3e-4), ">=")]
    assert asked == [([0.5, 0.7], pytest.approx(5e-10)), ([0.25, 0.35], pytest.approx(5e-10))]


@pytest.mark.parametrize(("profile", "many"), [("quick", 2), ("full", 3), ("huge", 3)])
def test_distances_are_held_by_lower_limits_of_the_learners_that_are_named(profile, many, monkeypatch):
    asked = []

    def distances(*words):
        asked.append(words)
        return pd.DataFrame({"learner": ["signs", "pairs", "others"], "lower": [0.5, 0.25, 0.0]})

    monkeypatch.setattr(regret.bits, "pair_distances", distances)
    monkeypatch.setattr(
        regret.bounds, "tv_lower_bound", lambda *, n_pairs, horizon, epsilon: n_pairs * epsilon / horizon
    )
    found = regret.distance_lower(profile, 5, constant=3.0, learners=("signs", "pairs"))
    settings = [(1.0, 10**6, 4), (0.1, 10**8, 4), (1.0, 10**8, 7)][:many]
    assert asked == [(profile, 5, *setting) for setting in settings]
    numbers = [(piece.measured, piece.limit, piece.relation) for piece in found.pieces]
    assert numbers == [
        (lower, pytest.approx(3 * pairs * epsilon / t), ">=")
        for epsilon, t, pairs in settings
        for lower in (0.5, 0.25)
    ]


@pytest.mark.parametrize(("profile", "many"), [("quick", 1), ("full", 3), ("huge", 3)])
@pytest.mark.parametrize("quantity", ["tv", "risk"])
@pytest.mark.parametrize("interaction", [False, True])
def test_losses_are_held_by_lower_limits_and_exact_ones(interaction, quantity, profile, many, monkeypatch):
    asked, short = [], []

    def losses(*words):
        asked.append(words)
        return pd.DataFrame({"learner": ["signs", "pairs", "others"], "lower": [0.5, 0.25, 0.0]})

    monkeypatch.setattr(regret.bits, "signed_losses", losses)
    monkeypatch.setattr(regret.bits, "greedy_loss", lambda *words: short.append(words) or 0.75)
    factors = {
        ("fano_tv", False): 1,
        ("fano_risk", False): 2,
        ("interactive_tv", True): 3,
        ("interactive_risk", True): 4,
    }
    for (name, _), factor in factors.items():
        monkeypatch.setattr(
            regret.bounds,
            name,
            lambda *, n_hypotheses, horizon, epsilon, factor=factor: factor * n_hypotheses * epsilon / horizon,
        )
    learners = ("signs", "pairs", "greedy_bits") if interaction else ("signs", "pairs")
    found = regret.hadamard_lower(
        profile, 5, quantity=quantity, interaction=interaction, constant=3.0, learners=learners
    )
    settings = [(1.0, 10**6, 7), (0.1, 10**8, 15), (3.0, 10**6, 7)][:many]
    assert asked == [(profile, 5, quantity, interaction, *setting) for setting in settings]
    assert short == ([(quantity, 2.0, 14, 3), (quantity, 3.0, 14, 3)] if interaction else [])
    factor = factors[f"{'interactive' if interaction else 'fano'}_{quantity}", interaction]
    numbers = [(piece.measured, piece.limit, piece.relation) for piece in found.pieces]
    assert numbers == [
        (lower, pytest.approx(factor * 3 * k * epsilon / t), ">=")
        for epsilon, t, k in settings
        for lower in (0.5, 0.25)
    ] + [(0.75, pytest.approx(factor * 3 * k * epsilon / t), ">=") for _, epsilon, t, k in short]


def test_released_information_is_held_against_what_two_classes_can_have(monkeypatch):
    """Every channel releases a chi square of 3, an information of 1, and 2 of divergence the other way round."""
    asked = []
    monkeypatch.setattr(
        regret.lemmas, "released_information", lambda *words: asked.append(words) or (3.0, 1.0, 2.0)
    )
    found = regret.signed_information("quick", 5, constant=0.5).pieces
    for epsilon in (0.1, math.log(3), 3.0):
        limits = {
            "gap": 0.25 * math.sinh(epsilon / 2) ** 2 / 7,
            "rare labels": 1e-4 * (math.exp(epsilon) - 1) ** 2 / 28,
        }
        for kind, limit in limits.items():
            own = (p for p in found if f" {kind}," in p.detail and p.detail.endswith(f"{epsilon:.3g}."))
            values = {piece.measured for piece in own}
            assert sorted(values) == pytest.approx([1 / 3, 5 / 6, 3 / limit])
    assert [piece.limit for piece in found] == pytest.approx([0.5] * len(found))
    assert {piece.relation for piece in found} == {"<="}
    for f, channel in asked:
        assert len(channel) == f.shape[1]
        np.testing.assert_allclose(channel.sum(axis=1), 1)
    losses = sorted({round(float(np.log(q.max(axis=0) / q.min(axis=0)).max()), 9) for _, q in asked})
    assert losses == pytest.approx([0.1, math.log(3), 3.0])
    assert len(asked) == 3 * (1 + 7 + 10 + 1 + 8 + 10)


@pytest.mark.parametrize("learner", ["randomized_response", "pure"])
def test_growth_in_labels_is_least_for_the_learner_and_largest_for_the_papers(learner, monkeypatch):
    """From 2 labels to 8; the limits of the risks are 1 and 2 of few, 4 and 64 of many."""
    asked = []
    monkeypatch.setattr(
        regret.experiments, "risk_in_labels", lambda *words: asked.append(words) or ((2, (1, 2)), (8, (4, 64)))
    )
    found = regret.growth_in_labels("quick", 5, learner=learner)
    names = list(dict.fromkeys((learner, "pure", "approximate")))
    assert asked == [("quick", 5, name) for name in names]
    numbers = [(piece.measured, piece.limit, piece.relation) for piece in found.pieces]
    others = [(pytest.approx(4), 1.05, "<=")] * (len(names) - 1)
    assert numbers == [(pytest.approx(0.5), 1.0, ">="), *others]


@pytest.mark.parametrize("weights", ["learned", "frozen"])
@pytest.mark.parametrize("quantity", ["risk", "tv"])
def test_settings_count_where_uniform_play_breaks_the_bound(weights, quantity, monkeypatch):
    """Of four, two are worse than the bound in this quantity; of one bit a label one of these was learned."""
    row = {"instance": "one", "truth": 0, "epsilon": 1.0, "horizon": 100, "n_hypotheses": 4}
    names = [f"{quantity}_{column}" for column in ("uniform", "bound", "learned", "frozen")]
    rows = [
        row | dict(zip(names, values, strict=True))
        for values in ((9.0, 5.0, 1.0, 2.0), (5.0, 5.0, 8.0, 8.0), (7.0, 6.0, math.nan, 3.0), (4.0, 6.0, 8.0, 8.0))
    ]
    monkeypatch.setattr(regret.bits, "rates", lambda *_: pd.DataFrame(rows))
    found = regret.bits_bound("quick", 0, quantity=quantity, constant=3.0, weights=weights)
    first = (1.0 if weights == "learned" else 2.0, 15, 9)
    assert [(p.measured, p.limit, p.uniform) for p in found.pieces or (found,)] == [first]
    rows[2][f"{quantity}_learned"] = 4.0
    monkeypatch.setattr(regret.experiments, "theorem_grid", lambda *_: pd.DataFrame(rows))
    found = regret.upper_bound("quick", 0, scheme="pure", quantity=quantity, constant=3.0, weights=weights)
    second = (4.0 if weights == "learned" else 3.0, 18, 7)
    assert [(p.measured, p.limit, p.uniform) for p in found.pieces] == [first, second]
