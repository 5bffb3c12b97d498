"""Grids of cells: named, seeded by name, computed by any executor, kept on disk as they finish."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import sys
import time
import types
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, is_dataclass
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
from replicate.workbook import clock

Value = NDArray[Any] | float | int
CellFunction = Callable[..., Mapping[str, Value]]

_STARTED: ContextVar[float] = ContextVar("started", default=time.time())  # noqa: B039
"""Time when this process loaded the module: what is edited later does not run. `told` does not tell it."""
_PACKAGE = __name__.partition(".")[0]
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


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
        For an executor with processes it must be importable. To keep results it must be one that the source of its
        module defines, and must not change what it reads.
    seed
        Root seed.
    executor
        Any ``concurrent.futures`` executor; None computes in this thread.
    cache_dir
        Folder of finished cells, one file each; workers on other machines must see it too. A cell is
        computed anew when its parameters, the seed, the sources that `function` reaches, the values of globals
        there (numbers, texts, arrays, what holds them, and functions), or the versions of Python, NumPy, SciPy and
        Numba change. Files, the environment, attributes and globals of other kinds are not seen. Nothing is
        kept, and a warning says so, if a source is newer than this process, which need not run it, or if the
        function changed a value that it reads. An interrupted sweep resumes where it stopped.

    Returns
    -------
    Results by cell id, in the order of `cells`.

    Raises
    ------
    ValueError
        If two cells have one id; if results are to be kept and a parameter is another kind of value than those
        above, or no source defines the function; if a worker's function reads other values than this one's.
    """
    chosen = list(cells)
    if len({cell.id for cell in chosen}) < len(chosen):
        raise ValueError("cells must have unique ids, got a repeated one")
    validation.count("seed", seed, low=0)
    code, edited = ({}, []) if cache_dir is None else _code(function)
    if edited:
        warnings.warn(f"nothing is kept: {edited[0]} is newer than this process", stacklevel=2)
    digest = files.digest(code)
    folder = None if cache_dir is None or edited else Path(cache_dir).resolve()
    paths = {cell.id: folder and folder / _key(cell, seed, digest) for cell in chosen}
    # What is finished this process reads, and no worker hears of it.
    unfinished = {name for name, path in paths.items() if path is None or not path.exists()}
    away = [] if executor is None else [cell for cell in chosen if cell.id in unfinished]
    sent = {cell.id for cell in away}
    results: dict[str, dict[str, Any]] = {}
    for cell in clock.steps([cell for cell in chosen if cell.id not in sent]):
        results[cell.id] = _compute(function, cell, seed, paths[cell.id])
    if executor is not None:
        shared = _shared(code)
        tasks = [(_away, shared, function, cell, seed, paths[cell.id]) for cell in away]
        results |= dict(clock.steps(streams.completed(executor, tasks), len(tasks)))
    if folder is not None and unfinished and files.digest(_code(function)[0]) != digest:
        for cell_id in unfinished:
            Path(paths[cell_id] or "").unlink(missing_ok=True)
        warnings.warn(f"nothing is kept: {function.__name__} changed a value that it reads", stacklevel=2)
    return {cell.id: results[cell.id] for cell in chosen}


def _away(
    code: str, function: CellFunction, cell: Cell, seed: int, path: Path | None
) -> tuple[str, dict[str, Any]]:
    """Compute a cell for another process, if the function is what it is there."""
    if path is not None and not _same(function, code):
        raise ValueError(
            f"{function.__name__} must read the same in every worker, got another value or other code there: "
            "pass as a parameter what changes while the program runs"
        )
    return cell.id, _compute(function, cell, seed, path)


@functools.cache
def _same(function: CellFunction, code: str) -> bool:
    """Return whether a function is here what it is in another process; a worker looks once."""
    return _shared(_code(function)[0]) == code


def _shared(code: Mapping[str, bytes]) -> str:
    """Return a hash of what all workers share: a worker's main program is another one."""
    return files.digest({name: text for name, text in code.items() if not name.startswith("__main__")})


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


def _code(function: CellFunction) -> tuple[dict[str, bytes], list[Path]]:
    """Return what decides a function's results, by name: sources that it reaches, and the values of globals there.

    The second part are the sources that are newer than this process: they may have been edited since.
    """
    name, module = getattr(function, "__qualname__", "<no name>"), _main(getattr(function, "__module__", ""))
    if not isinstance(function, types.FunctionType) or "<" in name or files.source(module) is None:
        raise ValueError(
            f"function must be one that the source of a module defines to keep its results, got {function!r:.200}"
        )
    texts: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        if (reached := waiting.pop()) not in texts and not _foreign(reached):
            texts |= _reached(reached)
            waiting += _used(reached)
    values = {f"{reached} values": _values(reached) for reached in texts}
    edited = [path for path in map(files.source, texts) if path and path.stat().st_mtime >= _STARTED.get()]
    return {"function": name.encode(), **texts, **values}, edited


def _main(module: str) -> str:
    """Return a module's name; the main program has another one in a spawned worker."""
    return "__main__" if module == "__mp_main__" else module


@functools.cache
def _foreign(module: str) -> bool:
    """Return whether a module is Python's, or another project's that is installed; both count by their version."""
    top, path = module.partition(".")[0], files.source(module)
    return top != _PACKAGE and (path is None or top in sys.stdlib_module_names or "site-packages" in path.parts)


def _used(module: str) -> set[str]:
    """Return the modules whose functions, classes or selves stand in the globals of a loaded module."""
    values = list(vars(sys.modules.get(module, types)).values())
    found = {value.__name__ for value in values if isinstance(value, types.ModuleType)}
    return found | {
        _main(str(value.__module__)) for value in values if isinstance(value, types.FunctionType | type)
    }


def _values(module: str) -> bytes:
    """Return the globals of a module that `told` can tell from others, as text; they may be loaded only here.

    Functions and classes that another module has under the same name are left out: their sources count. So are
    globals of a package that adds them when they are first asked for.
    """
    texts: list[str] = []
    with suppress(ImportError):
        known = vars(importlib.import_module(module))
        for name, value in sorted(() if "__getattr__" in known else known.items()):
            code = isinstance(value, types.FunctionType | type)
            if name.startswith("__") or (code and getattr(sys.modules.get(value.__module__), name, None) is value):
                continue
            with suppress(ValueError, RecursionError):
                texts.append(f"{name}={told(value)}")
    return "\n".join(texts).encode()


def told(value: Any) -> str:
    """Return a text of a value, in which other values have other ones.

    Raises
    ------
    ValueError
        If it is none of numbers, texts, arrays, functions, classes, dataclasses, and what holds these.
    """
    kind, parts = type(value).__qualname__, value
    if isinstance(value, _PLAIN):
        return f"{kind} {value!r}"
    if isinstance(value, types.FunctionType | type):
        code = value.__code__.co_code.hex() if isinstance(value, types.FunctionType) else ""
        return f"{_main(value.__module__)}.{value.__qualname__} {code}"
    if type(value) is np.ndarray or isinstance(value, np.generic):
        if not value.dtype.hasobject:
            return f"{kind} {value.dtype.str} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        parts = [value.shape, value.tolist()]
    elif isinstance(value, set | frozenset):
        return f"{kind} {sorted(map(told, value))}"
    elif type(value) in (dict, types.MappingProxyType) or is_dataclass(value):
        parts = (vars(value) if is_dataclass(value) else value).items()
    elif not isinstance(value, tuple | list):
        raise ValueError(f"{kind} cannot be told from others, got {' '.join(repr(value).split()):.100}")
    return f"{kind} {[told(part) for part in parts]}"


def _key(cell: Cell, seed: int, code: str) -> str:
    """Return the name of a finished cell's file: what is computed, from which seed, by which code."""
    try:
        parameters = told(cell.parameters)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"parameters of {cell.id} must be values that can be kept: {error}") from None
    versions = [sys.version, np.__version__, scipy.__version__, numba.__version__ if numba else None]
    key = json.dumps([cell.id, parameters, seed, versions, code])
    return f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.npz"


def _reached(module: str) -> dict[str, bytes]:
    """Sources that a module reaches; through the register of learners it reaches every paper's."""
    register = "replicate.learners.registry"
    return files.reached(module, {register: [f"{home}.learners" for home in HOMES.values()]})


def cache_folder() -> Path | None:
    """Return the folder of finished cells that the environment variable REPLICATE_CACHE names, if any."""
    folder = os.environ.get("REPLICATE_CACHE")
    return Path(folder) if folder else None
