import importlib
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from replicate.workbook import sweep

CALLS: list[float] = []


def walk(drift, steps, rng):
    CALLS.append(drift)
    return {"path": np.cumsum(rng.normal(drift, 1, steps)), "end": float(steps)}


def fail_at_two(drift, rng):
    if drift == 2:
        raise RuntimeError("no")
    return {"x": rng.random()}


CELLS = sweep.grid("walk", drift=[0.0, 0.5, 1.0], steps=[3, 4])


def test_cells_are_named_by_their_parameters():
    assert [cell.id for cell in CELLS][:2] == ["walk/drift=0,steps=3", "walk/drift=0,steps=4"]
    with pytest.raises(ValueError, match="unique ids"):
        sweep.run([CELLS[0], CELLS[0]], walk, seed=1)
    with pytest.raises(ValueError, match="seed must be"):
        sweep.run(CELLS, walk, seed=-1)


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_results_do_not_depend_on_order_or_workers(pool):
    alone = sweep.run(CELLS, walk, seed=7)
    backwards = sweep.run(CELLS[::-1], walk, seed=7)
    with pool(max_workers=2) as executor:
        spread = sweep.run(CELLS, walk, seed=7, executor=executor)
    for cell in CELLS:
        np.testing.assert_array_equal(alone[cell.id]["path"], backwards[cell.id]["path"])
        np.testing.assert_array_equal(alone[cell.id]["path"], spread[cell.id]["path"])
    other = sweep.run(CELLS, walk, seed=8)
    assert alone[CELLS[0].id]["path"][0] != other[CELLS[0].id]["path"][0]
    assert list(alone) == list(spread) == [cell.id for cell in CELLS]


def test_finished_cells_are_kept_and_read_back(tmp_path):
    CALLS.clear()
    first = sweep.run(CELLS, walk, seed=1, cache_dir=tmp_path)
    assert len(CALLS) == 6
    second = sweep.run(CELLS, walk, seed=1, cache_dir=tmp_path)
    assert len(CALLS) == 6
    np.testing.assert_array_equal(first[CELLS[5].id]["path"], second[CELLS[5].id]["path"])
    assert second[CELLS[5].id]["end"] == 4
    sweep.run(CELLS, walk, seed=2, cache_dir=tmp_path)
    assert len(CALLS) == 12


def test_a_failing_cell_is_raised_and_the_others_are_kept(tmp_path):
    cells = sweep.grid("fail", drift=[1, 2, 3])
    with pytest.raises(RuntimeError, match="no"), ThreadPoolExecutor(1) as executor:
        sweep.run(cells, fail_at_two, seed=1, executor=executor, cache_dir=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) >= 1


SCRIPT = """
import sys, time
from pathlib import Path
from replicate.workbook import sweep

def slow(i, rng):
    time.sleep(0.02 if Path(sys.argv[1], "hurry").exists() else 0.2)
    with Path(sys.argv[1], "log").open("a") as log:
        log.write(f"{i} ")
    return {"x": rng.random()}

done = sweep.run(sweep.grid("s", i=range(12)), slow, seed=3, cache_dir=Path(sys.argv[1], "cache"))
print(sum(v["x"] for v in done.values()))
"""


def script_call(folder):
    command = [sys.executable, str(folder / "script.py"), str(folder)]
    return {"args": command, "env": os.environ | {"PYTHONPATH": str(Path.cwd())}}


def run_script(folder):
    return subprocess.run(**script_call(folder), capture_output=True, text=True, check=True).stdout


def test_a_killed_sweep_loses_no_finished_cell(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    with subprocess.Popen(**script_call(tmp_path)) as process:
        while not (tmp_path / "log").exists() or len((tmp_path / "log").read_text().split()) < 4:
            assert process.poll() is None, "the sweep ended before it was killed"
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    cache = tmp_path / "cache"
    kept = len([p for p in cache.glob("*.npz") if not p.name.startswith(".")])
    assert kept >= 3
    (tmp_path / "hurry").touch()
    resumed = run_script(tmp_path)
    computed = [int(i) for i in (tmp_path / "log").read_text().split()]
    assert len(computed) <= 12 + 1  # the cell that was being written may be computed twice
    fresh = sweep.run(sweep.grid("s", i=range(12)), lambda i, rng: {"x": rng.random()}, seed=3)
    assert float(resumed) == sum(result["x"] for result in fresh.values())


def test_cells_are_computed_anew_when_reachable_code_changes(tmp_path, monkeypatch):
    package = tmp_path / "toy.py"
    package.write_text("def cell(i, rng):\n    return {'x': i}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import toy  # pyright: ignore

    cells = sweep.grid("t", i=[5])
    assert sweep.run(cells, toy.cell, seed=1, cache_dir=tmp_path / "c")[cells[0].id]["x"] == 5
    package.write_text("def cell(i, rng):\n    return {'x': 2 * i}  # another law\n")
    sweep._code.cache_clear()
    sys.modules.pop("toy")
    importlib.invalidate_caches()
    import toy as changed

    importlib.reload(changed)
    assert sweep.run(cells, changed.cell, seed=1, cache_dir=tmp_path / "c")[cells[0].id]["x"] == 10


def test_the_code_that_a_module_reaches_includes_its_imports():
    reached = sweep._reached("replicate.papers.prefix_softmax.experiments")
    assert "replicate.learners.dyadic" in reached
    assert "replicate.papers.prefix_softmax.algorithms" in reached
    assert "replicate.commands.run" not in reached


def toy_module(folder, monkeypatch, text):
    (folder / "toy_cells.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("toy_cells", None)
    return importlib.import_module("toy_cells")


def test_code_edited_in_mid_run_keeps_nothing(tmp_path, monkeypatch):
    """What runs is the code that was imported; its results must not be filed under the text on disk."""
    toy = toy_module(tmp_path, monkeypatch, "def cell(i, rng):\n    return {'x': i}\n")
    cells = sweep.grid("t", i=[5])
    os.utime(tmp_path / "toy_cells.py", (1e9, 1e9))
    sweep.run(cells, toy.cell, seed=1, cache_dir=tmp_path / "c")
    assert len(list((tmp_path / "c").iterdir())) == 1
    (tmp_path / "toy_cells.py").write_text("def cell(i, rng):\n    return {'x': 2 * i}\n")
    sweep._code.cache_clear()
    assert sweep.run(cells, toy.cell, seed=1, cache_dir=tmp_path / "c")[cells[0].id]["x"] == 5
    assert len(list((tmp_path / "c").iterdir())) == 1


def test_functions_of_one_factory_do_not_share_their_files(tmp_path):
    def factory(factor):
        return lambda i, rng: {"x": factor * i}

    cells = sweep.grid("t", i=[5])
    assert [sweep.run(cells, factory(f), seed=1)[cells[0].id]["x"] for f in (1, 2)] == [5, 10]
    with pytest.raises(ValueError, match="function must be one of a module"):
        sweep.run(cells, factory(1), seed=1, cache_dir=tmp_path)


def test_results_are_filed_under_the_versions_that_made_them(tmp_path, monkeypatch):
    toy = toy_module(tmp_path, monkeypatch, "def cell(i, rng):\n    return {'x': i}\n")
    os.utime(tmp_path / "toy_cells.py", (1e9, 1e9))
    cells = sweep.grid("t", i=[5])
    for module in (None, sweep.np, sweep.scipy, sweep.numba):
        if module is not None:
            monkeypatch.setattr(module, "__version__", "0.0")
        sweep.run(cells, toy.cell, seed=1, cache_dir=tmp_path / "c")
    assert len(list((tmp_path / "c").iterdir())) == 4
