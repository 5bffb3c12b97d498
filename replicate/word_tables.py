"""Tables of words that notebooks write, and their rendering as Markdown in notebook, README and book."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pandas as pd

from replicate import claims
from replicate.files import replacing

__all__ = ["markdown", "write"]


def write(path: Path, data: pd.DataFrame) -> None:
    """Write a table as CSV, six digits; the file is whole or absent."""
    with replacing(path) as temporary:
        data.to_csv(temporary, index=False, float_format="%.6g")


def markdown(path: Path, *, notebooks: str = "notebooks") -> str:
    """Return a table as Markdown, ids of claims linked to their cells; empty where there is no such file.

    Parameters
    ----------
    path
        A CSV file whose first line names the columns.
    notebooks
        Path of the notebooks in links.
    """
    if not path.exists():
        return ""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    lines = [_line(head), _line(["---"] * len(head))]
    return "\n".join(lines + [_linked(_line(row), notebooks) for row in rows])


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(map(claims.cell, cells)) + " |"


def _linked(line: str, notebooks: str) -> str:
    """Link the ids of claims that a line names."""
    register = claims.register()

    def link(match: re.Match[str]) -> str:
        claim = register.get(match[0])
        return f"[{match[0]}]({notebooks}/{claims.PAPERS[claim.paper]}.ipynb#{match[0]})" if claim else match[0]

    return re.sub(r"\b[A-Z]{2}-\w+", link, line)
