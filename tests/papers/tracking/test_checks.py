"""Checks: every claim and erratum is data, and the cheap exact ones hold while their controls do not."""

from math import log10

import numpy as np
import pytest

from replicate.claims import compare
from replicate.papers.tracking.checks import lemmas
from replicate.papers.tracking.claims import CLAIMS
from replicate.papers.tracking.errata import ERRATA

EXACT = {
    "accuracy", "shifting_lower", "counting", "counterexample", "same_law", "corollary_rate", "lazy_account",
    "static_rate", "block_sums", "coins", "long_filter", "laplace", "post_processing", "persistent_coin",
    "laplace_norms", "clipped_comparator", "projection", "selection", "limited_privacy", "sensitivity",
    "mirror_upper",
}  # fmt: skip
CHEAP = [claim for claim in CLAIMS if claim.check.__name__ in EXACT]
ROUTES = [
    pytest.param(route, id=f"{erratum.id}-{route.check.__name__}")
    for erratum in ERRATA for route in erratum.routes
    if route.check.__module__.endswith("checks.errata")
]  # fmt: skip


@pytest.mark.parametrize("claim", CHEAP, ids=lambda claim: claim.id)
def test_exact_checks_hold_and_their_controls_do_not(claim):
    assert compare(claim, profile="quick", seed=2026).stands


@pytest.mark.parametrize("route", ROUTES)
def test_second_routes_find_the_erratum_and_nothing_in_the_correction(route):
    assert compare(route, profile="quick", seed=7).stands


def test_claims_and_errata_are_readable_data():
    """Words, numbers and tuples of them only."""
    comparisons = [*CLAIMS, *(route for erratum in ERRATA for route in erratum.routes)]
    for comparison in comparisons:
        for value in (*comparison.stated.values(), *comparison.control.values()):
            assert isinstance(value, str | int | float | tuple)
            assert not isinstance(value, bool)


def test_no_printed_statement_that_fails_stands_unmarked():
    """What fails is marked; what is marked fails, is unproved, or is corrected in the same sentence."""
    blamed = {"fails as printed", "unproved as printed", "reproduced with correction"}
    for claim in CLAIMS:
        marked = claim.statement.startswith("Printed: ")
        assert marked or claim.verdict != "fails as printed", claim.id
        assert claim.verdict in blamed or not marked, claim.id
        assert claim.verdict != "reproduced with correction" or not marked or "True: " in claim.statement, claim.id


def test_the_lazy_law_is_held_against_plays_of_two_and_of_three_experts(monkeypatch):
    """The sequence 0, ..., 0, N - 1 has number N - 1; each p-value may err by a third of the false alarm."""
    sizes, values = [], iter([0.5, 1e-4, 0.2])

    def played(table, n_switches, rate, redraw, batch, runs, rng):
        return np.tile(np.append(np.zeros(len(table) - 1, dtype=int), table.shape[1] - 1), (runs, 1))

    def fit(counts, law):
        sizes.append((len(counts), int(counts.argmax()) + 1))
        assert counts.max() == counts.sum() == 12_000
        return next(values)

    monkeypatch.setattr(lemmas, "lazy_plays", played)
    monkeypatch.setattr(lemmas.played, "literal_lazy_law", lambda *_, **__: None)
    monkeypatch.setattr(lemmas.certify, "goodness_of_fit", fit)
    found = lemmas.same_lazy_law("quick", 5, extra_switches=0)
    assert sorted(sizes) == [(2**5, 2), (2**6, 2), (3**4, 3)]
    assert (found.measured, found.limit) == pytest.approx((4.0, -log10(lemmas.certify.CLAIM_FALSE_ALARM / 3)))
