"""Packages whose public names are imported when one of them is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any


def deferred(
    package: str, public: Callable[[], Mapping[str, Any]], *loaded: str
) -> tuple[list[str], Callable[[str], Any]]:
    """Return ``__all__`` and ``__getattr__`` of a package whose light modules do not load the heavy ones.

    Parameters
    ----------
    package
        The package's own name, ``__name__``.
    public
        Imports the package's public names, its only local ones, and returns them, its ``locals()``; modules of the
        package itself as ``import package.module as module``, which does not ask the package for them.
    *loaded
        Public names that the package has already.
    """
    names = public.__code__.co_varnames

    def find(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        known = vars(sys.modules[package])
        known.update(public())
        return known[name]

    return sorted([*names, *loaded]), find
