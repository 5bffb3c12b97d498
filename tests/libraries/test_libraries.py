"""Installed libraries under audit: findings found from outside and from the source, and calls that are private."""

import itertools
import math
import re

import numpy as np
import pytest

from replicate.studies.audit_bench.privacy import libraries
from tests.libraries import page, rows, serve

INSTALLED = pytest.mark.skipif(not page.PYTHON.exists(), reason="no environment: make libraries")


def test_every_row_is_served_and_pinned():
    assert {row.name for row in rows.ROWS} == set(serve.MECHANISMS)
    pins = (page.PAGE.parents[1] / "tests" / "libraries" / "requirements.txt").read_text()
    for row in rows.ROWS:
        assert f"{row.library}=={row.version}\n" in pins


def test_a_finding_costs_more_than_is_declared_and_the_others_do_not():
    for row, loss in zip(rows.ROWS, rows.losses(), strict=True):
        assert (loss > 1.5) == row.finding
        assert row.finding or loss <= 1.1
        assert bool(row.status) == row.finding


def test_losses_by_enumeration():
    """Subsets of two of five values, in order and not; tuples at other sizes; a bit that is never cleared."""
    k, size, epsilon = 5, 2, math.log(1.5)
    kept = size * 1.5 / (size * 1.5 + k - size)

    def law(x, y):
        if y[0] == x:
            return kept / (k - 1)
        return 0.0 if x in y else (1 - kept) / (k - 1) / (k - 2)

    pairs = list(itertools.permutations(range(k), 2))
    assert sum(law(1, y) for y in pairs) == pytest.approx(1)
    as_sets = {frozenset(y): [law(x, y) + law(x, y[::-1]) for x in (1, 2)] for y in pairs}
    ratio = max(p / q for p, q in as_sets.values())
    assert libraries.subset_loss(k, epsilon, ordered=False) == pytest.approx(math.log(ratio))
    first = [sum(law(x, y) for y in pairs if y[0] == 1) for x in (1, 2)]
    assert libraries.subset_loss(k, epsilon, ordered=True) == pytest.approx(math.log(first[0] / first[1]))
    assert libraries.fake_data_loss(4, 3, 1.0, differ=3) == pytest.approx(math.log(3 * (math.e - 1) + 1))
    assert libraries.fake_data_loss(4, 1, 1.0, differ=1) == pytest.approx(1.0)
    assert libraries.rappor_loss(4, 0.5, clears=False) == math.inf
    assert libraries.rappor_loss(4, 0.5, clears=True) == pytest.approx(2 * math.log(3))


def test_the_page_says_what_is_certified():
    text = page.PAGE.read_text(encoding="utf-8")
    for row in rows.ROWS:
        line = next(x for x in text.splitlines() if f"`{row.call}` | {row.relation}" in x)
        certified = float(re.findall(r"\| 1 \| \**([\d.e+-]+)", line)[0])
        assert (certified > 1) == row.finding
        assert certified <= row.exact()


@INSTALLED
@pytest.mark.long
@pytest.mark.parametrize("row", rows.ROWS, ids=lambda row: row.name)
def test_an_installed_library_is_audited(row):
    verdict, _ = page.audited(row)
    assert verdict.refuted == row.finding
    assert verdict.certified <= row.exact()


@INSTALLED
@pytest.mark.long
def test_outputs_come_from_the_pinned_library():
    with page.Remote("subset_selection", 0) as sampler:
        outputs = np.array(sampler(200, np.random.default_rng(1)))
    assert outputs.shape == (200, 27)
    assert ((outputs == 1).any(axis=1) == (outputs[:, 0] == 1)).all()
