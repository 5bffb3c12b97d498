"""Sweeps: cells have streams of their own; what is kept is found again, and nothing else is."""

import functools
import importlib
import os
import shutil
import subprocess
import sys
import types
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from replicate.workbook import sweep


def walk(drift, steps, rng):
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


def test_results_do_not_depend_on_the_order():
    alone, backwards = (sweep.run(cells, walk, seed=7) for cells in (CELLS, CELLS[::-1]))
    for cell in CELLS:
        np.testing.assert_array_equal(alone[cell.id]["path"], backwards[cell.id]["path"])


def test_a_failing_cell_is_raised_and_the_others_are_kept(tmp_path):
    cells = sweep.grid("fail", drift=[1, 2, 3])
    with pytest.raises(RuntimeError, match="no"), ThreadPoolExecutor(1) as executor:
        sweep.run(cells, fail_at_two, seed=1, executor=executor, cache_dir=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) >= 1


def run_script(folder):
    command = [sys.executable, str(folder / "script.py"), str(folder)]
    subprocess.run(command, env=os.environ | {"PYTHONPATH": str(Path.cwd())}, check=True)


def module(folder, monkeypatch, text, *, name="toy_cells"):
    """A user's module with this text, imported anew; its file is older than this process."""
    (folder / f"{name}.py").write_text(text)
    os.utime(folder / f"{name}.py", (1e9, 1e9))
    monkeypatch.syspath_prepend(str(folder))
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)  # which knows an edit by its time and size only
    sys.modules.pop(name, None)
    return importlib.import_module(name)


def answer(function, folder, **parameters):
    """Return the answer of a sweep of one cell, kept in a folder."""
    cells = [sweep.Cell("t", tuple(parameters.items()))]
    return sweep.run(cells, function, seed=1, cache_dir=folder)["t"]["x"]


TOY = """
import toy_table
RATE = 1
def cell(i, rng):
    return {"x": getattr(toy_table, "entry")(i) + RATE * rng.random()}
def twice(i, rng):
    return {"x": 2 * cell(i, rng)["x"]}
"""
BASE = {"name": "t", "i": 1, "seed": 1, "function": "cell", "rate": 1, "table": "i"}
KEYED = {
    "the cell's name, which is its stream": {"name": "u"},
    "a parameter, under the same name": {"i": 2},
    "the seed": {"seed": 2},
    "the function, of the same text": {"function": "twice"},
    "a global": {"rate": 2},
    "the text of what it looks up by a string": {"table": "i + 1"},
}


@pytest.mark.parametrize("part", KEYED)
def test_a_kept_result_is_filed_under_each_thing_it_depends_on(tmp_path, monkeypatch, part):
    def computed(*, kept, name, i, seed, function, rate, table):
        module(tmp_path, monkeypatch, f"def entry(i):\n    return {table}\n", name="toy_table")
        toy = module(tmp_path, monkeypatch, TOY)
        toy.RATE = rate
        cells = [sweep.Cell(name, (("i", i),))]
        return sweep.run(cells, getattr(toy, function), seed=seed, cache_dir=kept)[name]["x"]

    kept = tmp_path / "c"
    before, again = (computed(kept=kept, **BASE) for _ in range(2))
    assert before == again
    assert len(list(kept.iterdir())) == 1
    after = computed(kept=None, **BASE | KEYED[part])
    assert computed(kept=kept, **BASE | KEYED[part]) == after != before
    assert len(list(kept.iterdir())) == 2


def test_a_table_that_a_program_changes_gives_another_result(tmp_path, monkeypatch):
    toy = module(
        tmp_path,
        monkeypatch,
        'TABLE = {"rate": 1}\ndef cell(i, rng):\n    return {"x": max(TABLE["rate"] for _ in [i])}\n',
    )
    for rate in (1, 2, 1):
        toy.TABLE["rate"] = rate
        assert (
            sweep.run(sweep.grid("toy", i=[0]), toy.cell, seed=1, cache_dir=tmp_path / "c")["toy/i=0"]["x"] == rate
        )
    assert len(list((tmp_path / "c").iterdir())) == 2
    toy.TABLE["rate"] = lambda: 1
    with pytest.raises(ValueError, match="got TABLE"):
        sweep.run(sweep.grid("toy", i=[0]), toy.cell, seed=1, cache_dir=tmp_path / "c")


def total(table, rng):
    return {"x": np.sum(table)}


@pytest.mark.parametrize("value", [iter([1]), np.arange(3), {"a": 1}, [{1}]])
def test_parameters_that_do_not_print_whole_are_not_kept(tmp_path, value):
    with pytest.raises(ValueError, match="parameters of t must be texts, numbers"):
        answer(total, tmp_path, table=value)


def closed(factor):
    def cell(rng):
        return {"x": factor}

    return cell


def exec_made():
    module = types.ModuleType("made")
    sys.modules["made"] = module
    exec("def cell(rng): return {'x': 1}", vars(module))
    return module.cell


@pytest.mark.parametrize("function", [closed(1), lambda rng: {"x": 1}, functools.partial(total, [1]), exec_made()])
def test_a_function_that_no_source_tells_from_others_is_not_kept(tmp_path, function):
    with pytest.raises(ValueError, match="function must be one of a module with a source"):
        answer(function, tmp_path)
    assert list(tmp_path.iterdir()) == []


DIFFERENT = [
    1,
    1.0,
    True,
    "1",
    None,
    (1,),
    [1],
    0.0,
    -0.0,
    float("nan"),
    np.float64(1),
    np.int64(1),
    (1, (2,)),
    ((1, 2),),
]


def test_parameters_that_differ_are_told_apart(tmp_path):
    for value in DIFFERENT:
        answer(shown, tmp_path, value=value)
    assert len(list(tmp_path.iterdir())) == len(DIFFERENT)


def shown(value, rng):
    return {"x": 0}


SEEN: list[int] = []


def counted(i, rng):
    SEEN.append(i)
    return {"x": len(SEEN)}


def test_a_function_that_changes_what_it_reads_keeps_nothing(tmp_path):
    with pytest.warns(UserWarning, match="nothing is kept: counted changed a value that it reads"):
        answer(counted, tmp_path, i=1)
    assert list(tmp_path.iterdir()) == []


def test_a_worker_that_reads_another_value_is_refused(tmp_path, monkeypatch):
    toy = module(tmp_path, monkeypatch, "RATE = 1\ndef cell(rng):\n    return {'x': RATE}")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    toy.RATE = 2
    refused = pytest.raises(ValueError, match="cell must read the same in every worker")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, refused:
        sweep.run([sweep.Cell("t", ())], toy.cell, seed=1, executor=pool, cache_dir=tmp_path / "c")


class EditsFirst(ProcessPoolExecutor):
    """Writes a text to a file before a worker starts."""

    def __init__(self, path, text):
        super().__init__(1, mp_context=get_context("spawn"))
        self.path, self.text = path, text

    def submit(self, *task):
        self.path.write_text(self.text)
        return super().submit(*task)


@pytest.mark.parametrize("text", ["def entry():\n    return 1\n", "def entry():\n    return 2\n"])
def test_a_worker_that_looks_up_another_text_is_refused(tmp_path, monkeypatch, text):
    module(tmp_path, monkeypatch, "def entry():\n    return 1\n", name="toy_table")
    source = "import toy_table\ndef cell(rng):\n    return {'x': getattr(toy_table, 'entry')()}\n"
    toy = module(tmp_path, monkeypatch, source)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    refused = pytest.raises(ValueError, match="cell must read the same in every worker")
    with EditsFirst(tmp_path / "toy_table.py", text) as pool, refused if "2" in text else nullcontext():
        cells = [sweep.Cell("t", ())]
        assert sweep.run(cells, toy.cell, seed=1, executor=pool, cache_dir=tmp_path / "c")["t"]["x"] == 1


def test_a_torn_file_is_computed_anew(tmp_path, capsys):
    for content in (b"", b"PK", None):
        assert answer(total, tmp_path, table=[1, 2]) == 3
        (kept,) = tmp_path.iterdir()
        kept.write_bytes(kept.read_bytes()[:-40] if content is None else content)
        assert answer(total, tmp_path, table=[1, 2]) == 3
        assert capsys.readouterr().err.startswith("a kept cell cannot be read and is computed anew: ")


GIVEN = {"file": 1.5, "allow_pickle": np.arange(3), "a/b.npy": "word", "names": True}


def named(rng):
    return GIVEN


def test_results_of_any_name_come_back_as_they_were(tmp_path):
    cells = [sweep.Cell("t", ())]
    for _ in range(2):
        result = sweep.run(cells, named, seed=1, cache_dir=tmp_path)["t"]
        assert list(result) == list(GIVEN)
        assert all(np.array_equal(result[name], GIVEN[name]) for name in GIVEN)
    with pytest.raises(ValueError, match="got a masked array"):
        sweep.run(cells, lambda rng: {"x": np.ma.array([1, 2], mask=[0, 1])}, seed=1)


def test_code_edited_in_mid_run_keeps_nothing(tmp_path, monkeypatch):
    """The code that runs was imported; its results must not be filed under the text on disk."""
    toy = module(tmp_path, monkeypatch, "def cell(i, rng):\n    return {'x': i}\n")
    assert answer(toy.cell, tmp_path / "c", i=5) == 5
    (tmp_path / "toy_cells.py").write_text("def cell(i, rng):\n    return {'x': 2 * i}\n")
    with pytest.warns(UserWarning, match=r"nothing is kept: .*toy_cells\.py is newer than this process"):
        assert answer(toy.cell, tmp_path / "c", i=6) == 6
    assert len(list((tmp_path / "c").iterdir())) == 1


VERSIONS = """
import sys
from pathlib import Path
import numba, numpy, scipy
from replicate.workbook import sweep

def cell(rng):
    return {"x": 1}

for library in (sys, numpy, scipy, numba):
    library.__version__ = "0.0"
    sweep.run([sweep.Cell("t", ())], cell, seed=1, cache_dir=Path(sys.argv[1], "cache"))
"""


def test_results_are_filed_under_the_versions_that_made_them(tmp_path):
    (tmp_path / "script.py").write_text(VERSIONS)
    run_script(tmp_path)
    assert len(list((tmp_path / "cache").iterdir())) == 4


SPAWNED = """
import sys
import types
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from replicate.workbook import sweep

def cell(rng):
    return {"x": 1}

if __name__ == "__main__":
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        sweep.run([sweep.Cell("t", ())], cell, seed=1, executor=pool, cache_dir=Path(sys.argv[1], "cache"))
"""


def test_a_function_of_the_main_program_is_the_same_in_a_spawned_worker(tmp_path):
    (tmp_path / "script.py").write_text(SPAWNED)
    run_script(tmp_path)
    assert len(list((tmp_path / "cache").iterdir())) == 1
