"""Installed libraries under audit: findings found from outside and from the source, and calls that are private."""

import itertools
import math

import numpy as np
import pytest

from replicate.studies.audit_bench import privacy as libraries
from tests.libraries import page, recorded, rows, serve

INSTALLED = pytest.mark.skipif(not page.PYTHON.exists(), reason="no environment: make libraries")


def test_every_row_is_served_and_pinned():
    assert {row.name for row in rows.ROWS} == set(serve.MECHANISMS)
    pins = (page.PAGE.parents[1] / "tests" / "libraries" / "requirements.txt").read_text()
    for row in rows.ROWS:
        assert f"{row.library}=={row.version}\n" in pins


def test_a_finding_costs_more_than_is_declared_and_the_others_do_not():
    for row, loss in zip(rows.ROWS, rows.losses(), strict=True):
        assert (loss > 1.3) == row.finding
        assert row.finding or loss <= 1.1
        assert bool(row.status) == bool(row.saved) == row.finding


def test_a_replay_finds_what_dp_recorder_found_in_the_packages_own_code_and_nothing_once_it_is_corrected():
    own = {kept["name"]: kept for kept in page.kept(page.REPLAYED)}
    assert set(own) == {fault.own for fault in recorded.FAULTS} - {recorded.JAM, recorded.OPACUS, recorded.UNNAMED}
    for name, kept in own.items():
        assert (kept["found"] == "nothing") is (name == "odometer")
        assert kept["corrected"] == ("noted, not judged" if name == "classes" else "nothing")
        assert float(kept["seconds"]) < 1


@INSTALLED
@pytest.mark.long
def test_the_record_of_replays_is_of_what_is_installed():
    again = [{**of, "seconds": ""} for of in page.replayed()]
    assert again == [{**of, "seconds": ""} for of in page.kept(page.REPLAYED)]


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
    assert min(law(1, y) for y in pairs if y[1] == 1) == 0 < min(law(2, y) for y in pairs if y[1] == 1)
    assert libraries.subset_loss(k, epsilon, ordered=True) == math.inf
    assert libraries.fake_data_loss(4, 3, 1.0, differ=3) == pytest.approx(math.log(3 * (math.e - 1) + 1))
    assert libraries.fake_data_loss(4, 1, 1.0, differ=1) == pytest.approx(1.0)
    assert libraries.rappor_loss(4, 0.5, clears=False) == math.inf
    assert libraries.rappor_loss(4, 0.5, clears=True) == pytest.approx(2 * math.log(3))
    assert libraries.nan_mean_loss(10, 4, counts_nan=True) == 2.5
    assert libraries.nan_mean_loss(10, 4, counts_nan=False) == 1


def test_the_page_is_written_from_the_record():
    assert page.PAGE.read_text(encoding="utf-8") == page.page(page.kept(), page.kept(page.REPLAYED))


def test_the_record_is_of_these_calls_and_below_what_is_exact():
    for row, kept in zip(rows.ROWS, page.kept(), strict=True):
        assert [kept[name] for name in page.COLUMNS[:5]] == [
            row.name, row.library, row.version, row.call, row.relation
        ]  # fmt: skip
        assert (float(kept["certified"]) > page.DECLARED) == row.finding
        assert float(kept["certified"]) <= row.exact()
        assert float(kept["exact"]) == pytest.approx(row.exact(), rel=1e-3)


def test_the_draft_of_a_report_tells_the_record():
    letter = " ".join((page.PAGE.parent / "letters" / "libraries.md").read_text(encoding="utf-8").split())
    for row, kept in zip(rows.ROWS, page.kept(), strict=True):
        if row.finding:
            assert f"{row.library} {row.version}" in letter
            said = "infinite" if math.isinf(row.exact()) else kept["exact"]
            assert f"`{row.call}`: certified {kept['certified']}, exactly {said}" in letter


@INSTALLED
@pytest.mark.long
def test_outputs_come_from_the_pinned_library():
    with page.Remote("subset_selection") as make:
        outputs = np.array(make(0)(200, np.random.default_rng(1)))
    assert outputs.shape == (200, 5)
    assert ((outputs == 1).any(axis=1) == (outputs[:, 0] == 1)).all()
