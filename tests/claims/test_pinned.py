"""The register's numbers at quick sizes are the pinned ones."""

import pytest

from tests.claims import pinned
from tests.claims.quick import ENTRIES, verified

PINNED = pinned.read()
OTHER = pinned.other_libraries()


def test_every_entry_is_pinned():
    assert list(PINNED) == list(ENTRIES)


@pytest.mark.skipif(bool(OTHER), reason=f"other versions than the lock's: {', '.join(OTHER)}")
@pytest.mark.parametrize("name", ENTRIES)
def test_the_numbers_are_the_pinned_ones(name):
    outcomes = verified(name).outcomes
    assert len(outcomes) == len(PINNED[name])
    for record, outcome in zip(PINNED[name], outcomes, strict=True):
        changed = pinned.differences(record["numbers"], pinned.numbers(outcome), exact=record["exact"])
        assert list(changed) == [], f"{name}: {pinned.__doc__.splitlines()[0]}"


def test_a_changed_number_is_named():
    record = {"check measured": 1.0, "check limit": 2.0, "check pieces": 3.0}
    assert list(pinned.differences(record, record, exact=True)) == []
    assert list(pinned.differences(record, record | {"check measured": 1 + 1e-8}, exact=False)) == []
    assert len(list(pinned.differences(record, record | {"check measured": 1 + 1e-8}, exact=True))) == 1
    assert len(list(pinned.differences(record, record | {"check limit": 2.01}, exact=False))) == 1
    assert len(list(pinned.differences(record, {"check measured": 1.0}, exact=False))) == 2
    rounding = record | {"check measured": 1e-15}
    assert list(pinned.differences(rounding, rounding | {"check measured": 3e-15}, exact=True)) == []
