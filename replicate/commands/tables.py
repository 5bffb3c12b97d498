"""Options of the commands that read a table of losses, and the line that says what was read."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path

import pandas as pd

from replicate.environments.readers import described, read_table

_NEGATIVE = re.compile(r"-(\d|\.\d|inf|nan)", re.IGNORECASE)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare how a table is read."""
    parser._negative_number_matcher = _NEGATIVE  # argparse takes -1e1 for an option
    yes_or_no = argparse.BooleanOptionalAction
    parser.add_argument("--header", action=yes_or_no, help="whether line 1 holds names; asked for where in doubt")
    parser.add_argument("--index", action=yes_or_no, help="whether column 1 is left out, for it numbers the rows")
    parser.add_argument("--columns", nargs="+", metavar="NAME", help="of the actions; without a header 0, 1, ...")
    parser.add_argument(
        "--range", nargs=2, type=float, metavar=("LOW", "HIGH"), default=(0, 1), help="of losses (0 1)"
    )


def read(path: Path, options: argparse.Namespace) -> pd.DataFrame:
    """Read the losses as the options say.

    Raises
    ------
    ValueError, OSError
        If the range is none, or something is wrong with the file.
    """
    low, high = options.range
    if not (math.isfinite(high - low) and low < high):
        raise ValueError(f"--range must be two finite numbers LOW < HIGH, got {low:g} {high:g}")
    return read_table(
        path, low=low, high=high, header=options.header, index=options.index, columns=options.columns
    )


def summary(table: pd.DataFrame, options: argparse.Namespace, *, losses: bool = True) -> str:
    """Return the line that says what was read."""
    low, high = options.range
    return f"read        {described(table, low=low, high=high, losses=losses)}"


def program(path: Path, options: argparse.Namespace) -> str:
    """Return the lines of Python that read the same losses."""
    low, high = options.range
    arguments = [f"low={low!r}", f"high={high!r}"] if (low, high) != (0, 1) else []
    given = {name: getattr(options, name) for name in ("header", "index", "columns")}
    arguments += [f"{name}={value!r}" for name, value in given.items() if value is not None]
    read = ", ".join([f"Path({str(path)!r})", *arguments])
    imports = "from pathlib import Path\nfrom replicate.environments.readers import read_table\n"
    return f"{imports}losses = read_table({read}).to_numpy()"
