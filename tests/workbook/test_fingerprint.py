"""Another value has another text; what is the same has the same one, in every process."""

import itertools
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from replicate.workbook import sweep
from tests.workbook.test_sweep import answer, module

LONG = np.arange(2000.0)


def but(array, index, value):
    other = array.copy()
    other[index] = value
    return other


@dataclass(frozen=True)
class Sizes:
    rounds: int


DIFFERENT = {
    "one entry of two thousand": [LONG, but(LONG, 1000, 0.5)],
    "zeros and nans": [0.0, -0.0, float("nan"), np.float64("nan"), 0, False, None, "0", "nan"],
    "kinds of number": [1, 1.0, True, 1 + 0j, np.int64(1), np.float32(1), np.float64(1), "1", b"1"],
    "dtypes and shapes": [LONG, LONG.astype("f4"), LONG.astype(">f8"), LONG.reshape(2, -1), LONG.tolist()],
    "kinds of container": [(1, 2), [1, 2], {1, 2}, frozenset((1, 2)), {1: 2}, (1, (2,)), ((1, 2),), ("12",)],
    "order of a dict": [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
    "deep inside": [{"a": [(1, {"b": LONG})]}, {"a": [(1, {"b": but(LONG, 7, -1)})]}],
    "objects in arrays": [np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)],
    "dataclasses": [Sizes(1), Sizes(2), {"rounds": 1}],
    "functions": [lambda x: x < 1, lambda x: x <= 1, but, Sizes],
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_told_apart(name):
    texts = [sweep.told(value) for value in DIFFERENT[name]]
    for (i, one), (j, other) in itertools.combinations(enumerate(texts), 2):
        assert one != other, (DIFFERENT[name][i], DIFFERENT[name][j])


@pytest.mark.parametrize("value", [LONG, {"a": [1, {2.5}]}, np.float64("nan")])
def test_a_copy_is_the_same(value):
    assert sweep.told(value) == sweep.told(value.copy())


@pytest.mark.parametrize("value", [iter([1]), (i for i in range(3)), [object()], np.ma.array([1.0], mask=[1])])
def test_what_cannot_be_read_is_refused(value):
    with pytest.raises(ValueError, match="cannot be told from others, got"):
        sweep.told(value)


CHANGES = {
    "a constant": ("def cell(rng): return {'x': 1}", "def cell(rng): return {'x': 2}"),
    "a helper": (
        "def f(): return 1\ndef cell(rng): return {'x': f()}",
        "def f(): return 2\ndef cell(rng): return {'x': f()}",
    ),
    "a method of a base": (
        "class B:\n p = 1\nclass C(B): pass\ndef cell(rng): return {'x': C().p}",
        "class B:\n p = 2\nclass C(B): pass\ndef cell(rng): return {'x': C().p}",
    ),
    "a default": ("def cell(rng, a=1): return {'x': a}", "def cell(rng, a=2): return {'x': a}"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_function_is_told_from_what_it_was(tmp_path, monkeypatch, name):
    for text, expected in zip(CHANGES[name], (1, 2), strict=True):
        assert answer(module(tmp_path, monkeypatch, text).cell, tmp_path / "c") == expected


SETTINGS = {
    "a number": "toy.A = 2",
    "an entry of a table": "toy.TABLE[0] = 2",
    "a helper": "toy.f = lambda: 2",
    "a number of a module that it imports": "toy.toy_table.A = 2",
}
TOY = """
import toy_table
A, TABLE = 1, [1]
def f():
    return 1
def cell(rng):
    return {"x": max(A, TABLE[0], f(), toy_table.A)}
"""


@pytest.mark.parametrize("change", SETTINGS)
def test_a_value_that_the_program_sets_is_seen(tmp_path, monkeypatch, change):
    module(tmp_path, monkeypatch, "A = 1", name="toy_table")
    toy = module(tmp_path, monkeypatch, TOY)
    assert answer(toy.cell, tmp_path / "c") == 1
    exec(SETTINGS[change], {"toy": toy})
    assert answer(toy.cell, tmp_path / "c") == 2


SCRIPT = """
import sys
from pathlib import Path
from replicate import environments
from replicate.workbook import sweep
A = {"a", "b", "c", "d"}
def cell(rng):
    return {"x": len(A) + environments.Bernoulli([0.1, 0.2]).n_actions}
sweep.run([sweep.Cell("t", ())], cell, seed=1, cache_dir=Path(sys.argv[1]))
"""


def test_it_is_the_same_in_every_process(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    for seed in "12":
        command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "c")]
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path.cwd())}, check=True
        )
    assert len(list((tmp_path / "c").iterdir())) == 1
