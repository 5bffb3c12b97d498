"""A sweep alone, on two threads, two processes and two Dask workers: efficiency, and overhead a cell."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import numpy as np

from replicate import environments
from replicate.papers import noisy_leader
from replicate.workbook import sweep
from tests.benchmarks import cases

WORKERS, CELLS = 2, 16


def compiled_cell(i: int, rng: np.random.Generator, rounds: int) -> dict[str, float]:
    """HTINF's compiled loop: it holds no interpreter lock."""
    cases.bandit("htinf")(T=rounds, K=10)()
    return {"x": rng.random()}


def vectorised_cell(i: int, rng: np.random.Generator, rounds: int) -> dict[str, float]:
    """Block sums in NumPy: the lock is given up inside each large operation only."""
    env = environments.Bernoulli(cases.one_good(64))
    options = {"epsilon": 0.1, "horizon": 2**50, "replicates": max(1, rounds // 2_000), "rng": rng}
    return {"x": float(noisy_leader.simulate(env, noise="gumbel", **options).final.mean())}


def empty_cell(i: int, rng: np.random.Generator) -> dict[str, float]:
    """Nothing but a random number."""
    return {"x": rng.random()}


WORK: dict[str, Any] = {"compiled": compiled_cell, "NumPy": vectorised_cell}


KEEP_MEMORY = {"MALLOC_TRIM_THRESHOLD_": 2**30, "MALLOC_MMAP_THRESHOLD_": 2**30}
"""Dask's workers give freed memory back at once, which costs page faults where NumPy needs large temporaries."""


@contextmanager
def dask(environment: dict[str, int]) -> Iterator[Executor | None]:
    """Yield the executor of a local Dask cluster, its workers with these variables; None where Dask is absent."""
    try:
        import dask
        import distributed
    except ImportError:
        yield None
        return
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "processes": True}
    quiet = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with dask.config.set({"distributed.nanny.pre-spawn-environ": environment}):
        cluster = distributed.LocalCluster(**options, **quiet)
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


POOLS: dict[str, Callable[[], AbstractContextManager[Executor | None]]] = {
    "alone": nullcontext,
    "threads": lambda: ThreadPoolExecutor(WORKERS),
    "processes": lambda: ProcessPoolExecutor(WORKERS),
    "Dask": lambda: dask({}),
    "Dask, memory kept": lambda: dask(KEEP_MEMORY),
}


def _seconds(
    cells: list[sweep.Cell], function: Any, executor: Executor | None, *, seed: int, cache_dir: str | None = None
) -> float:
    """Time one sweep. A seed serves once: Dask remembers what it has computed before."""
    start = time.perf_counter()
    sweep.run(cells, function, seed=seed, executor=executor, cache_dir=cache_dir)
    return time.perf_counter() - start


def measure(
    *, passes: int, n_cells: int = CELLS, rounds: int = 1_000_000, n_empty: int = 500
) -> list[dict[str, Any]]:
    """Return one record for each pool: seconds of the two sweeps, efficiency on two cores, overhead a cell.

    Efficiency is the time alone over twice the time in the pool; the overhead is the time of a cell that does
    nothing: computed, computed and kept on disk, and read. The least of `passes` passes through all pools.
    """
    records: dict[str, dict[str, Any]] = {}
    with ExitStack() as stack:
        opened = {name: stack.enter_context(pool()) for name, pool in POOLS.items()}
        pools = {name: pool for name, pool in opened.items() if pool is not None or name == "alone"}
        for number in range(passes + 1):
            for name, pool in pools.items():
                times = _times(pool, number, n_cells, rounds, n_empty)
                if number:  # the first pass starts the workers
                    records[name] = {what: min(times[what], records.get(name, times)[what]) for what in times}
    for name, record in records.items():
        for kind in WORK:
            record[f"{kind} efficiency"] = (
                records["alone"][kind] / record[kind] / (1 if name == "alone" else WORKERS)
            )
    return [{"pool": name, **record} for name, record in records.items()]


def _times(executor: Executor | None, seed: int, n_cells: int, rounds: int, n_empty: int) -> dict[str, float]:
    """Seconds of each sweep, and of an empty cell: computed, computed and kept, read."""
    times = {
        kind: _seconds(sweep.grid(kind, i=range(n_cells), rounds=[rounds]), function, executor, seed=seed)
        for kind, function in WORK.items()
    }
    cells = sweep.grid("empty", i=range(n_empty))
    times["empty"] = _seconds(cells, empty_cell, executor, seed=seed) / n_empty
    with tempfile.TemporaryDirectory() as folder:
        for what in ("kept", "read"):
            times[what] = _seconds(cells, empty_cell, executor, seed=10_000 + seed, cache_dir=folder) / n_empty
    return times
