"""Learners on losses of one's own: ``python -m replicate.play losses.csv --learner prefix_softmax --epsilon 0.5``.

A line of the file is a round, a column an action, an entry a loss in [0, 1] (or in `--range`). A first line
without numbers names the actions. Values are separated by commas, semicolons, tabs or blanks.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from replicate import catalogue, forecasters, protocol
from replicate.streams import stream

__all__ = ["main", "read_table", "repeat"]


def read_table(path: Path, *, low: float = 0.0, high: float = 1.0) -> pd.DataFrame:
    """Read a table of losses, and scale it from [low, high] to [0, 1].

    Returns
    -------
    Shape (T, K), columns named after the first line, or 0, 1, ...

    Raises
    ------
    ValueError
        If the file holds no table of numbers in [low, high]: with line and column.
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


def repeat(
    name: str,
    losses: pd.DataFrame,
    *,
    epsilon: float | None = None,
    delta: float = 1e-6,
    n_switches: int = 0,
    repeats: int = 1,
    seed: int = 0,
) -> protocol.Run:
    """Let a learner of the catalogue play a table several times, each time with a stream of its own.

    Parameters
    ----------
    name, epsilon, delta
        See `catalogue.learner`.
    losses, n_switches
        See `protocol.play`.
    repeats, seed
        Number of games and root of their streams.
    """
    rounds, actions = np.shape(losses)
    sizes = {"n_actions": actions, "horizon": rounds, "n_switches": max(n_switches, 1)}
    learners = [
        catalogue.learner(name, **sizes, epsilon=epsilon, delta=delta, rng=stream(seed, "play", name, r))
        for r in range(repeats)
    ]
    return protocol.pooled([protocol.play(learner, losses, n_switches=n_switches) for learner in learners])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m replicate.play", description="Play learners on losses.")
    parser.add_argument("losses", nargs="?", type=Path, help="table of losses: a line a round, a column an action")
    parser.add_argument("--example", choices=forecasters.SAMPLES, help="losses of forecasters of a real series")
    parser.add_argument("--learner", nargs="+", default=["prefix_softmax"], help="names from --list")
    parser.add_argument("--epsilon", type=float, help="privacy level")
    parser.add_argument("--delta", type=float, default=1e-6, help="for the learners that read it")
    parser.add_argument("--switches", type=int, default=0, help="of the comparator; 0: best fixed action")
    parser.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), default=(0, 1), help="of losses")
    parser.add_argument("--repeats", type=int, default=1, help="number of games")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--list", action="store_true", help="list the learners and stop")
    return parser


def _listed() -> str:
    """Return the catalogue, a line for each learner."""
    entries = catalogue.register().values()
    width = max(len(entry.name) for entry in entries)
    return "\n".join(
        f"{e.name:{width}}  {e.paper:15} {'private' if e.private else 'not private':12} {e.summary}"
        for e in entries
    )


def _table(options: argparse.Namespace) -> pd.DataFrame:
    """Read the losses that the arguments name."""
    if (options.losses is None) is (options.example is None):
        raise ValueError("give a file of losses, or --example, and not both")
    if options.example:
        return pd.DataFrame(forecasters.sample_losses(options.example), columns=list(forecasters.PANEL))
    low, high = options.range
    if not low < high:
        raise ValueError(f"--range must be LOW < HIGH, got {low:g} {high:g}")
    return read_table(options.losses, low=low, high=high)


def main(arguments: list[str] | None = None) -> int:
    """Play and print; what is wrong with the file or the arguments ends the program with one line."""
    options = _parser().parse_args(arguments)
    if options.list:
        print(_listed())
        return 0
    entries = catalogue.register()
    try:
        table = _table(options)
        for name in options.learner:
            asks = name not in entries or entries[name].private
            run = repeat(
                name,
                table,
                epsilon=options.epsilon if asks else None,
                delta=options.delta,
                n_switches=options.switches,
                repeats=options.repeats,
                seed=options.seed,
            )
            print(f"learner     {name}\n{run}\n", flush=True)
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
