"""A sweep of 10,000 cells on two worker processes, killed twice: no finished cell is lost or computed again."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

N_CELLS = 10_000
SCRIPT = f"""
import hashlib, os, sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from replicate.workbook import sweep

FOLDER, LOG = Path(sys.argv[1]), os.open(sys.argv[2], os.O_CREAT | os.O_APPEND | os.O_WRONLY)

def cell(i, rng):
    os.write(LOG, b"%d\\n" % i)
    return {{"i": i, "x": rng.random(3)}}

if __name__ == "__main__":
    cells = sweep.grid("cell", i=range({N_CELLS}))
    if sys.argv[3:] == ["whole"]:
        results = sweep.run(cells, cell, seed=1)
    else:
        with ProcessPoolExecutor(2) as pool:
            results = sweep.run(cells, cell, seed=1, executor=pool, cache_dir=FOLDER / "cache")
    print(hashlib.sha256(repr([(k, v["i"], v["x"].tolist()) for k, v in results.items()]).encode()).hexdigest())
"""


class Sweep:
    """A folder in which the sweep is run again and again; every run has its own log of the cells it computed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.script = folder, folder / "script.py"
        self.script.write_text(SCRIPT)
        self.runs = 0

    def kept(self) -> int:
        """Number of finished cells."""
        cache = self.folder / "cache"
        return sum(not e.name.startswith(".") for e in os.scandir(cache)) if cache.exists() else 0

    def computed(self) -> list[str]:
        """Cells that the latest run began to compute."""
        return self._log().read_text().split()

    def run(self, *, whole: bool = False, kill_at: int = N_CELLS + 1) -> str:
        """Run in a process group of its own, which is killed once `kill_at` cells are finished; return the output.

        The output ends when the last process that could write to it is dead.
        """
        self.runs += 1
        command = [sys.executable, str(self.script), str(self.folder), str(self._log()), *["whole"] * whole]
        environment = os.environ | {"PYTHONPATH": str(Path.cwd())}
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            assert process.stdout
            while kill_at <= N_CELLS and self.kept() < kill_at and process.poll() is None:
                time.sleep(0.03)
            if kill_at <= N_CELLS:
                os.killpg(process.pid, signal.SIGKILL)
            return process.stdout.read()

    def _log(self) -> Path:
        return self.folder / f"log-{self.runs}"


@pytest.fixture
def sweep_folder(tmp_path):
    return Sweep(tmp_path)


def test_ten_thousand_cells_survive_kill_9(sweep_folder):
    kept = 0
    for kill_at in (2_000, 7_000):
        assert sweep_folder.run(kill_at=kill_at) == ""
        before, kept = kept, sweep_folder.kept()
        assert kill_at <= kept < N_CELLS
        computed = sweep_folder.computed()
        assert len(set(computed)) == len(computed)
        assert 0 <= len(computed) - (kept - before) <= 2  # each worker was inside one cell at most
    resumed = sweep_folder.run()
    assert len(sweep_folder.computed()) == N_CELLS - kept
    assert sweep_folder.kept() == N_CELLS
    assert sweep_folder.run(whole=True) == resumed != ""
    for path in sorted((sweep_folder.folder / "cache").iterdir())[-3:]:  # the count sees a loss of three cells
        path.unlink()
    assert sweep_folder.run() == resumed
    assert len(sweep_folder.computed()) == 3
