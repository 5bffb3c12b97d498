"""Parts of a check that do not lead: each is the number that calculus gives; tables that a check tries."""

import math
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

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
