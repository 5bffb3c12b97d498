"""One setting says where cells are computed; what they give does not depend on it."""

import itertools
import os
import threading
import time

import numpy as np
import pytest

from replicate import streams
from replicate.workbook import sweep

CELLS = sweep.grid("executors", drift=[0.0, 1.0, 2.0])


def walk(drift, rng):
    """Three steps, and where they were taken."""
    return {"path": rng.normal(drift, size=3), "process": os.getpid()}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
@pytest.mark.parametrize("chosen", ["", "threads", "processes", "dask://host:8786"])
def test_there_are_as_many_workers_as_cores_that_are_allowed(monkeypatch, chosen):
    monkeypatch.setenv("EXECUTOR", chosen)
    allowed = os.sched_getaffinity(0)
    assert streams.workers() == len(allowed)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert streams.workers() == 1
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize(("chosen", "here"), [("threads:1", True), ("threads:5", True), ("processes:2", False)])
def test_cells_have_the_same_numbers_everywhere(chosen, here, monkeypatch):
    alone = sweep.run(CELLS, walk, seed=3)
    monkeypatch.setenv("EXECUTOR", chosen)
    with streams.opened() as pool:
        spread = sweep.run(CELLS, walk, seed=3, executor=pool)
    assert [cell.id for cell in CELLS] == list(spread)
    for name, result in spread.items():
        np.testing.assert_array_equal(result["path"], alone[name]["path"])
        assert (result["process"] == os.getpid()) == here


def failing(futures):
    """Begin some tasks and fail."""
    with streams.opened() as pool:
        futures += [pool.submit(sum, [i]) for i in range(3)]
        raise ZeroDivisionError


def test_a_failure_drops_what_is_not_begun(monkeypatch):
    monkeypatch.setenv("EXECUTOR", "threads:1")
    futures = []
    with pytest.raises(ZeroDivisionError):
        failing(futures)
    assert all(future.done() for future in futures)


def test_rows_are_spread_over_threads_once_they_take_long(monkeypatch):
    monkeypatch.setenv("EXECUTOR", "threads:3")
    together = threading.Barrier(3)

    def meet(i, factor):
        if i > 0:
            together.wait(timeout=20)  # the rows after the first: three at once
        else:
            time.sleep(0.02)
        return i * factor, threading.get_ident()

    spread = streams.spread(meet, range(7), itertools.repeat(10, 7))
    assert [value for value, _ in spread] == [10 * i for i in range(7)]
    assert len({thread for _, thread in spread}) == 3


@pytest.mark.parametrize("threads", [1, 4])
def test_a_row_that_fails_keeps_others_from_beginning(threads, monkeypatch):
    monkeypatch.setenv("EXECUTOR", f"threads:{threads}")
    begun = []

    def row(i):
        begun.append(i)
        time.sleep(0.005)
        if i == 9:
            raise ZeroDivisionError
        return i

    with pytest.raises(ZeroDivisionError):
        streams.spread(row, range(1000))
    assert 10 <= len(begun) < 500, "a machine that is busy may be slow to stop them"
