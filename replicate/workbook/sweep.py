"""Grids of cells: named, seeded by name, computed by any executor, kept on disk as they finish."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy
from numpy.typing import NDArray
from tqdm import tqdm

from replicate import budget, executors, files, validation
from replicate.contents import HOMES
from replicate.files import replacing
from replicate.streams import stream

Value = NDArray[Any] | float | int
CellFunction = Callable[..., Mapping[str, Value]]

_STARTED = time.time()
"""When this process loaded the module: what is edited later is not what runs."""


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
    progress: bool | None = False,
) -> dict[str, dict[str, Any]]:
    """Compute every cell.

    Parameters
    ----------
    cells
        What to compute; ids must be unique.
    function
        Called as ``function(**parameters, rng=rng)``; returns a mapping of names to arrays or numbers. The
        generator depends on `seed` and the cell's id only, so results do not depend on order or workers.
        For an executor with processes it must be importable.
    seed
        Root seed.
    executor
        Any ``concurrent.futures`` executor; None computes in this thread.
    cache_dir
        Folder of finished cells, one file each; workers on other machines must see it too. A cell is
        computed anew when its parameters, the seed, the code that `function` can reach inside this package, or
        the versions of NumPy, SciPy and Numba change; nothing is kept once that code was edited in mid-run. An
        interrupted sweep resumes where it stopped.
    progress
        Show a bar: True, False, or None for "on a terminal only".

    Returns
    -------
    Results by cell id, in the order of `cells`.
    """
    chosen = list(cells)
    if len({cell.id for cell in chosen}) < len(chosen):
        raise ValueError("cells must have unique ids, got a repeated one")
    validation.count("seed", seed, low=0)
    folder = Path(cache_dir).resolve() if cache_dir is not None and _keeps(function) else None
    paths = {cell.id: None if folder is None else _path(folder, function, cell, seed) for cell in chosen}
    away = [] if executor is None else [cell for cell in chosen if not _is_kept(paths[cell.id])]
    sent = {cell.id for cell in away}
    results: dict[str, dict[str, Any]] = {}
    with tqdm(total=len(chosen), disable=None if progress is None else not progress, unit="cell") as bar:
        for cell in chosen:
            if cell.id not in sent:
                results[cell.id] = _compute(function, cell, seed, paths[cell.id])
                bar.update()
        if executor is not None:
            tasks = {cell.id: (function, cell, seed, paths[cell.id]) for cell in away}
            for cell_id, result in _spread(executor, tasks):
                results[cell_id] = result
                bar.update()
    return {cell.id: results[cell.id] for cell in chosen}


def _spread(executor: Executor, tasks: Mapping[str, tuple[Any, ...]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (id, result) of cells as an executor finishes them; give up what is not begun when one fails."""
    pending = {executor.submit(executors.call, _compute, *task): cell_id for cell_id, task in tasks.items()}
    try:
        for future in as_completed(pending):
            yield pending[future], future.result()
    finally:
        for future in pending:
            future.cancel()


def _is_kept(path: Path | None) -> bool:
    """Return True if a cell is finished: then this process reads it, and no worker hears of it."""
    return path is not None and path.exists()


def _compute(function: CellFunction, cell: Cell, seed: int, path: Path | None) -> dict[str, Any]:
    """Compute one cell, or read it from the file that keeps it once it is finished."""
    if path is not None and _is_kept(path):
        with np.load(path) as stored:
            return {name: stored[name][()] for name in stored.files}
    with budget.closed():
        values = function(**dict(cell.parameters), rng=stream(seed, cell.id))
    result = {name: np.asarray(value)[()] for name, value in values.items()}
    if path is not None:
        with replacing(path) as temporary:
            np.savez(temporary, allow_pickle=False, **result)
    return result


def _keeps(function: CellFunction) -> bool:
    """Return True if results may be kept: a source edited since this process began need not be the code that runs.

    Raises
    ------
    ValueError
        If the function has no name of its own: two functions of one factory would share their files.
    """
    if getattr(function, "__closure__", None) or "<" in getattr(function, "__qualname__", "<"):
        raise ValueError(f"function must be one of a module to keep its results, got {function!r}")
    return _latest_edit(function.__module__) < _STARTED


def _latest_edit(module: str) -> float:
    """Time of the latest change of the sources that a module reaches, in seconds since the epoch."""
    return max((path.stat().st_mtime for path in map(files.source, _reached(module)) if path), default=0.0)


def _path(folder: Path, function: CellFunction, cell: Cell, seed: int) -> Path:
    """File of a finished cell, named by what is computed, from which seed, by which code."""
    name = f"{function.__module__}.{function.__qualname__}"
    versions = [np.__version__, scipy.__version__, numba.__version__]
    key = [name, cell.id, repr(cell.parameters), seed, versions, _code(function.__module__)]
    return folder / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:40]}.npz"


@cache
def _code(module: str) -> str:
    """Hash of a module's source and of everything in this package that it imports, directly or not."""
    return files.digest(_reached(module))


def _reached(module: str) -> dict[str, bytes]:
    """Sources that a module reaches; through the register of learners it reaches every paper's."""
    register = "replicate.learners.registry"
    return files.reached(module, {register: [f"{home}.learners" for home in HOMES.values()]})


def cache_folder() -> Path | None:
    """Return the folder of finished cells that the environment variable REPLICATE_CACHE names, if any."""
    folder = os.environ.get("REPLICATE_CACHE")
    return Path(folder) if folder else None
