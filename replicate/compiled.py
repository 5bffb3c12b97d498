"""One decorator for compiled kernels, whose cache on disk knows the sources of all of them.

Numba keeps compiled code under the time stamp of the file that a kernel stands in. A kernel that calls one of
another file would go on running the old one after an edit there. Here the cache's folder is named after the text
of every module that holds kernels, so that an edit of any of them compiles all of them anew.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

Compiler = Callable[[Any], Any]
_WEEK = 7 * 24 * 3600.0
KERNELS = (b"compiled", b"@kernel", b"@step")
"""What the text of a module with kernels holds: this decorator, or one that was made of it."""


def compiled(**options: Any) -> Compiler:
    """Return a decorator that compiles a function with Numba: without Python, without its lock, kept on disk.

    Parameters
    ----------
    **options
        Further options of ``numba.njit``: ``error_model="numpy"``, ``inline="always"``. None that reorders sums:
        results must not depend on the processor.
    """

    def decorate(function: Any) -> Any:
        config: Any = numba.config
        before, config.CACHE_DIR = config.CACHE_DIR, str(_folder())
        try:
            return numba.njit(cache=True, nogil=True, **options)(function)
        finally:
            config.CACHE_DIR = before

    return decorate


@cache
def _folder() -> Path:
    """Folder of the compiled code of the kernels as they are now; those unused for a week are removed."""
    base = _base()
    folder = base / f"kernels-{_digest(Path(__file__).parent)}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    for other in base.glob("kernels-*"):
        if time.time() - other.stat().st_mtime > _WEEK:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def _base() -> Path:
    """Where compiled code is kept: NUMBA_CACHE_DIR, else beside the package, else in the user's cache."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    beside = Path(__file__).parent
    if os.access(beside, os.W_OK):
        return beside / "__pycache__"
    return Path.home() / ".cache" / "replicate"


def _digest(package: Path) -> str:
    """Hash of the text of every module that holds kernels."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if any(word in text for word in KERNELS):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:16]
