"""Grids of cells: named, seeded by name, computed by any executor, kept on disk as they finish."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from replicate import budget, files, streams, validation
from replicate.compiled import numba
from replicate.contents import HOMES
from replicate.files import replacing
from replicate.streams import stream
from replicate.workbook import clock, fingerprint

Value = NDArray[Any] | float | int
CellFunction = Callable[..., Mapping[str, Value]]

_LOADED = time.time()
_STARTED: ContextVar[float] = ContextVar("started", default=_LOADED)
"""Time when this process loaded the module: what is edited later does not run. It is no part of a fingerprint."""


@dataclass(frozen=True)
class Cell:
    """One point of a grid.

    Attributes
    ----------
    id
        Stable name, ``"regret/K=16,gap=0.1"``: a figure, a log line and a failing test point at the same thing.
    parameters
        What the cell's function is called with, as sorted (name, value) pairs.
    """

    id: str
    parameters: tuple[tuple[str, Any], ...]


def grid(name: str, **axes: Iterable[Any]) -> list[Cell]:
    """Return the cells of the product of `axes`, the last axis running fastest."""
    cells = []
    for point in product(*(tuple(axis) for axis in axes.values())):
        named = dict(zip(axes, point, strict=True))
        label = ",".join(
            f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in named.items()
        )
        cells.append(Cell(f"{name}/{label}", tuple(sorted(named.items()))))
    return cells


def run(
    cells: Iterable[Cell],
    function: CellFunction,
    *,
    seed: int,
    executor: Executor | None = None,
    cache_dir: Path | str | None = None,
) -> dict[str, dict[str, Any]]:
    """Compute every cell.

    Parameters
    ----------
    cells
        What to compute; ids must be unique.
    function
        Called as ``function(**parameters, rng=rng)``; returns a mapping of names to arrays or numbers. The
        generator depends on `seed` and the cell's id only, so results do not depend on order or workers.
        For an executor with processes it must be importable. To keep results it must not change what it reads.
    seed
        Root seed.
    executor
        Any ``concurrent.futures`` executor; None computes in this thread.
    cache_dir
        Folder of finished cells, one file each; workers on other machines must see it too. A cell is
        computed anew when its parameters, the seed, the code of `function` and of what it reaches, the values
        that it reads (`fingerprint`), or the versions of Python, NumPy, SciPy and Numba change. Nothing is kept,
        and a warning says so, if a source is newer than this process, which need not run it, or if the function
        changed a value that it reads. An interrupted sweep resumes where it stopped.

    Returns
    -------
    Results by cell id, in the order of `cells`.

    Raises
    ------
    ValueError
        If two cells have one id; if results are to be kept and the function or a parameter holds what cannot be
        told from something else, such as an iterator; if a worker's function reads other values than this one's.
    """
    chosen = list(cells)
    if len({cell.id for cell in chosen}) < len(chosen):
        raise ValueError("cells must have unique ids, got a repeated one")
    validation.count("seed", seed, low=0)
    code, texts, edited = ("", {}, []) if cache_dir is None else _code(function)
    if edited:
        warnings.warn(f"nothing is kept: {edited[0]} is newer than this process", stacklevel=2)
    sources = files.digest(texts)
    folder = None if cache_dir is None or edited else Path(cache_dir).resolve()
    paths = {cell.id: folder and folder / _key(cell, seed, code, sources) for cell in chosen}
    # What is finished this process reads, and no worker hears of it.
    unfinished = {name for name, path in paths.items() if path is None or not path.exists()}
    away = [] if executor is None else [cell for cell in chosen if cell.id in unfinished]
    sent = {cell.id for cell in away}
    results: dict[str, dict[str, Any]] = {}
    for cell in clock.steps([cell for cell in chosen if cell.id not in sent]):
        results[cell.id] = _compute(function, cell, seed, paths[cell.id])
    if executor is not None:
        known = os.getpid(), _shared(code, texts)
        tasks = [(_away, *known, function, cell, seed, paths[cell.id]) for cell in away]
        results |= dict(clock.steps(streams.completed(executor, tasks), len(tasks)))
    if folder is not None and unfinished and fingerprint.of_call(function)[0] != code:
        for cell_id in unfinished:
            Path(paths[cell_id] or "").unlink(missing_ok=True)
        warnings.warn(f"nothing is kept: {_name(function)} changed a value that it reads", stacklevel=2)
    return {cell.id: results[cell.id] for cell in chosen}


def _away(
    home: int, code: str, function: CellFunction, cell: Cell, seed: int, path: Path | None
) -> tuple[str, dict[str, Any]]:
    """Compute a cell for the process `home`; in another one, if the function is there what it is at home."""
    if path is not None and os.getpid() != home and not _same(function, code):
        raise ValueError(
            f"{_name(function)} must read the same in every worker, got another value or other code there: "
            "pass as a parameter what changes while the program runs"
        )
    return cell.id, _compute(function, cell, seed, path)


_SAME: set[str] = set()


def _same(function: CellFunction, code: str) -> bool:
    """Tell if a function has this code here too, and reaches these texts; a worker asks once."""
    if code not in _SAME and _shared(*_code(function)[:2]) == code:
        _SAME.add(code)
    return code in _SAME


def _shared(code: str, texts: dict[str, bytes]) -> str:
    """Return a hash of what all workers share: a worker's main program is another one."""
    return files.digest({"": code.encode(), **texts, "__main__": b""})


def _compute(function: CellFunction, cell: Cell, seed: int, path: Path | None) -> dict[str, Any]:
    """Compute one cell, or read it from the file that keeps it once it is finished."""
    if path is not None and (kept := _read(path)) is not None:
        return kept
    with budget.closed():
        values = function(**dict(cell.parameters), rng=stream(seed, cell.id))
    result = {name: _plain(name, value)[()] for name, value in values.items()}
    if path is not None:
        with replacing(path) as temporary:
            arrays = {f"{i}": value for i, value in enumerate(result.values())}
            np.savez(temporary, allow_pickle=False, names=np.array(json.dumps(list(result))), **arrays)
    return result


def _plain(name: str, value: Any) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise ValueError(f"{name} must be an array or a number, got a masked array: say .filled(np.nan)")
    return np.asarray(value)


_TORN = (OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error)
"""What reading half a file may raise."""


def _read(path: Path) -> dict[str, Any] | None:
    """Return a finished cell; None if there is none, or what lies there is torn."""
    try:
        with np.load(path) as stored:
            return {name: stored[f"{i}"][()] for i, name in enumerate(json.loads(str(stored["names"])))}
    except FileNotFoundError:
        return None
    except _TORN as error:
        print(f"a kept cell cannot be read and is computed anew: {path.name}: {error}", file=sys.stderr)
        return None


def _code(function: CellFunction) -> tuple[str, dict[str, bytes], list[Path]]:
    """Return a function's fingerprint, the sources it reaches, and those that need not be what runs.

    Sources count for what is looked up by name; one that is newer than this process may have been edited since.
    """
    try:
        code, modules = fingerprint.of_call(function)
    except ValueError as error:
        raise ValueError(
            f"function must be one that can be told from others to keep its results: {error}"
        ) from None
    texts: dict[str, bytes] = {}
    for module in sorted(modules):
        texts |= {} if module in texts else _reached(module)
    paths = [path for path in map(files.source, texts) if path]
    return code, texts, [path for path in paths if path.stat().st_mtime >= _STARTED.get()]


def _key(cell: Cell, seed: int, code: str, sources: str) -> str:
    """Return the name of a finished cell's file: what is computed, from which seed, by which code."""
    try:
        parameters = fingerprint.of(cell.parameters)
    except ValueError as error:
        raise ValueError(f"parameters of {cell.id} must be values that can be kept: {error}") from None
    versions = [sys.version, np.__version__, scipy.__version__, numba.__version__ if numba else None]
    key = json.dumps([cell.id, parameters, seed, versions, code, sources])
    return f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.npz"


def _name(function: CellFunction) -> str:
    return getattr(function, "__qualname__", None) or repr(function)[:100]


def _reached(module: str) -> dict[str, bytes]:
    """Sources that a module reaches; through the register of learners it reaches every paper's."""
    register = "replicate.learners.registry"
    return files.reached(module, {register: [f"{home}.learners" for home in HOMES.values()]})


def cache_folder() -> Path | None:
    """Return the folder of finished cells that the environment variable REPLICATE_CACHE names, if any."""
    folder = os.environ.get("REPLICATE_CACHE")
    return Path(folder) if folder else None
