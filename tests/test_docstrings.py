"""Every example in a docstring of the package gives what it says."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITH_EXAMPLES = sorted(p for p in (ROOT / "replicate").rglob("*.py") if ">>> " in p.read_text(encoding="utf-8"))
MODULES = [".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for p in WITH_EXAMPLES]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_an_example_that_does_not_hold_is_found():
    wrong = type("Wrong", (), {"__doc__": ">>> 1 + 1\n3\n", "__module__": __name__})
    (example,) = doctest.DocTestFinder().find(wrong, "Wrong", globs={})
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None).failed == 1
