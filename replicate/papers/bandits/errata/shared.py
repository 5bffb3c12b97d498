"""The constructor of a route by one argument of a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replicate.claims import Evidence, Route


def route(kind: Any, check: Callable[..., Evidence], *, how: str, knob: str = "", **values: tuple[Any, Any]) -> Route:
    """Return a route whose check is given one argument: its value as printed, and as corrected."""
    [(name, (printed, corrected))] = values.items()
    return Route(kind=kind, how=how, check=check, stated={name: printed}, control={name: corrected}, knob=knob)
