"""The data of figures at quick sizes, pinned: ``python -m tests.figures_pinned build/quick`` after `make quick`.

Of every column of every CSV file: how many numbers it has, their sum, extremes, and a few rows; of words how many
different ones there are, and a few rows. Of a figure's JSON its description and parameters. What differs is
printed, old and new, and ``--accept [--only PAPER/FIGURE ...]`` renews it. Records of claims and errata have pins
of their own (`tests.claims.pinned`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replicate.files import other_versions

PINNED = Path(__file__).with_name("figures_pinned.json")
CLOSE = 1e-4
"""Relative difference that counts as none: files hold six digits, the last of which may differ by processor."""
ELSEWHERE = ("claims", "errata", "budget")
Columns = dict[str, dict[str, Any]]


def column(values: pd.Series) -> dict[str, Any]:
    """Return what is pinned of a column."""
    few = [values.iloc[i] for i in sorted({0, len(values) // 3, 2 * len(values) // 3, len(values) - 1})]
    if not pd.api.types.is_numeric_dtype(values) or values.dtype == bool:
        return {"count": len(values), "distinct": int(values.nunique()), "rows": [str(value) for value in few]}
    numbers = values.to_numpy(dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    sums = {"sum": finite.sum(), "size": np.abs(finite).sum()}
    extremes = {"least": finite.min(), "largest": finite.max()} if len(finite) else {}
    found = {"count": len(finite), **{key: float(value) for key, value in {**sums, **extremes}.items()}}
    return found | {"rows": [float(value) for value in few]}


def columns(path: Path) -> Columns:
    """Return what is pinned of a file, by column."""
    if path.suffix == ".csv":
        data = pd.read_csv(path)
    else:
        record = json.loads(path.read_text(encoding="utf-8"))
        told = {"description": record.get("description", ""), **record.get("parameters", {})}
        data = pd.DataFrame({key: [v if isinstance(v, int | float) else str(v)] for key, v in told.items()})
    return {str(name): column(data[name]) for name in data}


def found(folder: Path) -> dict[str, Columns]:
    """Return what is pinned of every file below a folder, by paper and figure."""
    files = sorted(
        p for p in folder.glob("figures/*/*") if p.suffix in (".csv", ".json") and p.stem not in ELSEWHERE
    )
    return {f"{path.parent.name}/{path.name}": columns(path) for path in files}


def differences(old: Columns, new: Columns) -> Iterator[str]:
    """Name what differs in a file, column by column."""
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in old or name not in new:
            yield f"{name}: {'a new column' if name in new else 'the column is gone'}"
            continue
        for part in sorted({*old[name], *new[name]}):
            before, after = old[name].get(part), new[name].get(part)
            scale = new[name].get("size", 0.0) if part == "sum" else 0.0
            if not _close(before, after, scale):
                yield f"{name}, {part}: old {before}, new {after}"


def _close(before: Any, after: Any, scale: float) -> bool:
    """Compare words and counts exactly, other numbers up to rounding; a sum relative to that of the sizes."""
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(_close(a, b, scale) for a, b in zip(before, after, strict=True))
    if isinstance(before, float) and isinstance(after, float):
        return bool(np.isclose(after, before, rtol=CLOSE, atol=CLOSE * scale, equal_nan=True))
    return bool(before == after)


def written(pinned: dict[str, Columns]) -> str:
    """Return pins as JSON, a line for each column."""
    files = []
    for file, listed in sorted(pinned.items()):
        lines = ",\n  ".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in listed.items())
        files.append(f" {json.dumps(file)}: {{\n  {lines}\n }}")
    return "{\n" + ",\n".join(files) + "\n}\n"


def main(words: Sequence[str] | None = None, *, pins: Path = PINNED) -> int:
    """Compare or renew; return 1 where something differs and is not accepted."""
    parser = argparse.ArgumentParser(prog="python -m tests.figures_pinned", description="Pinned data of figures.")
    parser.add_argument("folder", type=Path, help="where `make quick` left its files: build/quick")
    parser.add_argument("--accept", action="store_true", help="renew what differs")
    parser.add_argument("--only", nargs="+", metavar="PAPER/FIGURE", default=[""], help="files, by how they begin")
    options = parser.parse_args(words)
    old = json.loads(pins.read_text(encoding="utf-8")) if pins.exists() else {}
    new = found(options.folder)
    if not new:
        parser.error(f"no figures in {options.folder}: `make quick` writes them")
    chosen = [file for file in sorted({*old, *new}) if file.startswith(tuple(options.only))]
    changed = {
        file: lines for file in chosen if (lines := list(differences(old.get(file, {}), new.get(file, {}))))
    }
    for file, lines in changed.items():
        print(f"{file}: {'not pinned yet' if file not in old else 'the file is gone' if file not in new else ''}")
        print("\n".join(f"  {line}" for line in lines if file in old and file in new))
    if options.accept:
        kept = {file: part for file, part in old.items() if file not in changed}
        pins.write_text(written(kept | {file: new[file] for file in changed if file in new}), encoding="utf-8")
        print(f"{len(changed)} of {len(chosen)} files renewed")
    elif changed:
        names = " ".join(changed)
        if named := other_versions():
            print(f"{len(changed)} files differ, under {named}: their numbers are pinned with the lock's versions")
            return 0
        print(
            f"if this is right: .venv/bin/python -m tests.figures_pinned {options.folder} --accept --only {names}"
        )
    return int(bool(changed) and not options.accept)


if __name__ == "__main__":
    sys.exit(main())
