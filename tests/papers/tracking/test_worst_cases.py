"""Checks show the worst of what they compare, from laws and events that are given."""

from itertools import product
from math import comb, log, sqrt
from types import SimpleNamespace

import numpy as np
import pytest

from replicate.papers.tracking.checks import errata, lemmas, privacy


def shown(found):
    return found.measured, found.limit, found.relation


def numbers(found):
    """What is measured and its limit, of all pieces; the one that is shown must be the worst of them."""
    pieces = [shown(piece) for piece in found.pieces]
    assert len(pieces) > 1
    excess = [(m - limit) * (1 if sign == "<=" else -1) / limit for m, limit, sign in pieces]
    assert shown(found) == pieces[int(np.argmax(excess))]
    return pieces


@pytest.mark.parametrize("worse", [0, 1])
def test_laws_of_plays_are_compared_on_24_tables_at_two_rates_of_redraws(worse, monkeypatch):
    """They differ most on table 7, and more at one rate; draws are cut on every table at 5 % and never at 35 %.

    Losses have two or five levels; the filter has the switches that are added.
    """
    asked = {"literal": [], "filter": []}

    def law(name):
        def of(table, *, n_switches, dartboard):
            number = len(asked[name])
            asked[name].append((table, n_switches, dartboard))
            apart = (4.0 if number % 24 == 7 else 1.0) * (2.0 if number // 24 == worse else 1.0)
            return np.array([0.5, 0.0, -2e-15 * apart if name == "filter" else 0.0])

        return of

    monkeypatch.setattr(lemmas.played, "literal_law", law("literal"))
    monkeypatch.setattr(lemmas.played, "efficient_law", law("filter"))
    found = lemmas.same_law("quick", 7, extra_switches=3)
    assert numbers(found) == [(pytest.approx(16e-15 if i == worse else 8e-15), 1e-14, "<=") for i in range(2)]
    assert [piece.detail.split(";")[1] for piece in found.pieces] == [
        f" the number of draws is cut in {many}." for many in (0, 24)
    ]
    sizes = [(size, batch, levels) for size in ((6, 3, 2), (6, 2, 2), (5, 3, 1), (4, 3, 0))
             for batch in (1, 2, 3) for levels in (2, 5)]  # fmt: skip
    values = {2: set(), 5: set()}
    for i, ((horizon, n, s), batch, levels) in enumerate(sizes * 2):
        for name, more in (("literal", 0), ("filter", 3)):
            table, switches, board = asked[name][i]
            assert (table.shape, switches) == ((horizon, n), s + more)
            assert (board.learning_rate, board.redraw, board.batch) == (0.4, (0.35, 0.05)[i // 24], batch)
            values[levels] |= set(table.ravel())
    assert values == {2: {0, 1}, 5: {0, 0.25, 0.5, 0.75, 1}}
    assert len({table.tobytes() for table, *_ in asked["literal"]}) == 24


@pytest.mark.parametrize("calibration", ["printed", "corrected"])
def test_an_event_of_algorithm_2_must_lose_more_than_six_fifths(calibration, monkeypatch):
    event = SimpleNamespace(loss=1.25, selections=0.5, restart=0.75, log_probability=-23.0)
    monkeypatch.setattr(privacy, "restart_pair", lambda *words: {(calibration,): event}[words])
    found = privacy.restart_event("quick", 0, calibration=calibration)
    assert shown(found) == (1.25, 1.2, ">=")
    assert "selections 0.5, restart 0.75; the event has probability 10^-10." in found.detail


@pytest.mark.parametrize("switches", [(1, 3), (3, 1)])
def test_distinct_sequences_are_counted_for_every_size(switches):
    """Of all choices of at most S rounds to switch after: C(T - 1, c) N (N - 1)^c."""
    known = []
    for t, n, s in product((2, 3, 10, 1000, 10**6), (2, 3, 16, 1000, 10**9), switches):
        count = sum(comb(t - 1, c) * n * (n - 1) ** c for c in range(s + 1))
        known.append((pytest.approx(log(count)), pytest.approx(1.5 * s * log(n * t)), "<="))
    assert numbers(lemmas.counting("quick", 0, exponent=1.5, n_switches=switches)) == known


def test_sums_of_a_block_are_largest_at_its_end():
    """After L whole blocks the ratio is (1 + sqrt 2) sqrt((2^(L/2) - 1) / (2^(L/2) + 1)): L is 20 at the most."""
    assert lemmas.block_sums("quick", 0, constant=2.0).detail == f"k = {2**20 - 1} of 2^20."


@pytest.mark.parametrize("loss", [0.0, 1.0])
def test_squares_of_noisy_losses_are_told_from_the_least_to_the_largest(loss):
    """Where N T is 10^9 and epsilon a tenth, and where they are 20 and 1."""
    least, most = ((loss * epsilon / log(size) + sqrt(10)) ** 2 for size, epsilon in ((1e9, 0.1), (20, 1.0)))
    found = errata.noisy_loss("quick", 0, loss=loss)
    assert (found.measured, found.limit) == (pytest.approx(least), 10 + 1e-6)
    assert f": {least:.4g} to {most:.3g} over sizes." in found.detail


def test_the_lightest_state_of_a_long_game_is_told(monkeypatch):
    monkeypatch.setattr(lemmas.quantities, "filter_weights", lambda *_: np.zeros((1, 3)))
    monkeypatch.setattr(lemmas.quantities, "summed_weights", lambda *_: np.array([[-1.0, -40.2, 0.0]]))
    found = lemmas.long_filter("quick", 0, weights="with exponents")
    assert (found.measured, "weighs e^-40 of the heaviest" in found.detail) == (40.2, True)
