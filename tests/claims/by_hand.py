"""Numbers of checks that are known otherwise: by hand, in closed form, or by a second transcription."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from replicate.claims import Evidence
from tests.claims.quick import verified

Numbers = tuple[float, float]
"""A measured number and its limit."""
GUARD = 1e-6
"""Limits closer to 1 than this are 1 and what is forgiven for rounding."""


def asked(key: str) -> tuple[Evidence, Evidence]:
    """Return the evidence of a comparison, named ``id/number``, and that of its control."""
    name, number = key.split("/")
    found = verified(name).outcomes[int(number)]
    return found.evidence, found.control


def pieces(key: str) -> list[Numbers]:
    """Return the numbers of every piece of a comparison, in their order."""
    found = asked(key)[0]
    return [(piece.measured, piece.limit) for piece in found.pieces or (found,)]


def assert_numbers(key: str, check: Numbers, control: Numbers, *, rel: float = 1e-8) -> None:
    """Compare what a comparison and its control measure, and their limits."""
    for found, known in zip(asked(key), (check, control), strict=True):
        _assert_same((found.measured, found.limit), known, rel)


def assert_pieces(found: Sequence[Numbers], known: Sequence[Numbers], *, rel: float = 1e-8) -> None:
    """Compare pieces one by one."""
    assert len(found) == len(known)
    for one, other in zip(found, known, strict=True):
        _assert_same(one, other, rel)


def _assert_same(found: Numbers, known: Numbers, rel: float) -> None:
    """Compare a measured number and its limit: a limit of 1, with what is forgiven or without, exactly."""
    assert found == pytest.approx(known, rel=rel, abs=1e-300)
    if abs(known[1] - 1) < GUARD:
        assert found[1] == pytest.approx(known[1], rel=1e-12)
