"""The register's results at quick sizes under the notebooks' own seed, computed once in a process."""

from collections.abc import Iterable
from functools import cache

import pytest

from replicate import claims

SEED = 2026
ENTRIES = claims.register()


@cache
def verified(name: str) -> claims.Result:
    """Return the result of a claim or an erratum."""
    return claims.verify(ENTRIES[name], profile="quick", seed=SEED)


def by_paper(names: Iterable[str]) -> pytest.MarkDecorator:
    """Run a test once for each paper, with a list of its own of these ids, or of what begins with them."""
    papers: dict[str, list[str]] = {}
    for name in names:
        papers.setdefault(name[:2], []).append(name)
    return pytest.mark.parametrize("names", list(papers.values()), ids=list(papers))
