"""The register's results at quick sizes under the notebooks' own seed, computed once in a process."""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest

from replicate import claims

SEED = 2026
LATER = {
    "SY-ROW-REACT", "SY-ROW-IID", "SY-ROW-FIX", "SY-ROW-FIXD", "SY-ROW-BFIX", "SY-ROW-BIID", "SY-ROW-LFIX",
    "SY-ROW-SHIFT", "SY-B", "SY-ADV", "SY-LAB", "SY-MERGE", "TR-L2P", "DL-INTM", "DL-LBu", "MM-R", "AU-EX",
    "AU-LV", "AU-ZOO", "AU-TWIN", "AU-OUT", "SY-ROW-LIID",
}  # fmt: skip
"""Findings of ours that take two seconds or more, no constant of a paper among them: the long tests have them,
and the gate, where notebooks verify every claim."""
ENTRIES = claims.register()


@cache
def verified(name: str) -> claims.Result:
    """Return the result of a claim or an erratum."""
    return claims.verify(ENTRIES[name], profile="quick", seed=SEED)


def flip(piece: claims.Evidence) -> float:
    """Return the factor on the measured number at which the comparison turns; NaN where no factor turns it."""
    turns = np.isfinite([piece.measured, piece.limit]).all() and piece.measured * piece.limit > 0
    return piece.limit / piece.measured if turns else np.nan


def by_paper(names: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test once for each paper, with a list of its own of these ids, or of what begins with them."""
    papers: dict[tuple[str, bool], list[str]] = {}
    for name in names:
        papers.setdefault((name[:2], name.partition("/")[0] in LATER), []).append(name)
    marks = [pytest.mark.long]
    given = [pytest.param(listed, id=p, marks=marks if late else []) for (p, late), listed in papers.items()]
    return pytest.mark.parametrize("names", given)


def one_by_one(names: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test once for each of these ids."""
    given = [pytest.param(name, marks=[pytest.mark.long] if name in LATER else []) for name in names]
    return pytest.mark.parametrize("name", given)
