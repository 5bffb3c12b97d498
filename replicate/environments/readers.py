"""Tables of numbers from text files: a line a row, values separated by commas, semicolons, tabs or blanks.

A first line without numbers names the columns; empty lines and lines that start with # are left out. What is
wrong is named by line and column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray


def read_table(path: Path, *, low: float = 0.0, high: float = 1.0) -> pd.DataFrame:
    """Read a table of losses, and scale it from [low, high] to [0, 1].

    Returns
    -------
    Shape (T, K), columns named after the first line, or 0, 1, ...

    Raises
    ------
    ValueError
        If the file holds no table of numbers in [low, high].
    """
    lines = _fields(path)
    if not lines:
        raise ValueError(f"{path} must hold a line for each round, got none")
    names = None if any(_is_number(field) for field in lines[0][1]) else lines[0][1]
    width = len(lines[0][1])
    rows = [_row(path, line, fields, width, names, (low, high)) for line, fields in lines[names is not None :]]
    if not rows or width < 2:
        raise ValueError(f"{path} must hold at least one round and two actions, got {len(rows)} and {width}")
    return pd.DataFrame((np.array(rows) - low) / (high - low), columns=names)


def _fields(path: Path) -> list[tuple[int, list[str]]]:
    """Line numbers (from 1) and fields; empty lines and lines that start with # are left out."""
    text = path.read_text(encoding="utf-8-sig")
    separator = next((s for s in (";", "\t", ",") if s in text), None)
    kept = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip() and line.strip()[0] != "#"]
    return [(i, [field.strip().strip("\"'") for field in line.split(separator)]) for i, line in kept]


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _row(
    path: Path, line: int, fields: list[str], width: int, names: list[str] | None, limits: tuple[float, float]
) -> list[float]:
    """One round's losses, every one of them checked."""
    if len(fields) != width:
        raise ValueError(f"{path}, line {line} must have {width} values like the first line, got {len(fields)}")
    values = [float(field) if _is_number(field) else math.nan for field in fields]
    for column, (field, value) in enumerate(zip(fields, values, strict=True)):
        place = f"{path}, line {line}, column {column + 1}" + (f" ({names[column]})" if names else "")
        if not math.isfinite(value):
            raise ValueError(f"{place} must be a finite number, got {field!r}")
        if not limits[0] <= value <= limits[1]:
            raise ValueError(
                f"{place} must lie in [{limits[0]:g}, {limits[1]:g}], got {field}; give the range of losses on "
                "another scale as --range LOW HIGH, fixed in advance: a range taken from the losses reveals them"
            )
    return values


def read_labels(path: Path, names: Sequence[object]) -> NDArray[np.int64]:
    """Read one label a line, each one of `names` or its number from 0, under an optional header ``label``.

    Raises
    ------
    ValueError
        If a line holds anything else, or there are no labels.
    """
    known = {str(name): i for i, name in enumerate(names)} | {str(i): i for i in range(len(names))}
    lines = _fields(path)
    if lines and " ".join(lines[0][1]).lower() == "label":
        lines = lines[1:]
    labels = []
    for line, fields in lines:
        label = " ".join(fields)
        if label not in known:
            raise ValueError(f"{path}, line {line} must hold a label, one of {', '.join(known)}, got {label!r}")
        labels.append(known[label])
    if not labels:
        raise ValueError(f"{path} must hold at least one label, got none")
    return np.array(labels)
