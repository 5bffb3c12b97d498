"""Checks that show the worst of several pieces, or the best, are called by tests that give the pieces.

The register runs every check, but a check that showed its best piece would mostly hold there too.
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
EXEMPT = {}
"""Checks that no such test calls, and why."""


def calls(node):
    """Names of the functions and methods that a function calls, and whether it takes a worst or best piece."""
    found = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    names = {call.id for call in found if isinstance(call, ast.Name)}
    takes = any(ast.unparse(call) in ("Evidence.worst", "Evidence.best") for call in found)
    return names, takes


def takers(path):
    """Yield the public functions of a module of checks that take a worst piece, themselves or by a helper."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name: calls(node) for node in tree.body if isinstance(node, ast.FunctionDef)}

    def reaches(name):
        names, takes = functions[name]
        return takes or any(reaches(other) for other in names & functions.keys() if other.startswith("_"))

    yield from (name for name in functions if not name.startswith("_") and reaches(name))


CASES = [
    f"{paper}.{path.relative_to(PACKAGE / paper / 'checks').with_suffix('').as_posix()}.{name}"
    for paper in PAPERS
    for path in sorted((PACKAGE / paper / "checks").rglob("*.py"))
    for name in takers(path)
]


@cache
def named(paper):
    """Names of checks that tests call: from a module of checks, as words, or by a comparison's ``id/number``."""
    found = set()
    for path in sorted((HERE / paper).glob("test_*.py")):
        if path.name.startswith(CALLED):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            modules = {name for node in nodes for name in _modules_of_checks(node)}
            called = (node for node in nodes if isinstance(node, ast.Attribute))
            found |= {
                node.attr for node in called if isinstance(node.value, ast.Name) and node.value.id in modules
            }
            words = {
                node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
            found |= {_check(word) for word in words if path.name.startswith(GIVEN)}
    return found


def _modules_of_checks(node):
    """Names by which a test imports modules of checks."""
    if isinstance(node, ast.ImportFrom) and ".checks" in (node.module or "") + ".":
        return [part.asname or part.name for part in node.names]
    return []


def _check(word):
    """The name of the check of a comparison, or the word itself."""
    entry, _, number = word.partition("/")
    return ENTRIES[entry].comparisons[int(number)].check.__name__ if entry in ENTRIES and number else word


@pytest.mark.parametrize("case", CASES)
def test_a_check_that_shows_its_worst_piece_is_called_with_pieces_that_are_known(case):
    paper, _, name = case.split(".")
    assert (name in named(paper)) != (case in EXEMPT), EXEMPT.get(case)


def test_exemptions_are_checks_and_give_a_reason():
    assert {*EXEMPT} <= {*CASES}
    assert all(len(reason.split()) >= 4 for reason in EXEMPT.values())
