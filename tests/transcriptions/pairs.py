"""A formula of the package next to its transcription, and the settings at which the two are compared.

Nothing here knows a formula, and nothing is imported from the package.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

CLOSED = 1e-12
"""Relative tolerance between two evaluations of a closed form."""
SUMMED = 1e-9
"""Relative tolerance where something is summed, integrated or solved for."""
_SMALLEST = 1e-300
"""Numbers below it have lost digits to underflow and count as zero."""


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return every combination of the values as keyword arguments."""
    return [dict(zip(values, row, strict=True)) for row in product(*map(list, values.values()))]


def agree(value: Any, other: Any, rel: float) -> bool:
    """Compare numbers up to a relative error, whole numbers exactly, sequences entry by entry."""
    if isinstance(other, tuple | list):
        entries = list(value)
        return len(entries) == len(other) and all(agree(a, b, rel) for a, b in zip(entries, other, strict=True))
    if isinstance(other, int):
        return bool(value == other)
    return math.isfinite(other) and math.isclose(float(value), other, rel_tol=rel, abs_tol=_SMALLEST)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two readings of one formula.

    Attributes
    ----------
    name
        Where the package has it, "module.function" below the paper's apartment.
    package, transcription
        The two functions; both are called with every one of `settings` as keyword arguments.
    rel
        Relative tolerance.
    """

    name: str
    package: Callable[..., Any]
    transcription: Callable[..., Any]
    settings: list[dict[str, Any]]
    rel: float = CLOSED

    def __str__(self) -> str:
        return self.name

    def disagreements(self) -> list[str]:
        """Return a line for each setting at which the two differ."""
        assert self.settings, self.name
        found = []
        for setting in self.settings:
            value, other = self.package(**setting), self.transcription(**setting)
            if not agree(value, other, self.rel):
                found.append(f"{self.name} at {setting}: {value!r}, transcription {other!r}")
        return found


def pair(
    name: str,
    package: Callable[..., Any],
    transcription: Callable[..., Any],
    settings: list[dict[str, Any]],
    rel: float = CLOSED,
) -> Pair:
    """Return the pair of two functions, under the name by which the package has the first."""
    return Pair(name=name, package=package, transcription=transcription, settings=settings, rel=rel)


def against(
    module: Any,
    name: str,
    transcription: Callable[..., Any],
    settings: list[dict[str, Any]],
    *,
    rel: float = CLOSED,
) -> Pair:
    """Return the pair of a function of a module and its transcription, which take the same arguments."""
    where = f"{module.__name__.rpartition('.')[2]}.{name}"
    return pair(where, getattr(module, name), transcription, settings, rel)


def same(
    package: Any, transcription: Any, settings: list[dict[str, Any]], *names: str, rel: float = CLOSED
) -> list[Pair]:
    """Return a pair for every name that a module of the package and a transcription share, arguments included."""
    return [against(package, name, getattr(transcription, name), settings, rel=rel) for name in names]


def public(module: ModuleType) -> set[str]:
    """Return the names of the functions that a module defines for others, as ``bounds.theorem_1``."""
    functions = {name: value for name, value in vars(module).items() if inspect.isfunction(value)}
    own = {name for name, value in functions.items() if value.__module__ == module.__name__}
    return {f"{module.__name__.rpartition('.')[2]}.{name}" for name in own if not name.startswith("_")}


def compared(pairs: Iterable[Pair]) -> set[str]:
    """Return the names that stand in a table of pairs."""
    return {pair.name for pair in pairs}


def untouched(transcription: Any, pairs: Iterable[Pair], tests: str) -> set[str]:
    """Return the functions of a transcription that no pair holds, no test names and no other calls."""
    used = {getattr(pair.transcription, "__name__", "") for pair in pairs}
    used |= set(re.findall(r"\bsecond\.(\w+)", Path(tests).read_text(encoding="utf-8")))
    used |= set(re.findall(r"(?<!def )\b(\w+)\(", inspect.getsource(transcription)))
    return {name.partition(".")[2] for name in public(transcription)} - used
