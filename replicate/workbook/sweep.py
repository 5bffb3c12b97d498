"""Grids of cells: named, seeded by name, computed by any executor, kept on disk as they finish."""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib
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
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextvars import ContextVar
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

_LOADED = time.time()
_STARTED: ContextVar[float] = ContextVar("started", default=_LOADED)
"""Time when this process loaded the module: what is edited later does not run. It is no part of a fingerprint."""


_PACKAGE = __name__.partition(".")[0]
_PLACES = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_WRAPPERS = (staticmethod, classmethod, property, functools.cached_property, type(functools.cache(len)))
_INSIDE = ("py_func", "targetoptions", "__wrapped__", "func", "fget", "fset", "fdel")
"""Where these, and compiled functions, keep the functions that they are made of."""


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
    for cell in steps([cell for cell in chosen if cell.id not in sent]):
        results[cell.id] = _compute(function, cell, seed, paths[cell.id])
    if executor is not None:
        shared = _shared(code, texts)
        tasks = [(_away, shared, function, cell, seed, paths[cell.id]) for cell in away]
        results |= dict(steps(streams.completed(executor, tasks), len(tasks)))
    if folder is not None and unfinished and fingerprint(function)[0] != code:
        for cell_id in unfinished:
            Path(paths[cell_id] or "").unlink(missing_ok=True)
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
    """Return a function's fingerprint, the sources it reaches, and those that need not be what runs.

    Sources count for what is looked up by name; one that is newer than this process may have been edited since.
    """
    try:
        code, modules = fingerprint(function)
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
        parameters = Fingerprints().of(cell.parameters)
    except ValueError as error:
        raise ValueError(f"parameters of {cell.id} must be values that can be kept: {error}") from None
    versions = [sys.version, np.__version__, scipy.__version__, numba.__version__ if numba else None]
    key = json.dumps([cell.id, parameters, seed, versions, code, sources])
    return f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.npz"


def _name(function: CellFunction) -> str:
    return getattr(function, "__qualname__", None) or repr(function)[:100]


def _reached(module: str) -> dict[str, bytes]:
    """Sources that a module reaches; through the registry of learners it reaches every paper's."""
    register = "replicate.learners.registry"
    return files.reached(module, {register: [f"{home}.learners" for home in HOMES.values()]})


def cache_folder() -> Path | None:
    """Return the folder of finished cells that the environment variable REPLICATE_CACHE names, if any."""
    folder = os.environ.get("REPLICATE_CACHE")
    return Path(folder) if folder else None


# Fingerprints of values and of functions, under which results are kept: another result has another one


class Fingerprints:
    """Hashes of values, in which other values have other ones; `modules` are those whose code it met."""

    def __init__(self) -> None:
        self.modules: set[str] = set()
        self._met: dict[int, tuple[int, Any]] = {}

    def of(self, value: Any) -> str:
        """Return the hash of a value; ValueError if it cannot be read, such as a generator that runs."""
        file = io.BytesIO()
        pickler: Any = pickle.Pickler(file, 5)
        pickler.fast = True  # equal parts are written anew, whether they are one object or two
        pickler.persistent_id = self._instead
        try:
            pickler.dump(value)
        except ValueError:
            raise
        except Exception as error:
            raise ValueError(f"{type(value).__qualname__} cannot be read, got {error!r:.200}") from None
        return hashlib.sha256(file.getvalue()).hexdigest()

    def _instead(self, value: Any) -> Any:
        """Return what stands for a value that pickle would write by its name, by its order, or not at all."""
        if type(value) in _PLAIN:
            return None
        if isinstance(value, set | frozenset):
            return type(value).__name__, sorted(map(self.of, value))
        if isinstance(value, types.MappingProxyType):
            return list(value.items())
        if isinstance(value, Iterator):
            raise ValueError(
                f"{type(value).__qualname__} cannot be read, got {' '.join(repr(value).split()):.100}"
            )
        if isinstance(value, ContextVar):
            return "ContextVar"
        if isinstance(value, types.ModuleType):
            return self._named(value.__name__)
        known = isinstance(value, _WRAPPERS) or hasattr(value, "py_func")
        if not known and not isinstance(value, types.FunctionType | type):
            return None if foreign(type(value).__module__) else self._object(value)
        if id(value) in self._met:
            return self._met[id(value)][0]
        self._met[id(value)] = len(self._met), value
        if known:
            return [type(value).__name__, *(getattr(value, name, None) for name in _INSIDE)]
        return [*(self._class(value) if isinstance(value, type) else self._function(value))]

    def _object(self, value: Any) -> list[Any]:
        """Return the class of an object, and what pickle would make it from."""
        taken = value.__reduce_ex__(5)
        parts = (taken,) if isinstance(taken, str) else taken
        return [type(value), *(list(part) if isinstance(part, Iterator) else part for part in parts)]

    def _function(self, value: types.FunctionType) -> Iterator[Any]:
        module = str(value.__globals__.get("__name__"))
        yield from (value.__qualname__, *self._named(module))
        if foreign(module) and getattr(sys.modules[module], value.__name__, None) is value:
            return
        cells = [() if cell == types.CellType() else (cell.cell_contents,) for cell in value.__closure__ or ()]
        yield from (value.__defaults__, value.__kwdefaults__, vars(value), cells)
        for code in _codes(value.__code__):
            yield from (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
            yield from (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_code)
            yield getattr(code, "co_exceptiontable", b"")
            yield [part for part in code.co_consts if not isinstance(part, types.CodeType)]
        if not foreign(module):
            yield from _reads(value.__code__, value.__globals__)

    def _class(self, value: type) -> Iterator[Any]:
        yield from (value.__qualname__, *self._named(value.__module__))
        if not foreign(value.__module__):
            yield value.__bases__
            for name, member in sorted(vars(value).items()):
                slot = isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType)
                if not slot and name != "_abc_impl" and (not name.startswith("__") or callable(member)):
                    yield (name, member)

    def _named(self, module: str) -> tuple[str, str]:
        """Return a module's name, and its version if it is another project's."""
        if foreign(module):
            return module, str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))
        module = "__main__" if module == "__mp_main__" else module
        self.modules.add(module)
        return module, ""


@functools.cache
def foreign(module: str) -> bool:
    """Return whether a module is Python's, or another project's that is installed."""
    top = module.partition(".")[0]
    if top == _PACKAGE or top in ("__main__", "__mp_main__"):
        return False
    file = getattr(sys.modules.get(module) or sys.modules.get(top), "__file__", None) or ""
    return top in sys.stdlib_module_names or file.startswith(_PLACES) or "/site-packages/" in file


def _reads(code: types.CodeType, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the globals that a code and those inside it read, and what they may read of modules, by name."""
    codes = _codes(code)
    names = {name for one in codes for name in one.co_names}
    yield from ((name, known[name]) for name in sorted(names & known.keys()))
    modules, base = [known[name] for name in sorted(names & known.keys())], ""
    for step in (step for one in codes for step in dis.get_instructions(one)):
        if step.opname == "IMPORT_NAME":
            base = step.argval
            modules += [_module("." * dots + base, known) for dots in range(4)]  # how far up, it does not say
        elif step.opname == "IMPORT_FROM":
            modules += [_module(f"{'.' * dots}{base}.{step.argval}", known) for dots in range(4)]
    met: list[Any] = []
    for module in (one for one in modules if isinstance(one, types.ModuleType)):  # which grow on the way
        if module in met:
            continue
        met.append(module)
        for name in sorted(names & set(vars(module))):
            modules.append(member := vars(module)[name])
            if _counts(member, module.__name__):
                yield f"{module.__name__}.{name}", member


def _codes(code: types.CodeType) -> list[types.CodeType]:
    """Return a code and those inside it."""
    return [code, *(one for inner in code.co_consts if isinstance(inner, types.CodeType) for one in _codes(inner))]


def _counts(member: Any, module: str) -> bool:
    """Tell if a member of a module counts by its value; another project's if it is a setting, or was put there."""
    if foreign(module):
        put = isinstance(member, types.FunctionType) and not foreign(member.__module__ or "")
        return put or type(member) in _PLAIN
    return not isinstance(member, types.ModuleType)


def _module(name: str, known: dict[str, Any]) -> Any:
    try:
        return importlib.import_module(name, known.get("__package__"))
    except Exception:  # a member that is no module; the function will say so if it is neither
        return None


def fingerprint(function: Callable[..., Any]) -> tuple[str, frozenset[str]]:
    """Return the fingerprint of a function and of Python's version, and the modules of its code.

    It is a hash of what pickle writes, in which a function stands for its compiled code, its defaults, its closure
    and the globals that it reads, as they are now. Code of other projects counts by its name and version. What is
    looked up by a string is not followed; for that, a sweep adds the sources of the modules that it met. What a
    function reads of files, of the clock or of the environment is not seen.

    Raises
    ------
    ValueError
        If a value cannot be read.
    """
    walk = Fingerprints()
    return walk.of((function, sys.implementation.cache_tag, sys.flags.optimize)), frozenset(walk.modules)
