"""One decorator for compiled kernels, whose cache on disk knows the sources that each of them depends on.

Numba keeps compiled code under the time stamp of the file that a kernel stands in. A kernel that calls one of
another file, or reads a constant there, would go on running the old one after an edit. Here the cache's folder is
named after the text of the kernel's module and of all that it imports from this package, directly or not: an edit
compiles anew what it can change, and nothing else.

The cache is a convenience: where it cannot be read or written, one line says so, and kernels are compiled for this
process alone. Without Numba, or with NUMBA_DISABLE_JIT=1, they run as they are written, slowly, with the same
numbers.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from replicate import files

numba: ModuleType | None
try:
    import numba
    from numba.extending import typeof_impl
except ImportError:
    numba = None
if numba is not None and numba.config.DISABLE_JIT:  # NUMBA_DISABLE_JIT=1: for coverage and debuggers
    numba = None

Compiler = Callable[[Any], Any]
_WEEK = 7 * 24 * 3600.0
_NAMES: Counter[str] = Counter()
"""Number of kernels of a qualified name: those that one function makes share theirs."""


if numba is not None:
    # Numba's one type of all generators, which it would build anew in every call of a kernel.
    _GENERATOR = numba.types.NumPyRandomGeneratorType("")
    typeof_impl.register(np.random.Generator)(lambda *_: _GENERATOR)


def compiled(*, counted: bool = True, **options: Any) -> Compiler:
    """Return a decorator that compiles a function with Numba: without Python, without its lock, kept on disk.

    Parameters
    ----------
    counted
        Whether references to arrays are counted, which Numba does in every call and for every slice. A loop that
        does not count is up to three times as fast; it must make no array, only write into those that it is given.
    **options
        Further options of ``numba.njit``: ``error_model="numpy"``; ``forceinline=True``, inlined by LLVM;
        ``inline="always"``, inlined by Numba, which takes longer and leaves out branches that a constant argument
        rules out. None that reorders sums: results must not depend on the processor.
    """
    if not counted:
        options["_nrt"] = False  # Numba's own name of the run time that counts
    if numba is None:
        return functools.partial(_plain, like_numpy=options.get("error_model") == "numpy")

    def decorate(function: Any) -> Any:
        # Numba links code by qualified name and a count: of two kernels of one name that two processes compiled, a
        # third would run one in the other's place (numba issue 10486).
        name = f"{function.__module__}.{function.__qualname__}"
        _NAMES[name] += 1
        if _NAMES[name] > 1:
            function.__qualname__ += f".{_NAMES[name]}"
        made = numba.njit(nogil=True, **options)(function)
        folder = _folder(function.__module__)
        if folder is not None:
            config: Any = numba.config
            before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
            try:
                made.enable_caching()
                made._cache = _Healing(made._cache, folder)
            except (OSError, RuntimeError) as error:
                _say(folder, error)
            finally:
                config.CACHE_DIR = before
        return made

    return decorate


def _plain(function: Any, *, like_numpy: bool) -> Any:
    """Return a kernel as it is written; by NumPy's rules of arithmetic, a division by zero is no error."""
    if not like_numpy:
        function.py_func = function
        return function

    @functools.wraps(function)
    def kernel(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*(np.float64(one) if type(one) is float else one for one in args))

    made: Any = kernel
    made.py_func = function
    return made


class _Healing:
    """Numba's cache of one kernel: what cannot be read is dropped, what cannot be written is not kept."""

    def __init__(self, kept: Any, folder: Path) -> None:
        self._kept, self._folder = kept, folder

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code of a signature, None if there is none that can be read."""
        try:
            return self._kept.load_overload(sig, target_context)
        except Exception as error:  # whatever a torn pickle may raise
            shutil.rmtree(self._folder, ignore_errors=True)
            return _say(self._folder, error)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled code of a signature, if that is possible."""
        try:
            self._kept.save_overload(sig, data)
        except Exception as error:
            _say(self._folder, error)
            self._kept.disable()


_SAID: list[str] = []


def _say(folder: Path, error: object) -> None:
    """Say once a process that compiled code is not kept, or not read."""
    if not _SAID:
        _SAID.append(reason := " ".join(str(error).split()) or type(error).__name__)
        print(f"compiled code in {folder} cannot be used and is compiled anew: {reason:.200}", file=sys.stderr)


@cache
def _folder(module: str) -> Path | None:
    """Folder of the compiled code of a module's kernels as they are now; None where nothing can be kept."""
    assert numba is not None
    base = _base()
    if base is None:
        return None
    key = {"numba": numba.__version__.encode(), "numpy": np.__version__.encode(), **files.reached(module)}
    folder = base / f"kernels-{files.digest(key)[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError(f"no permission for {folder.name}")
        os.utime(folder)
    except OSError as error:
        _say(folder, error)
        return None
    return folder


@cache
def _base() -> Path | None:
    """Folder of compiled code, the first place that can be written; compiled code unused for a week goes."""
    refused = ""
    for place in _places():
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                pass
        except OSError as error:
            refused = refused or f"{place}: {error.strerror}"
            continue
        for folder in place.glob("kernels-*"):
            with contextlib.suppress(OSError):  # another process was quicker
                if time.time() - folder.stat().st_mtime > _WEEK:
                    shutil.rmtree(folder, ignore_errors=True)
        return place
    _say(Path(refused.partition(":")[0]), refused.partition(": ")[2])
    return None


def _places() -> Iterator[Path]:
    """NUMBA_CACHE_DIR alone where that is set; else beside the package, in the user's cache, in /tmp."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield Path(__file__).parent / "__pycache__"
    with contextlib.suppress(RuntimeError):  # a user whom the machine does not know, without HOME
        yield Path.home() / ".cache" / "replicate"
    with contextlib.suppress(OSError):
        private = Path(tempfile.gettempdir(), f"replicate-{os.getuid()}")
        private.mkdir(mode=0o700, exist_ok=True)
        state = private.lstat()
        if state.st_uid == os.getuid() and stat.S_ISDIR(state.st_mode) and not state.st_mode & 0o022:
            yield private  # nobody else can have put code there
