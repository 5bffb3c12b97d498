"""The transcriptions name their places in the papers, and import nothing but mathematics."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.transcriptions import bandits, distribution_learning, noisy_leader, prefix_softmax, tracking
from tests.transcriptions.pairs import public

MODULES = (bandits, distribution_learning, noisy_leader, prefix_softmax, tracking)


@pytest.mark.parametrize("module", MODULES)
def test_a_transcription_stands_on_its_own_and_names_the_places_in_the_paper(module):
    """It imports neither the package nor another transcription."""
    nodes = list(ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported <= {"math", "itertools", "functools", "__future__"}
    assert all(getattr(module, name.partition(".")[2]).__doc__ for name in public(module))


def test_nothing_beside_the_transcriptions_imports_the_package():
    for path in Path(__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "replicate" for name in names), path
