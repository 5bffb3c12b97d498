"""A sweep on a real Dask cluster of two worker processes, one of which dies in the middle."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from replicate.workbook import sweep

distributed = pytest.importorskip("distributed")

CELLS = sweep.grid("dask", drift=[float(i) for i in range(12)])


def slow_walk(drift, rng):
    time.sleep(0.15)
    return {"path": rng.normal(drift, size=5), "worker": os.getpid()}


@pytest.mark.filterwarnings("ignore")
def test_a_worker_may_die_in_the_middle(tmp_path):
    alone = sweep.run(CELLS, slow_walk, seed=5)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        started = time.monotonic()

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
