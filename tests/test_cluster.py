"""A real Dask cluster of two worker processes, one of which dies in the middle of a sweep; then a huge part."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from replicate import streams
from replicate.commands.claims import run
from replicate.workbook import sweep
from tests.claims.test_spread import EXACT, timeless

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.long]

CELLS = sweep.grid("dask", drift=[float(i) for i in range(12)])


def walk(drift, rng):
    return {"path": rng.normal(drift, size=5), "worker": os.getpid()}


def slow_walk(drift, rng):
    time.sleep(0.15)
    return walk(drift, rng)


@pytest.fixture(scope="module")
def cluster():
    """Two workers; one that dies is started anew."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture
def pool(cluster, monkeypatch):
    """The executor of the cluster, as ``EXECUTOR`` asks for it."""
    monkeypatch.setenv("EXECUTOR", cluster.scheduler_address.replace("tcp://", "dask://"))
    with streams.opened() as pool:
        yield pool


def test_a_sweep_loses_no_cell(pool, tmp_path):
    alone = sweep.run(CELLS, walk, seed=5)
    victim, started = pool.submit(os.getpid).result(), time.monotonic()

    def kill_when_some_are_done():
        while len(list(tmp_path.glob("[!.]*.npz"))) < 3 and time.monotonic() - started < 30:
            time.sleep(0.02)
        os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=kill_when_some_are_done)
    thread.start()
    spread = sweep.run(CELLS, slow_walk, seed=5, executor=pool, cache_dir=tmp_path)
    thread.join()
    assert list(spread) == [cell.id for cell in CELLS]
    for cell in CELLS:
        np.testing.assert_array_equal(alone[cell.id]["path"], spread[cell.id]["path"])
    assert len({int(result["worker"]) for result in spread.values()}) >= 2
    assert os.getpid() not in {int(result["worker"]) for result in spread.values()}


def test_a_huge_part_is_computed(pool):
    """One paper's entries, by one worker: each that takes part loads the whole register."""
    done = list(run(EXACT[:5], profile="huge", seed=7, executor=pool))
    assert timeless(done) == timeless(run(EXACT[:5], profile="huge", seed=7))
    assert sorted(c.id for c in done) == sorted(EXACT[:5])
