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
from tqdm import tqdm

from replicate import budget, executors, files, validation
from replicate.compiled import numba
from replicate.contents import HOMES
from replicate.files import replacing
from replicate.streams import stream
from replicate.workbook import fingerprint

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
        For an executor with processes it must be importable. To keep results it must not change what it reads.
    seed
        Root seed.
    executor
        Any ``concurrent.futures`` executor; None computes in this thread.
    cache_dir
        Folder of finished cells, one file each; workers on other machines must see it too. A cell is
        computed anew when its parameters, the seed, the code of `function` and of what it reaches, the values
        that it reads (`fingerprint`), or the versions of NumPy, SciPy and Numba change; nothing is
        kept once that code was edited in mid-run. An interrupted sweep resumes where it stopped.
    progress
        Show a bar: True, False, or None for "on a terminal only".

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
    shelf = None if cache_dir is None else _Shelf.of(Path(cache_dir).resolve(), function)
    paths = {cell.id: None if shelf is None else shelf.path(cell, seed) for cell in chosen}
    # What is finished this process reads, and no worker hears of it.
    unfinished = {name for name, path in paths.items() if path is None or not path.exists()}
    away = [] if executor is None else [cell for cell in chosen if cell.id in unfinished]
    sent = {cell.id for cell in away}
    results: dict[str, dict[str, Any]] = {}
    with tqdm(total=len(chosen), disable=None if progress is None else not progress, unit="cell") as bar:
        for cell in chosen:
            if cell.id not in sent:
                results[cell.id] = _compute(function, cell, seed, paths[cell.id])
                bar.update()
        if executor is not None:
            known = os.getpid(), shelf.code if shelf else ""
            tasks = [(_away, *known, function, cell, seed, paths[cell.id]) for cell in away]
            for cell_id, result in executors.completed(executor, tasks):
                results[cell_id] = result
                bar.update()
    if shelf is not None and unfinished and fingerprint.of_call(function)[0] != shelf.code:
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
    """Tell if a function has this fingerprint here too; a worker asks once."""
    if code not in _SAME and fingerprint.of_call(function)[0] == code:
        _SAME.add(code)
    return code in _SAME


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


@dataclass(frozen=True)
class _Shelf:
    """Folder in which a function's cells are kept.

    Attributes
    ----------
    folder
        Of the files.
    code
        Fingerprint of the function.
    texts
        Hash of the sources of this package that it reaches, for what it looks up by name.
    """

    folder: Path
    code: str
    texts: str

    @classmethod
    def of(cls, folder: Path, function: CellFunction) -> _Shelf | None:
        """Return a shelf; None if a source was edited since this process began, and need not be what runs.

        Raises
        ------
        ValueError
            If the function reads what has no fingerprint.
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
        if max((path.stat().st_mtime for path in map(files.source, texts) if path), default=0.0) >= _STARTED.get():
            return None
        return cls(folder, code, files.digest(texts))

    def path(self, cell: Cell, seed: int) -> Path:
        """File of a finished cell, named by what is computed, from which seed, by which code."""
        try:
            parameters = fingerprint.of(cell.parameters)
        except ValueError as error:
            raise ValueError(f"parameters of {cell.id} must be values that can be kept: {error}") from None
        compiler = numba.__version__ if numba else None
        versions = [np.__version__, scipy.__version__, compiler]
        key = [cell.id, parameters, seed, versions, self.code, self.texts]
        return self.folder / f"{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:40]}.npz"


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
