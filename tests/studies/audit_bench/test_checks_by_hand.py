"""What checks measure and hold it against, by hand: from limits, peaks and runs that are given."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replicate import audit
from replicate.studies.audit_bench.checks import lemmas, privacy

PROFILE, SEED = "quick", 1
SLACK = 1 + 1e-9


def pieces(evidence):
    return [(piece.measured, piece.limit) for piece in evidence.pieces]


def known(rows):
    return [pytest.approx(row, rel=1e-12) for row in rows]


# Tools


def test_bets_that_reach_a_peak_are_counted_at_three_levels(monkeypatch):
    """1,000 bets: 30 reach 20, five of these 100, the very number too, and one 1,000; a third of 1e-9 each."""
    peaks = np.repeat([1.0, 20.0, 100.0, 1000.0], [970, 25, 4, 1])
    monkeypatch.setattr(lemmas.bets, "peaks", lambda *asked: {(PROFILE, SEED, "average"): peaks}[asked])
    found = lemmas.level_of_bets(PROFILE, SEED, wealth="average")
    reached = [(0.05, 30), (0.01, 5), (0.001, 1)]
    assert pieces(found) == known((stats.beta.isf(1e-9 / 3, k + 1, 1000 - k), alpha) for alpha, k in reached)


@pytest.mark.parametrize("spent", [1.0, 1.5])
def test_one_limit_errs_as_it_is_asked_for(spent, monkeypatch):
    """By the given chance alpha / 2 + x / 10**6 + y / 10**3, at two errors and four pairs of counts."""
    monkeypatch.setattr(lemmas.lemmas, "chance_of_error", lambda x, y, *, alpha: alpha / 2 + x / 1e6 + y / 1e3)
    counts, rows = ((20, 10), (60, 30), (200, 100), (30, 3)), []
    for alpha in (0.1, 0.01):
        rows += [(spent * alpha / 2 + x / 1e6 + y / 1e3, alpha) for x, y in counts]
    assert pieces(lemmas.one_limit(PROFILE, SEED, spent=spent)) == known(rows)


def test_two_limits_need_more_runs_at_every_error_and_count(monkeypatch):
    monkeypatch.setattr(lemmas.lemmas, "runs_needed", lambda x, y, *, alpha: 2 + alpha + x / 1e7 + y / 1e9)
    counts = ((500, 200), (5_000, 2_000), (1_000, 30), (100_000, 90_000))
    found = lemmas.fewer_runs(PROFILE, SEED, factor=1.5)
    rows = [(2 + alpha + x / 1e7 + y / 1e9, 1.5) for alpha in (0.1, 1e-3, 1e-9) for x, y in counts]
    assert pieces(found) == known(rows)
    assert found.relation == ">="


def test_certified_divergences_are_held_against_the_exact_ones(monkeypatch):
    data = pd.DataFrame({"law": ["a", "b"], "measure": "zCDP", "limit": [0.2, 0.5], "exact": [0.4, 0.3]})
    monkeypatch.setattr(lemmas.limits, "divergences", lambda *asked: {(PROFILE, SEED, "certified"): data}[asked])
    found = lemmas.divergences(PROFILE, SEED, level="certified")
    assert pieces(found) == known([(0.2, 0.4 * SLACK), (0.5, 0.3 * SLACK)])
    assert found.detail == "b, zCDP."


def test_curves_are_held_against_bands_where_a_law_comes_closest(monkeypatch):
    rows = [("a", 0.5, 0.6), ("a", 0.2, 0.9), ("b", 0.3, 0.4), ("a", 0.1, 0.8), ("b", 0.4, 0.2)]
    data = pd.DataFrame(rows, columns=["law", "exact", "band"])
    monkeypatch.setattr(lemmas.limits, "curves", lambda *asked: {(PROFILE, SEED, "even odds"): data}[asked])
    found = lemmas.curves(PROFILE, SEED, level="even odds")
    assert pieces(found) == known([(5 / 6, SLACK), (2.0, SLACK)])
    assert found.detail == "Bands that may err with probability 0.5, closest: b."


# What audits certify


ZOO = pd.DataFrame(
    {
        "name": ["A", "B"], "wrong": [1.5, 2.5], "corrected": [0.75, 1.25], "certified_wrong": [3.0, 5.0],
        "certified_corrected": [1.5, 2.0], "exact_wrong": [4.0, math.inf], "exact_corrected": [2.0, 2.25],
    }
)  # fmt: skip


@pytest.fixture
def zoo(monkeypatch):
    monkeypatch.setattr(privacy.zoo, "results", lambda *asked: {(PROFILE, SEED): ZOO}[asked])


@pytest.mark.parametrize(("check", "relation", "worst"), [("rejected", ">=", min), ("acquitted", "<=", max)])
@pytest.mark.parametrize("version", ["wrong", "corrected"])
def test_the_zoo_is_held_against_what_it_declares(check, relation, worst, version, zoo):
    found = getattr(privacy, check)(PROFILE, SEED, version=version)
    assert pieces(found) == [(value, 1.0) for value in ZOO[version]]
    assert (found.measured, found.relation) == (worst(ZOO[version]), relation)


@pytest.mark.parametrize(
    ("compared", "rows"),
    [
        ("own", [(3.0, 4.0, "A, wrong"), (1.5, 2.0, "A, corrected"), (2.0, 2.25, "B, corrected")]),
        ("other", [(3.0, 2.0, "A, wrong"), (1.5, 4.0, "A, corrected"), (5.0, 2.25, "B, wrong")]),
    ],
)
def test_certified_levels_are_held_against_exact_ones_that_are_finite(compared, rows, zoo):
    found = privacy.zoo_never_above(PROFILE, SEED, compared=compared)
    assert pieces(found) == known((measured, exact * SLACK) for measured, exact, _ in rows)
    assert [piece.detail for piece in found.pieces] == [f"Closest: {place}." for *_, place in rows]


def test_limits_of_the_field_are_held_against_losses_that_are_finite(monkeypatch):
    data = pd.DataFrame({"mechanism": ["A", "B", "C"], "limit": [0.1, 9.0, 0.3], "exact": [0.2, math.inf, 0.25]})
    monkeypatch.setattr(privacy.zoo, "field_limits", lambda *asked: {(PROFILE, SEED, "certified"): data}[asked])
    found = privacy.never_above(PROFILE, SEED, level="certified")
    assert pieces(found) == known([(0.1, 0.2 * SLACK), (0.3, 0.25 * SLACK)])


def test_figures_in_print_are_the_benchmarks_or_of_another_tool():
    """Rappor's loss is 0.30006 and NoisyHist2's 10 by hand; OneTimeRappor's 0.6005, RNM3's 5 / 20."""
    found = privacy.in_print(PROFILE, SEED, mechanisms=("Rappor", "NoisyHist2", "OneTimeRappor", "RNM3"))
    losses, figures = zip(*pieces(found), strict=True)
    assert losses == pytest.approx((0.30006, 10.0, 0.6005, 0.25), rel=1e-4)
    assert figures == (0.3008, 10.002, 0.6, 0.2488)


def test_the_median_bet_counts(monkeypatch):
    given = {(PROFILE, SEED, "printed", "given"): (900, 100, 5000, 300)}
    monkeypatch.setattr(privacy.bets, "runs", lambda *asked: given[asked])
    found = privacy.runs_needed(PROFILE, SEED, calibration="printed", event="given", most=1000)
    assert (found.measured, found.limit, found.relation) == (600, 1000, "<=")
    assert found.detail == "4 bets; the longest took 5,000 runs."


@pytest.fixture
def certified(monkeypatch):
    """What is audited: 50,000 samples of two mechanisms; the answer is 1.25."""
    asked = []

    def certify(first, second, *, samples, rng, score=None):
        assert samples == 50_000
        asked.append((first, second, score))
        return 1.25

    monkeypatch.setattr(audit, "certified_privacy_loss", certify)
    return asked


@pytest.mark.parametrize("decimals", [None, 2])
def test_the_last_bits_are_looked_at_of_numbers_with_noise_around_0_and_1(decimals, certified):
    found = privacy.last_bits(PROFILE, SEED, decimals=decimals)
    *pair, score = certified[0]
    assert (found.measured, found.limit, found.relation) == (1.25, 1, ">=")
    for draw, mean in zip(pair, (0.0, 1.0), strict=True):
        values, noise = draw(50, np.random.default_rng(3)), np.random.default_rng(3).laplace(size=50)
        assert values == pytest.approx(mean + noise, abs=1e-12 if decimals is None else 0.5 * 10**-decimals + 1e-9)
        assert (decimals is None) == (values.round(9) != values).any()
    assert score(np.array([2.0**-60, 0.25, 0.75, 1 + 2.0**-52])).tolist() == [1, 0, 0, 0]


@pytest.mark.parametrize("watched", [1.0, 42.0])
def test_a_liar_is_asked_at_the_number_watched_and_at_one_less(watched, certified):
    """Without noise at 42 alone."""
    found = privacy.liar(PROFILE, SEED, watched=watched)
    *pair, score = certified[0]
    assert (found.measured, found.limit, found.relation, score) == (1.25, 1, "<=", None)
    for draw, at in zip(pair, (watched, watched - 1), strict=True):
        noise = np.random.default_rng(3).laplace(size=50) * (at != 42)
        assert draw(50, np.random.default_rng(3)) == pytest.approx(at + noise)
