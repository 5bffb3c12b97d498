"""Grids of cells: named, seeded by name, computed by any executor, kept on disk as they finish."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import pickle
import sys
import sysconfig
import time
import types
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy
from numpy.typing import NDArray
from tqdm import tqdm

from replicate import budget, files, streams, validation
from replicate.compiled import numba
from replicate.contents import HOMES
from replicate.files import replacing
from replicate.streams import stream

Value = NDArray[Any] | float | int
CellFunction = Callable[..., Mapping[str, Value]]
T = TypeVar("T")

_STARTED = time.time()
"""Time when this process loaded the module: what is edited later does not run."""
_PACKAGE = __name__.partition(".")[0]
_REGISTER = "replicate.learners.registry"
"""The registry of learners, through which a module reaches every paper's."""
_PLACES = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})


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


def steps(things: Iterable[T], total: int | None = None) -> Iterable[T]:
    """Return things that a bar counts after three seconds: on a terminal, and under a cell that is run by hand."""
    quiet = files.PENDING in os.environ if "ipykernel" in sys.modules else None
    return tqdm(things, total=total, delay=3, leave=False, disable=quiet)


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
        computed anew when its parameters, the seed, the sources that `function` reaches, the values of its module,
        or the versions of Python, NumPy, SciPy and Numba change; what a program changes in other modules while it
        runs is not seen. Nothing is kept, and a warning says so, if a source is newer than this process, which
        need not run it, or if the function changed a value of its module. An interrupted sweep resumes where it
        stopped.

    Returns
    -------
    Results by cell id, in the order of `cells`.

    Raises
    ------
    ValueError
        If two cells have one id; if results are to be kept and the function is none of a module's, or a parameter
        is more than texts, numbers, None, tuples and lists of them; if a worker has other values or sources.
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
    unfinished = {name: path for name, path in paths.items() if path is None or not path.exists()}
    here = [cell for cell in chosen if executor is None or cell.id not in unfinished]
    results = {cell.id: _compute(function, cell, seed, paths[cell.id]) for cell in steps(here)}
    if executor is not None:
        shared, away = _shared(code, texts), [cell for cell in chosen if cell.id in unfinished]
        tasks = [(_away, shared, function, cell, seed, paths[cell.id]) for cell in away]
        results |= dict(steps(streams.completed(executor, tasks), len(tasks)))
    if folder is not None and unfinished and _code(function)[0] != code:
        for path in filter(None, unfinished.values()):
            path.unlink(missing_ok=True)
        warnings.warn(f"nothing is kept: {_name(function)} changed a value that it reads", stacklevel=2)
    return {cell.id: results[cell.id] for cell in chosen}


def _away(
    code: str, function: CellFunction, cell: Cell, seed: int, path: Path | None
) -> tuple[str, dict[str, Any]]:
    """Compute a cell for another process, if the function is what it is there."""
    if path is not None and code not in _SAME and _shared(*_code(function)[:2]) != code:
        raise ValueError(
            f"{_name(function)} must read the same in every worker, got another value or other code there: "
            "pass as a parameter what changes while the program runs"
        )
    _SAME.add(code)
    return cell.id, _compute(function, cell, seed, path)


_SAME: set[str] = set()
"""Code that is the same here: a worker looks once."""


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
    """Return what a function is, the sources that it reaches, and those that need not be what runs.

    It is its name with the values that functions of its module read there, as they are now. Sources are those of
    its module and of all that this one has from others, but not from installed projects, which count by their
    versions. One that is newer than this process may have been edited since.

    Raises
    ------
    ValueError
        If it is none of a module's functions, such as a closure, if its module has no source, or if a value that
        is read there cannot be written, such as an open file.
    """
    module, name = getattr(function, "__module__", None) or "", _name(function)
    known = vars(sys.modules[module]) if module in sys.modules else {}
    if known.get(name) is not function or files.source(module) is None:
        raise ValueError(f"function must be one of a module with a source to keep its results, got {name}")
    texts: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        one = waiting.pop().replace("__mp_main__", "__main__")
        if one in texts or foreign(one):
            continue
        if one.partition(".")[0] == _PACKAGE:
            texts |= files.reached(one, {_REGISTER: [f"{home}.learners" for home in HOMES.values()]})
        elif path := files.source(one):
            texts[one] = path.read_bytes()
            for member in vars(sys.modules[one]).values():
                named = "__name__" if isinstance(member, types.ModuleType) else "__module__"
                waiting.append(str(getattr(member, named, "")))
    functions = [member for member in known.values() if isinstance(member, types.FunctionType)]
    read = set().union(*(_names(one.__code__) for one in functions if one.__module__ == module))
    told = {key: _told(key, known[key]) for key in sorted(read & known.keys())}
    values = {key: text for key, text in told.items() if text}
    paths = [path for path in map(files.source, texts) if path]
    return f"{name} {values}", texts, [path for path in paths if path.stat().st_mtime >= _STARTED]


def _told(name: str, value: Any) -> str:
    """Return what a value of a module is, as Python or pickle writes it; nothing of what its source tells."""
    if callable(value) or isinstance(value, types.ModuleType):
        return ""
    if _written(value):
        return repr(value)
    file = io.BytesIO()
    pickler = pickle.Pickler(file)
    pickler.fast = True  # equal parts are written anew, whether they are one object or two
    try:
        pickler.dump(value)
        return hashlib.sha256(file.getvalue()).hexdigest()
    except Exception:  # whatever a class of somebody else raises
        raise ValueError(f"function must read what can be kept, got {name}, a {type(value).__name__}") from None


def _names(code: types.CodeType) -> set[str]:
    """Return the names that a code and those inside it look up."""
    inner = [_names(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return set(code.co_names).union(*inner)


def _key(cell: Cell, seed: int, code: str, sources: str) -> str:
    """Return the name of a finished cell's file: what is computed, from which seed, by which code."""
    if not _written(cell.parameters):
        raise ValueError(f"parameters of {cell.id} must be texts, numbers, None, tuples and lists to be kept")
    versions = [sys.version, np.__version__, scipy.__version__, numba.__version__ if numba else None]
    key = repr((cell.id, cell.parameters, seed, versions, code, sources))
    return f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.npz"


def _written(value: Any) -> bool:
    """Return whether Python writes a value so that it can be told from every other one."""
    if isinstance(value, tuple | list):
        return all(map(_written, value))
    return value is None or isinstance(value, bool | int | float | str | np.number | np.bool_)


def _name(function: CellFunction) -> str:
    return getattr(function, "__qualname__", None) or repr(function)[:100]


def cache_folder() -> Path | None:
    """Return the folder of finished cells that the environment variable REPLICATE_CACHE names, if any."""
    folder = os.environ.get("REPLICATE_CACHE")
    return Path(folder) if folder else None


@functools.cache
def foreign(module: str) -> bool:
    """Return whether a module is Python's, or another project's that is installed."""
    top = module.partition(".")[0]
    if top == _PACKAGE or top in ("__main__", "__mp_main__"):
        return False
    file = getattr(sys.modules.get(module) or sys.modules.get(top), "__file__", None) or ""
    return top in sys.stdlib_module_names or file.startswith(_PLACES) or "/site-packages/" in file
