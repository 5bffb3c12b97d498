"""The transcriptions give the values worked by hand, and stand on their own."""

from __future__ import annotations

import ast
from inspect import getmembers, isfunction
from pathlib import Path

import pytest

from tests.transcriptions import bandits, distribution_learning, noisy_leader, prefix_softmax, tracking
from tests.transcriptions.pairs import agree

MODULES = (bandits, distribution_learning, noisy_leader, prefix_softmax, tracking)
ENTRIES = [
    pytest.param(module, name, id=f"{module.__name__.rpartition('.')[2]}-{name}")
    for module in MODULES
    for name in module.BY_HAND
]


@pytest.mark.parametrize(("module", "name"), ENTRIES)
def test_value_by_hand(module, name):
    """Values have nine digits, worked out in the comments; numbers of rounds and labels are exact."""
    arguments, value = module.BY_HAND[name]
    found = getattr(module, name.partition(",")[0])(**arguments)
    if isinstance(found, float):
        value = float(value)
    assert agree(found, value, 1e-8), (found, value)


@pytest.mark.parametrize("module", MODULES)
def test_every_function_has_a_value_by_hand_and_a_place_in_the_paper(module):
    functions = {name for name, f in getmembers(module, isfunction) if f.__module__ == module.__name__}
    assert functions == {name.partition(",")[0] for name in module.BY_HAND}
    assert all(getattr(module, name).__doc__ for name in functions)


@pytest.mark.parametrize("module", MODULES)
def test_a_transcription_imports_nothing_but_mathematics(module):
    """Neither the package nor another transcription."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported <= {"math", "itertools", "functools", "__future__"}


def test_nothing_beside_the_transcriptions_imports_the_package():
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "replicate" for name in names), path
