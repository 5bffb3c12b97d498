"""The register's numbers at quick sizes are the pinned ones."""

import pytest

from tests.claims import pinned
from tests.claims.quick import ENTRIES, by_paper

pytestmark = pytest.mark.record
PINNED = pinned.read()
RENEW = "if the new numbers are right: .venv/bin/python -m tests.claims.pinned --only"


def test_what_is_pinned_is_of_the_register():
    gone = [name for name in PINNED if name not in ENTRIES]
    assert not gone, f"no such claims or errata; .venv/bin/python -m tests.claims.pinned drops {', '.join(gone)}"


@by_paper(ENTRIES)
def test_the_numbers_are_the_pinned_ones(names):
    changed = {name: lines for name in names if (lines := pinned.changes(name, PINNED.get(name, [])))}
    if changed:
        lines = [line for lines in changed.values() for line in lines]
        pytest.fail("\n".join([*lines, f"{RENEW} {' '.join(changed)}"]), pytrace=False)


def test_a_changed_number_is_named():
    record = {"check measured": 1.0, "check limit": 2.0, "check pieces": 3.0}
    assert list(pinned.differences(record, record, exact=True)) == []
    assert list(pinned.differences(record, record | {"check measured": 1 + 1e-8}, exact=False)) == []
    assert len(list(pinned.differences(record, record | {"check measured": 1 + 1e-8}, exact=True))) == 1
    assert list(pinned.differences(record, record | {"check limit": 2.01}, exact=False)) == [
        "check limit: old 2, new 2.01"
    ]
    assert len(list(pinned.differences(record, {"check measured": 1.0}, exact=False))) == 2
    rounding = record | {"check measured": 1e-15}
    assert list(pinned.differences(rounding, rounding | {"check measured": 3e-15}, exact=True)) == []
