"""A real Dask cluster of two worker processes, one of which dies in the middle: of a sweep, of a huge part."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from replicate import executors
from replicate.claims import spread
from replicate.workbook import sweep
from tests.claims.test_spread import EXACT, timeless

pytestmark = pytest.mark.filterwarnings("ignore")

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
def client(cluster):
    with pytest.importorskip("distributed").Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


def a_worker(client):
    return next(iter(client.run(os.getpid).values()))


def test_a_sweep_loses_no_cell(client, tmp_path):
    alone = sweep.run(CELLS, walk, seed=5)
    victim, started = a_worker(client), time.monotonic()

    def kill_when_some_are_done():
        while len(list(tmp_path.glob("[!.]*.npz"))) < 3 and time.monotonic() - started < 30:
            time.sleep(0.02)
        os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=kill_when_some_are_done)
    thread.start()
    spread = sweep.run(CELLS, slow_walk, seed=5, executor=client.get_executor(), cache_dir=tmp_path)
    thread.join()
    assert list(spread) == [cell.id for cell in CELLS]
    for cell in CELLS:
        np.testing.assert_array_equal(alone[cell.id]["path"], spread[cell.id]["path"])
    assert len({int(result["worker"]) for result in spread.values()}) >= 2
    assert os.getpid() not in {int(result["worker"]) for result in spread.values()}


def test_a_huge_part_is_computed(cluster, client, monkeypatch):
    victim, done = a_worker(client), []
    monkeypatch.setenv("EXECUTOR", cluster.scheduler_address.replace("tcp://", "dask://"))
    with executors.opened() as pool:
        for checked in spread.run(EXACT, profile="huge", seed=7, executor=pool, apart=True):
            done.append(checked)
            if len(done) == 1:
                os.kill(victim, signal.SIGKILL)
    assert timeless(done) == timeless(spread.run(EXACT, profile="huge", seed=7))
    assert sorted(c.id for c in done) == sorted(EXACT)
