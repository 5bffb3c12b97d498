"""A sweep of many cells on two worker processes, killed twice: no finished cell is lost or computed again."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from replicate.workbook import sweep

SCRIPT = """
import hashlib, os, sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from replicate.workbook import sweep

FOLDER, LOG = Path(sys.argv[1]), os.open(sys.argv[2], os.O_CREAT | os.O_APPEND | os.O_WRONLY)

def cell(i, rng):
    os.write(LOG, b"%d\\n" % i)
    return {"i": i, "x": rng.random(3)}

if __name__ == "__main__":
    cells = sweep.grid("cell", i=range(int(sys.argv[3])))
    with ProcessPoolExecutor(2) as pool:
        results = sweep.run(cells, cell, seed=1, executor=pool, cache_dir=FOLDER / "cache")
    print(hashlib.sha256(repr([(k, v["i"], v["x"].tolist()) for k, v in results.items()]).encode()).hexdigest())
"""


def whole(n_cells: int) -> str:
    """Return the output of the script, by one run in this process that keeps nothing."""
    cells = sweep.grid("cell", i=range(n_cells))
    results = sweep.run(cells, lambda i, rng: {"i": i, "x": rng.random(3)}, seed=1)
    parts = [(k, v["i"], v["x"].tolist()) for k, v in results.items()]
    return hashlib.sha256(repr(parts).encode()).hexdigest() + "\n"


class Killable:
    """A folder in which the sweep is run again and again; every run has its own log of the cells it computed."""

    def __init__(self, folder: Path, n_cells: int) -> None:
        self.folder, self.script, self.n_cells = folder, folder / "script.py", n_cells
        self.script.write_text(SCRIPT)
        self.runs = 0

    def kept(self) -> int:
        """Number of finished cells."""
        cache = self.folder / "cache"
        return sum(not e.name.startswith(".") for e in os.scandir(cache)) if cache.exists() else 0

    def computed(self) -> list[str]:
        """Cells that the latest run began to compute."""
        return self._log().read_text().split()

    def until(self, kill_at: int | None = None) -> str:
        """Run in a process group of its own, which is killed once `kill_at` cells are finished; return the output.

        The output ends when the last process that could write to it is dead.
        """
        self.runs += 1
        given = [self.script, self.folder, self._log(), self.n_cells]
        command = [sys.executable, *map(str, given)]
        environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            assert process.stdout
            while kill_at and self.kept() < kill_at and process.poll() is None:
                time.sleep(0.03)
            if kill_at:
                os.killpg(process.pid, signal.SIGKILL)
            return process.stdout.read()

    def _log(self) -> Path:
        return self.folder / f"log-{self.runs}"


@pytest.mark.parametrize("n_cells", [400, pytest.param(10_000, marks=pytest.mark.long)])
def test_hundreds_of_cells_survive_kill_9(n_cells, tmp_path):
    run, kept = Killable(tmp_path, n_cells), 0
    for kill_at in (n_cells // 5, 7 * n_cells // 10):
        assert run.until(kill_at) == ""
        before, kept = kept, run.kept()
        assert kill_at <= kept < n_cells
        computed = run.computed()
        assert len(set(computed)) == len(computed)
        assert 0 <= len(computed) - (kept - before) <= 2  # each worker was inside one cell at most
    assert run.until() == whole(n_cells)
    assert len(run.computed()) == n_cells - kept
    assert run.kept() == n_cells
    for path in sorted((run.folder / "cache").iterdir())[-3:]:  # the count sees a loss of three cells
        path.unlink()
    assert run.until() == whole(n_cells)
    assert len(run.computed()) == 3
