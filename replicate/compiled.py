"""One decorator for compiled kernels, whose cache on disk knows the sources that each of them depends on.

Numba keeps compiled code under the time stamp of the file that a kernel stands in. A kernel that calls one of
another file, or reads a constant there, would go on running the old one after an edit. Here the cache's folder is
named after the text of the kernel's module and of all that it imports from this package, directly or not: an edit
compiles anew what it can change, and nothing else.
"""

from __future__ import annotations

import gc
import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event
from numba.extending import typeof_impl

from replicate import files

Compiler = Callable[[Any], Any]
_WEEK = 7 * 24 * 3600.0
_TYPES: Any = numba.types
_EVENTS: Any = event
_GENERATOR = _TYPES.NumPyRandomGeneratorType("")


@typeof_impl.register(np.random.Generator)
def _type_of_generator(*_: object) -> Any:
    """Numba's one type of all generators, which it would build anew in every call of a kernel."""
    return _GENERATOR


class _NoCollection(event.Listener):
    """Puts off garbage collection while Numba compiles: so many objects come up that it would run throughout."""

    def __init__(self) -> None:
        self.depth, self.was_on = 0, True

    def on_start(self, event: object) -> None:
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: object) -> None:
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


_EVENTS.register("numba:compile", _NoCollection())


def compiled(**options: Any) -> Compiler:
    """Return a decorator that compiles a function with Numba: without Python, without its lock, kept on disk.

    Parameters
    ----------
    **options
        Further options of ``numba.njit``: ``error_model="numpy"``; ``forceinline=True``, inlined by LLVM;
        ``inline="always"``, inlined by Numba, which takes longer and leaves out branches that a constant argument
        rules out. None that reorders sums: results must not depend on the processor.
    """

    def decorate(function: Any) -> Any:
        config: Any = numba.config
        before, config.CACHE_DIR = config.CACHE_DIR, str(_folder(function.__module__))
        try:
            return numba.njit(cache=True, nogil=True, **options)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


@cache
def _folder(module: str) -> Path:
    """Folder of the compiled code of a module's kernels as they are now."""
    key = {"numba": numba.__version__.encode(), **files.reached(module)}
    folder = _swept(_base()) / f"kernels-{files.digest(key)[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


@cache
def _swept(base: Path) -> Path:
    """Remove compiled code that nothing has used for a week."""
    for folder in base.glob("kernels-*"):
        if time.time() - folder.stat().st_mtime > _WEEK:
            shutil.rmtree(folder, ignore_errors=True)
    return base


def _base() -> Path:
    """Return the folder of compiled code: NUMBA_CACHE_DIR, else beside the package, else in the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    beside = Path(__file__).parent
    if os.access(beside, os.W_OK):
        return beside / "__pycache__"
    return Path.home() / ".cache" / "replicate"
