"""Another result has another fingerprint; what is the same has the same one, in every process."""

import functools
import itertools
import subprocess
import sys
import types
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from replicate.compiled import compiled
from replicate.workbook.sweep import Fingerprints, fingerprint

LONG = np.arange(2000.0)


def but(array, index, value):
    other = array.copy()
    other[index] = value
    return other


FRAME = pd.DataFrame({"a": LONG, "b": ["x"] * 2000})
DIFFERENT = {
    "one entry of two thousand": [LONG, but(LONG, 1000, 0.5)],
    "zeros and nans": [0.0, -0.0, float("nan"), np.float64("nan"), 0, False, None, "0", "nan"],
    "kinds of number": [1, 1.0, True, 1 + 0j, np.int64(1), np.float32(1), np.float64(1), Fraction(1), "1", b"1"],
    "dtypes and shapes": [LONG, LONG.astype("f4"), LONG.astype(">f8"), LONG.reshape(2, -1), LONG.tolist()],
    "kinds of container": [(1, 2), [1, 2], {1, 2}, frozenset((1, 2)), {1: 2}, (1, (2,)), ((1, 2),), ("12",)],
    "order of a dict": [{"a": 1, "b": 2}, {"b": 2, "a": 1}],
    "deep inside": [{"a": [(1, {"b": LONG})]}, {"a": [(1, {"b": but(LONG, 7, -1)})]}],
    "masks": [np.ma.array(LONG, mask=LONG < 3), np.ma.array(LONG, mask=LONG < 2), LONG],
    "objects in arrays": [np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)],
    "tables": [
        FRAME, FRAME.assign(a=but(LONG, 5, 9)), FRAME.rename(columns={"b": "c"}), FRAME[["b", "a"]],
        FRAME.set_index("b"), FRAME.astype({"a": "float32"}), FRAME.astype({"b": "category"}), FRAME["a"],
        FRAME["a"].astype("Float64"), FRAME["a"].rename("z"), FRAME.iloc[::-1],
    ],
    "kinds of missing": [pd.Series([1, None], dtype="Int64"), pd.Series([1, 0], dtype="Int64")],
    "functions": [lambda x: x + 1, lambda x: x + 2, lambda x, y=1: x + y, lambda x, y=2: x + y, abs, np.abs],
    "partials": [functools.partial(pow, 2), functools.partial(pow, 3), functools.partial(pow, exp=2), pow],
    "generators by state": [np.random.default_rng(1), np.random.default_rng(2)],
}  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENT)
def test_what_differs_is_told_apart(name):
    prints = [Fingerprints().of(value) for value in DIFFERENT[name]]
    for (i, one), (j, other) in itertools.combinations(enumerate(prints), 2):
        assert one != other, (DIFFERENT[name][i], DIFFERENT[name][j])


@pytest.mark.parametrize(
    "value", [LONG, FRAME, {"a": [1, {2.5}]}, float("nan"), np.ma.array([1.0, 2], mask=[0, 1])]
)
def test_a_copy_is_the_same(value):
    again = value.copy() if hasattr(value, "copy") else float("nan")
    assert Fingerprints().of(value) == Fingerprints().of(again)


def test_what_refers_to_itself_is_refused():
    ring = [1]
    ring.append(ring)
    with pytest.raises(ValueError, match="can't pickle cyclic objects"):
        Fingerprints().of(ring)


@pytest.mark.parametrize("value", [iter([1]), (i for i in range(3)), types.SimpleNamespace(a=(i for i in ()))])
def test_what_cannot_be_read_is_refused(value):
    with pytest.raises(ValueError, match="cannot be read, got"):
        Fingerprints().of(value)


def made(text):
    """A module's function `cell`, from its text; there is no file."""
    module = types.ModuleType("made")
    sys.modules["made"] = module
    exec(text, vars(module))
    return module.cell


CHANGES = {
    "a constant": ("def cell(): return 1", "def cell(): return 2"),
    "a constant's kind": ("def cell(): return 1", "def cell(): return 1.0"),
    "a sign of zero": ("def cell(): return 0.0", "def cell(): return -0.0"),
    "an inner function": ("def cell(): return [i for i in (1,)]", "def cell(): return [-i for i in (1,)]"),
    "a global": ("A = 1\ndef cell(): return A", "A = 2\ndef cell(): return A"),
    "a global of a lambda": ("A = 1\ndef cell(): return lambda: A", "A = 2\ndef cell(): return lambda: A"),
    "a helper": ("def f(): return 1\ndef cell(): return f()", "def f(): return 2\ndef cell(): return f()"),
    "a method": (
        "class C:\n def f(self): return 1\ndef cell(): return C().f()",
        "class C:\n def f(self): return 2\ndef cell(): return C().f()",
    ),
    "a property of a base": (
        "class B:\n p = property(lambda s: 1)\nclass C(B): pass\ndef cell(): return C().p",
        "class B:\n p = property(lambda s: 2)\nclass C(B): pass\ndef cell(): return C().p",
    ),
    "a default": ("def cell(a=1): return a", "def cell(a=2): return a"),
    "a keyword's default": ("def cell(*, a=1): return a", "def cell(*, a=2): return a"),
    "a remembered helper": (
        "import functools\n@functools.cache\ndef f(): return 1\ndef cell(): return f()",
        "import functools\n@functools.cache\ndef f(): return 2\ndef cell(): return f()",
    ),
    "an attribute of a function": (
        "def cell(): return cell.a\ncell.a = 1", "def cell(): return cell.a\ncell.a = 2",
    ),
    "an item of an object": (
        "class L(list): pass\nA = L([1])\ndef cell(): return A",
        "class L(list): pass\nA = L([2])\ndef cell(): return A",
    ),
    "a method of a class that says how to copy it": (
        "class C:\n __reduce__ = lambda s: (int, ())\n f = 1\nA = C()\ndef cell(): return A.f()",
        "class C:\n __reduce__ = lambda s: (int, ())\n f = 2\nA = C()\ndef cell(): return A.f()",
    ),
    "a setting of another project": (
        "import json\njson.toy = 1\ndef cell(): return json.toy",
        "import json\njson.toy = 2\ndef cell(): return json.toy",
    ),
    "a member of a module that it imports": tuple(
        "import sys, types\nsub = sys.modules['made.sub'] = types.ModuleType('made.sub')\n"
        f"sub.A = {value}\ndel sub\ndef cell():\n from made import sub\n return sub.A"
        for value in (1, 2)
    ),
    "an operator": ("def cell(a=1): return a < 2", "def cell(a=1): return a <= 2"),
    "a field's default": (
        "from dataclasses import dataclass\n@dataclass\nclass C:\n x: int = 1\ndef cell(): return C().x",
        "from dataclasses import dataclass\n@dataclass\nclass C:\n x: int = 2\ndef cell(): return C().x",
    ),
    "what is read of a module": (
        "import math\ndef cell(): return math.floor(1.5)", "import math\ndef cell(): return math.ceil(1.5)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_function_is_told_from_what_it_was(name):
    before, after, same = (fingerprint(made(text))[0] for text in (*CHANGES[name], CHANGES[name][1]))
    assert before != after == same


def test_closures_methods_and_compiled_functions_are_told_apart():
    @dataclass
    class Scale:
        factor: float

        def cell(self):
            return self.factor

    def closed(factor):
        return lambda: factor

    def divided(x):
        return 1 / x

    kernels = [compiled()(function) for function in (lambda x: x + 1, lambda x: x + 2, divided)]
    kernels.append(compiled(error_model="numpy")(divided))
    chosen = [closed(1), closed(2), Scale(1).cell, Scale(2).cell, *kernels]
    assert len({fingerprint(function)[0] for function in chosen}) == len(chosen)


SCRIPT = """
from replicate import environments
from replicate.workbook.sweep import Fingerprints, fingerprint
A = {"a", "b", "c", "d"}
def f(): return A, environments.Bernoulli, environments.comonotone
print(fingerprint(f)[0])
"""


def test_it_is_the_same_in_every_process():
    command = [sys.executable, "-c", SCRIPT]
    said = [subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True) for seed in "12"]
    assert said[0].stdout == said[1].stdout != "", said[0].stderr
