"""Packages whose public names are imported when one of them is first asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any


def deferred(package: str, public: Callable[[], Mapping[str, Any]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package: a light module in it does not load the heavy ones beside it.

    Parameters
    ----------
    package
        The package's own name, ``__name__``.
    public
        Imports the names of ``__all__`` and returns them, its ``locals()``; modules of the package itself as
        ``import package.module as module``, which does not ask the package for them.
    """

    def find(name: str) -> Any:
        known = vars(sys.modules[package])
        if name not in known["__all__"]:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        known.update(public())
        return known[name]

    return find
