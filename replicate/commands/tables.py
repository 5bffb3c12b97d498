"""Options of the commands that read a table of losses: examples/input_files.md says what they decide."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from replicate.environments.readers import read_table

OPTIONS = ("header", "index", "columns", "comments", "range", "rewards")
"""All options here; None where one is not given."""
_NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how a table is read."""
    parser._negative_number_matcher = _NEGATIVE  # argparse takes -1e1 for an option
    yes_or_no = argparse.BooleanOptionalAction
    parser.add_argument("--header", action=yes_or_no, help="whether line 1 holds names; asked for where in doubt")
    parser.add_argument("--index", action=yes_or_no, help="whether column 1, which numbers the rows, is left out")
    parser.add_argument("--comments", action=yes_or_no, help="whether lines that start with # are left out")
    parser.add_argument("--columns", nargs="+", metavar="NAME", help="of the actions; without a header 0, 1, ...")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="of losses (0 1)")
    parser.add_argument(
        "--rewards", action=yes_or_no, help="the file holds rewards: a loss is LOW + HIGH - reward"
    )


def refuse(options: argparse.Namespace, names: Iterable[str], where: str) -> None:
    """Raise ValueError if one of these options was given where it would not be read."""
    values = {name: getattr(options, name) for name in names}
    given = [f"--{name}" for name, value in values.items() if value is not None and (name in OPTIONS or value)]
    if given:
        raise ValueError(f"{' and '.join(given)} cannot be used {where}")


def read(path: Path, options: argparse.Namespace) -> pd.DataFrame:
    """Read the losses as the options say.

    Raises
    ------
    ValueError, OSError
        If something is wrong with an option or the file.
    """
    return read_table(path, **_given(options))


def program(path: Path, options: argparse.Namespace) -> str:
    """Return the lines of Python that read the same losses."""
    read = ", ".join([f"Path({str(path)!r})", *(f"{name}={value!r}" for name, value in _given(options).items())])
    imports = "from pathlib import Path\nfrom replicate.environments.readers import read_table\n"
    return f"{imports}losses = read_table({read}).to_numpy()"


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `read_table` that the options give."""
    given = {name: getattr(options, name) for name in OPTIONS}
    limits = given.pop("range")
    given |= dict(zip(("low", "high"), limits, strict=True)) if limits else {}
    return {name: value for name, value in given.items() if value is not None}
