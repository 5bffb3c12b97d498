"""Keyed random streams, and the executors that compute cells and replicates, each with a stream of its own.

A stream depends on the root seed and on what is computed, on nothing else; so results do not depend on executors.
One setting, ``EXECUTOR``, which commands and notebooks take from the environment, says which: ``threads`` and
``processes`` are those of this machine, one for each core that this process may use, or as many as ``threads:8``
says; ``dask://host:port`` is the scheduler of a running cluster, whose workers have this package installed.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import get_context
from typing import Any, TypeVar

import numpy as np

from replicate import validation
from replicate.validation import Generator

MAX_REPLICATES = 10**6
T = TypeVar("T")

_LOCAL = re.compile(r"(threads|processes)(?::([1-9][0-9]{0,3}))?")
_ALLOWED = "threads, processes, threads:8 or dask://host:port"
_CLUSTER = re.compile(r"dask://([^\s/:]+:[0-9]+)")
_cores: Any = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
"""Cores that a process may use; only Linux says which."""


_ALONE: ContextVar[bool] = ContextVar("alone", default=False)
"""True where rows take less time than threads for them."""


def seed_sequence(root: int, *key: object) -> np.random.SeedSequence:
    """Return the seed sequence of `root` spawned at `key`.

    Parameters
    ----------
    root
        Root seed, a non-negative integer.
    *key
        What is computed: strings, numbers, None, tuples and lists of them. Two different keys give independent
        streams; the same key gives the same stream in any order, process or worker. Equal numbers are one key
        whether NumPy's or Python's, and floats count to twelve digits: their last bits differ between machines.

    Raises
    ------
    ValueError
        If a part of the key is anything else, whose text need not tell it from another.
    """
    digest = hashlib.sha256(repr(_canonical(key)).encode()).digest()
    parts = np.frombuffer(digest[:16], dtype="<u4")
    return np.random.SeedSequence(validation.count("seed", root, low=0), spawn_key=tuple(int(w) for w in parts))


def _canonical(part: Any) -> Any:
    """Return a part of a key as plain Python: numbers of NumPy as Python's, floats to twelve digits."""
    value = part.item() if isinstance(part, np.generic) else part
    if isinstance(value, tuple | list):
        return type(value)(map(_canonical, value))
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if value is None or isinstance(value, bool | int | str):
        return value
    raise ValueError(f"key must hold strings, numbers, None, tuples and lists, got {part!r:.200}")


def stream(root: int, *key: object) -> Generator:
    """Return the generator of `root` at `key`; see `seed_sequence`."""
    return np.random.default_rng(seed_sequence(root, *key))


def replicated(
    function: Callable[[Generator], T], replicates: int, rng: Generator, *, threads: bool = True
) -> list[T]:
    """Call a function with one spawned stream for each replicate; the result does not depend on threads.

    Parameters
    ----------
    function
        Called with a generator.
    replicates
        1 to 10**6.
    rng
        Whose children the streams are.
    threads
        Whether to use them: they help a function that spends its time in NumPy or in compiled code, which release
        the interpreter's lock, and make any other one wait for it.
    """
    fresh = validation.generator(rng).spawn(validation.count("replicates", replicates, high=MAX_REPLICATES))
    return spread(function, fresh) if threads else [function(own) for own in fresh]


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
    if _ALONE.get():
        return list(map(function, *columns))
    with ThreadPoolExecutor(workers()) as pool:
        return list(pool.map(function, *columns))


@contextmanager
def alone(quick: bool = True) -> Iterator[None]:
    """Compute what is spread inside one row after the other if that is quick: threads take .3 ms to begin."""
    token = _ALONE.set(quick or _ALONE.get())
    try:
        yield
    finally:
        _ALONE.reset(token)


@contextmanager
def opened(default: str = "threads") -> Iterator[Executor]:
    """Yield the executor that ``EXECUTOR`` names, or `default`.

    Raises
    ------
    ValueError
        As `setting`, or if Dask is asked for and not installed.
    """
    chosen = setting(default)
    if cluster := _CLUSTER.fullmatch(chosen):
        with _client(cluster[1]) as executor:
            yield executor
        return
    # processes begin anew, for a fork would inherit locks of other threads; the parent ends them if interrupted
    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    fresh: dict[str, Any] = {"mp_context": get_context("spawn"), **deaf}
    local = chosen.startswith("threads")
    with ThreadPoolExecutor(workers()) if local else ProcessPoolExecutor(workers(), **fresh) as executor:
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
