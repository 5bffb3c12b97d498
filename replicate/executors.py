"""Executors compute cells: one setting, ``EXECUTOR``, which commands and notebooks take from the environment.

``threads`` and ``processes`` are those of this machine, one for each core that this process may use, or as many as
``threads:8`` says;
``dask://host:port`` is the scheduler of a cluster that runs already, whose workers have this package installed.
Results do not depend on it: every cell has a stream of its own, keyed by its name.
"""

from __future__ import annotations

import importlib
import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_LOCAL = re.compile(r"(threads|processes)(?::([1-9][0-9]{0,3}))?")
_ALLOWED = "threads, processes, threads:8 or dask://host:port"
_CLUSTER = re.compile(r"dask://([^\s/:]+:[0-9]+)")
_cores: Any = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
"""Cores that a process may use; only Linux says which."""
_INSIDE: ContextVar[bool] = ContextVar("inside", default=False)
"""True in a cell of an executor: what it spreads stays in threads of its process."""


def setting(default: str = "threads") -> str:
    """Return the setting ``EXECUTOR``, or `default` where there is none.

    Raises
    ------
    ValueError
        If it is none of ``threads``, ``processes`` (with or without ``:number``) and ``dask://host:port``.
    """
    chosen = os.environ.get("EXECUTOR") or default
    if not (_LOCAL.fullmatch(chosen) or _CLUSTER.fullmatch(chosen)):
        raise ValueError(f"EXECUTOR must be {_ALLOWED}, got {chosen!r:.200}")
    return chosen


def workers(default: str = "threads") -> int:
    """Return how many threads or processes to use: the number in ``EXECUTOR``, or one a core that is allowed."""
    local = _LOCAL.fullmatch(setting(default))
    return int(local[2]) if local and local[2] else len(_cores(0))


def spread(function: Callable[..., T], *columns: Iterable[Any]) -> list[T]:
    """Return ``[function(*row) for row in zip(*columns)]``, computed in threads.

    Parameters
    ----------
    function
        Should spend its time in NumPy or in compiled code, which release the interpreter's lock. What it returns
        for a row must not depend on other rows. When a row fails, those that are not begun are dropped.
    *columns
        Its arguments, as many of each.
    """
    with ThreadPoolExecutor(workers()) as pool:
        return list(pool.map(function, *columns))


@contextmanager
def opened(default: str = "threads") -> Iterator[Executor]:
    """Yield the executor that ``EXECUTOR`` names, or `default`; inside a cell of one, threads.

    Tasks must go through `call`, so that what they spread themselves stays where they are.

    Raises
    ------
    ValueError
        As `setting`, or if Dask is asked for and not installed.
    """
    chosen = "threads" if _INSIDE.get() else setting(default)
    if cluster := _CLUSTER.fullmatch(chosen):
        with _client(cluster[1]) as executor:
            yield executor
        return
    with ThreadPoolExecutor(workers()) if chosen.startswith("threads") else _processes() as executor:
        try:
            yield executor
        except BaseException:
            _give_up(executor)
            raise


def completed(executor: Executor, tasks: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
    """Yield what calls return as they end; when one fails, or nobody waits any more, drop what is not begun.

    Parameters
    ----------
    executor
        Does the work.
    tasks
        A function and its arguments each.
    """
    pending = [executor.submit(*task) for task in tasks]
    try:
        for future in as_completed(pending):
            yield future.result()
    finally:
        for future in pending:
            future.cancel()


def _processes() -> ProcessPoolExecutor:
    """Processes that begin anew: a fork would inherit locks that other threads hold."""
    return ProcessPoolExecutor(workers(), mp_context=get_context("spawn"), initializer=_deaf)


def _deaf() -> None:
    """Leave an interruption to the parent, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _give_up(executor: Executor) -> None:
    """Drop what is not begun; processes that compute would compute for nobody, and end."""
    running = list((getattr(executor, "_processes", None) or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in running:
        process.terminate()


@contextmanager
def _client(address: str) -> Iterator[Executor]:
    """Executor of a running Dask cluster."""
    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise ValueError("EXECUTOR=dask://host:port needs Dask: pip install 'dask[distributed]'") from None
    with distributed.Client(f"tcp://{address}", set_as_default=False) as client:
        yield client.get_executor(pure=False)


def call(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function as a task of an executor: what it spreads itself stays in threads of its process."""
    token = _INSIDE.set(True)
    try:
        return function(*args, **kwargs)
    finally:
        _INSIDE.reset(token)
