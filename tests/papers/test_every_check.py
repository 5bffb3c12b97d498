"""Every check is called by a test of its own, those that show the worst of several pieces among them.

The register runs every check, but one that showed its best piece, or held what it measures against a wrong number,
would mostly hold there too. Checks of proofs stand apart: `test_proofs` runs them at numbers that they refuse.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

from tests.claims.quick import ENTRIES

HERE = Path(__file__).parent
PACKAGE = HERE.parent.parent / "replicate" / "papers"
PAPERS = ("prefix_softmax", "noisy_leader", "tracking", "bandits", "distribution_learning")
GIVEN = ("test_check_pieces", "test_checks_by_hand", "test_worst_cases", "test_given")
"""How the names of modules begin whose tests give pieces, or know them by hand."""
CALLED = (*GIVEN, "test_audits", "test_checks")
"""Those whose tests call checks one by one; what they only list may be run as it is."""
EXEMPT: dict[str, str] = {}
"""Checks that no such test calls, and why."""
REGISTERED = {comparison.check.__name__ for entry in ENTRIES.values() for comparison in entry.comparisons}


def checks(path):
    """Names of the checks of a module that are registered."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in REGISTERED]


CASES = [
    f"{paper}.{path.relative_to(PACKAGE / paper / 'checks').with_suffix('').as_posix()}.{name}"
    for paper in PAPERS
    for path in sorted((PACKAGE / paper / "checks").rglob("*.py"))
    for name in checks(path)
    if path.name != "proofs.py" or path.parent.name == "errata"
]


@cache
def named(paper):
    """Modules and names of checks that a paper's tests call."""
    paths = (path for path in sorted((HERE / paper).glob("test_*.py")) if path.name.startswith(CALLED))
    return {pair for path in paths for pair in called(path)}


def called(path):
    """Yield modules and names of checks: taken from the module, by name or as a word, or by ``id/number``."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    modules = dict(pair for node in nodes for pair in modules_of_checks(node))
    words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in modules:
            yield modules[ast.unparse(node.value)], node.attr
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            yield from ((modules.get(ast.unparse(node.args[0])), word) for word in words)
    for word in words if path.name.startswith(GIVEN) else ():
        entry, _, number = word.partition("/")
        if entry in ENTRIES and number:
            check = ENTRIES[entry].comparisons[int(number)].check
            yield check.__module__.rpartition(".")[2], check.__name__


def modules_of_checks(node):
    """Names by which a test imports modules of checks, and theirs."""
    if isinstance(node, ast.ImportFrom) and ".checks" in (node.module or ""):
        return [(part.asname or part.name, part.name) for part in node.names]
    return []


@pytest.mark.parametrize("case", CASES)
def test_a_check_is_called_by_a_test_that_knows_what_it_shows(case):
    paper, module, name = case.split(".")
    place = module.removesuffix("/__init__").rpartition("/")[2]
    assert ((place, name) in named(paper)) != (case in EXEMPT), EXEMPT.get(case)


def test_exemptions_are_checks_and_give_a_reason():
    assert {*EXEMPT} <= {*CASES}
    assert all(len(reason.split()) >= 4 for reason in EXEMPT.values())
