"""Parts of a check that do not lead: each is the number that calculus gives; tables that a check tries."""

import math
from itertools import cycle

import numpy as np
import pytest

from replicate.papers.distribution_learning import lemmas as quantities
from replicate.papers.distribution_learning.checks import lemmas, regret
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
