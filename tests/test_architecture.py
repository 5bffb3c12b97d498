"""The house keeps its plan: floors, apartments, one way down, short functions. Every rule is shown a breach."""

import ast
import subprocess
import sys
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from replicate.contents import CONTENTS

ROOT = Path(__file__).parent.parent
FLOORS = (
    {
        "validation",
        "streams",
        "files",
        "contents",
        "compiled",
        "budget",
        "profiles",
    },
    {"mechanisms", "environments", "certify", "proofs"},
    {"learners", "claims"},
    {"audit", "workbook"},
    {"papers"},
    {"advice"},
    {"studies"},
    {"commands", "plugin"},
    {"__main__"},
)
"""From the ground. A module imports from its own floor and those below it."""
WORDS = (
    {"claims", "errata", "learners", "theorems"},
    {"checks", "figures"},
    {"experiments"},
    {"instances"},
    {"lemmas", "proofs"},
    {"privacy"},
    {"algorithms"},
    {"bounds"},
)
"""The rooms of an apartment, from the top; a room imports from its own line and those below it."""
LIBRARY = {"environments", "mechanisms", "learners", "audit", "certify"} | FLOORS[0]
LIBRARY_OF_PAPERS = {"algorithms", "bounds", "lemmas", "privacy", "instances", "learners"}
"""The library under the workbook, and the rooms of a paper that belong to it."""
WORKBOOK = {"claims", "workbook", "proofs", "advice", "studies", "commands"}
WORKBOOK_OF_PAPERS = {"claims", "errata", "theorems", "checks", "figures", "experiments", "proofs"}
PAGES = {
    "IPython",
    "ipykernel",
    "ipywidgets",
    "jupyter_client",
    "jupyterlab",
    "matplotlib",
    "nbformat",
    "papermill",
    "seaborn",
}
"""What the library does without."""
BY_STRING = {
    "replicate",
    "replicate.__main__",
    "replicate.commands.book",
    "replicate.workbook.sweep",
}
"""Modules that import by a string: the top, where the lists of all papers are collected, what reads bytecode, and
what lists public names."""
COMMON_STREAMS = {"bandits/batching": "a learner and the same learner in batches draw alike: actions are equal"}
CHECKS = {"regret", "lemmas", "privacy", "errata", "proofs", "corners"}
LONGEST = 60
PAPERS = tuple(row.name for row in CONTENTS if row.floor == "papers")


@cache
def sources():
    """Module names of the package to their source texts."""
    found = {}
    for path in sorted((ROOT / "replicate").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    return found


@cache
def nodes(text):
    """All nodes of a source text."""
    return tuple(ast.walk(ast.parse(text)))


def imports(modules):
    """Module names to the modules of the package that each imports, wherever the statement stands."""
    edges = {}
    for name, text in modules.items():
        reached = set()
        for node in statements(text):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "replicate":
                full = {f"{node.module}.{alias.name}" for alias in node.names}
                reached |= {f if f in modules else node.module for f in full}
            elif isinstance(node, ast.Import):
                reached |= {alias.name for alias in node.names if alias.name.partition(".")[0] == "replicate"}
        edges[name] = reached - {name, "replicate"}
    return edges


@cache
def statements(text):
    """Import statements of a source text."""
    return tuple(node for node in nodes(text) if isinstance(node, ast.Import | ast.ImportFrom))


def floor(module):
    """Number of the floor of a module, None for the package itself."""
    room = "".join(module.split(".")[1:2])
    return next((i for i, rooms in enumerate(FLOORS) if room in rooms), None)


def upward(edges):
    return sorted(
        f"{a} -> {b}" for a, to in edges.items() for b in to if floor(a) is not None and floor(b) > floor(a)
    )


def circles(edges):
    """A circle of imports, or nothing."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def between_apartments(edges):
    """Imports from one apartment into another; a study alone may import papers."""
    home = {
        m: m.split(".")[1:3] for m in edges if m.split(".")[1:2] in (["papers"], ["studies"]) and m.count(".") > 1
    }
    pairs = ((a, b) for a in home for b in edges[a] if b in home and home[a] != home[b])
    return sorted(f"{a} -> {b}" for a, b in pairs if not (home[a][0] == "studies" and home[b][0] == "papers"))


def is_one_of(module, rooms, rooms_of_papers):
    """Return True if a module stands in one of some rooms of the package, or of a paper."""
    parts = [*module.split(".")[1:], "", "", ""]
    return parts[0] in rooms or (parts[0] == "papers" and parts[2] in rooms_of_papers)


def across_the_seam(modules):
    """Imports from the library into the workbook, or of what draws and shows pages."""
    library = {m: text for m, text in modules.items() if is_one_of(m, LIBRARY, LIBRARY_OF_PAPERS)}
    edges = imports(modules)
    inside = [f"{a} -> {b}" for a in library for b in edges[a] if is_one_of(b, WORKBOOK, WORKBOOK_OF_PAPERS)]
    outside = [
        f"{m} -> {name}" for m, text in library.items() for node in statements(text)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        if name.partition(".")[0] in PAGES
    ]  # fmt: skip
    return sorted(inside + outside)


def by_string(modules):
    """Modules that import one of this package by a string, besides those that may."""
    found = []
    for module, text in modules.items():
        for node in nodes(text) if module not in BY_STRING else ():
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
                name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else "replicate"
                found += [module] * str(name).startswith("replicate")
    return found


def line(module):
    """Line of `WORDS` on which a paper's module stands, None for the paper's package."""
    parts = module.split(".")[3:]
    return next((i for i, words in enumerate(WORDS) if parts and parts[0] in words), None)


def back_up(edges):
    """Imports inside an apartment that go up."""
    inside = {m: to for m, to in edges.items() if m.startswith(("replicate.papers.", "replicate.studies."))}
    pairs = ((a, b) for a, to in inside.items() for b in to if b.split(".")[:3] == a.split(".")[:3])
    return sorted(f"{a} -> {b}" for a, b in pairs if None not in (line(a), line(b)) and line(b) < line(a))


def strange_rooms(modules):
    """Modules of apartments that have another name than the plan has."""
    strange = []
    for module in modules:
        parts = module.split(".")
        if parts[1:2] not in (["papers"], ["studies"]) or len(parts) < 4:
            continue
        known = any(parts[3] in words for words in WORDS)
        if not known or (parts[3] == "checks" and len(parts) > 4 and parts[4] not in CHECKS):
            strange.append(module)
    return strange


def long_functions(modules):
    """Functions with more than `LONGEST` lines besides their docstrings."""
    found = []
    for module, text in modules.items():
        for node in nodes(text):
            if isinstance(node, ast.FunctionDef):
                doc = node.body[0] if ast.get_docstring(node, clean=False) is not None else None
                lines = node.end_lineno - node.lineno + 1 - (doc.end_lineno - doc.lineno + 1 if doc else 0)
                if lines > LONGEST:
                    found.append(f"{module}.{node.name}: {lines}")
    return found


def inner_checks(modules):
    """Functions called `check` inside another function: closures where plain checks belong."""
    checks = {m: text for m, text in modules.items() if "def check" in text}
    outer = ((m, f) for m, text in checks.items() for f in nodes(text) if isinstance(f, ast.FunctionDef))
    return [
        f"{m}.{f.name}" for m, f in outer for n in ast.walk(f)
        if n is not f and isinstance(n, ast.FunctionDef) and n.name == "check"
    ]  # fmt: skip


def shared_streams(modules):
    """Words that open a stream in several places, with as many parts: independent draws would be the same."""
    keys = Counter(
        (*(a.value for a in node.args if isinstance(getattr(a, "value", None), str)), len(node.args))
        for text in modules.values() for node in nodes(text)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "stream" and len(node.args) > 1
    )  # fmt: skip
    return [key for key, n in keys.items() if n > 1 and isinstance(key[0], str) and key[0] not in COMMON_STREAMS]


REPAIRS = {
    "no two places open one stream": "begin its key with words of its own: paper/experiment",
    "no import goes up": "move what both need to the lower floor (FLOORS), or import it where it is used above",
    "no circle": "move what both need into a module below them",
    "apartments meet in the registers": "ask replicate.learners.registry or replicate.claims by name",
    "the library stands without the workbook": "move it to a room of WORKBOOK or WORKBOOK_OF_PAPERS",
    "nobody imports by string but the top": "import it by name; lists of all come from replicate.registered",
    "one way down inside an apartment": "rooms import from their own line of WORDS and those below it",
    "apartments list the same words": "rooms have the names of WORDS; modules of checks those of CHECKS",
    "functions are short": f"one idea takes at most {LONGEST} lines: name the second one",
    "no closure is a check": "a check is a function of its module, with named arguments",
    "no type is ignored": "annotate it, or say it to mypy in pyproject.toml",
}
"""What a breach of each rule asks for."""
RULES = {
    "no two places open one stream": shared_streams,
    "no import goes up": lambda modules: upward(imports(modules)),
    "no circle": lambda modules: circles(imports(modules)),
    "apartments meet in the registers": lambda modules: between_apartments(imports(modules)),
    "the library stands without the workbook": across_the_seam,
    "nobody imports by string but the top": by_string,
    "one way down inside an apartment": lambda modules: back_up(imports(modules)),
    "apartments list the same words": strange_rooms,
    "functions are short": long_functions,
    "no closure is a check": inner_checks,
    "no type is ignored": lambda modules: [m for m, text in modules.items() if "type: ignore" in text],
}
BREACHES = {
    "no two places open one stream": ("certify", "stream(0, 'twice', 1)\nstream(1, 'twice', 2)"),
    "no import goes up": ("certify", "from replicate.workbook import sweep"),
    "no circle": ("streams", "from replicate.workbook import sweep"),
    "apartments meet in the registers": ("papers.bandits.bounds", "from replicate.papers.tracking import bounds"),
    "the library stands without the workbook": ("papers.bandits.learners", "import matplotlib.pyplot"),
    "nobody imports by string but the top": (
        "certify",
        "import importlib\nimportlib.import_module('replicate.audit')",
    ),
    "one way down inside an apartment": ("papers.bandits.bounds", "from replicate.papers.bandits import claims"),
    "apartments list the same words": ("papers.bandits.helpers", ""),
    "functions are short": ("certify", "def f():\n" + "    x = 1\n" * 61),
    "no closure is a check": ("papers.bandits.checks.regret", "def f():\n    def check(): pass"),
    "no type is ignored": ("certify", "x = 1  # type: ignore"),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_the_rule(rule):
    breaches = RULES[rule](sources())
    assert not breaches, f"{REPAIRS[rule]}: {breaches}"


@pytest.mark.parametrize("rule", BREACHES)
def test_a_breach_is_seen(rule):
    room, text = BREACHES[rule]
    module = f"replicate.{room}"
    planted = {**sources(), module: f"{text}\n{sources().get(module, '')}" if "__future__" not in text else text}
    assert RULES[rule](planted) != []


def test_every_room_stands_on_a_floor():
    rooms = {module.split(".")[1] for module in sources() if module.count(".") >= 1}
    assert rooms <= set().union(*FLOORS), f"give them a floor in FLOORS: {rooms - set().union(*FLOORS)}"


def test_papers_list_their_rooms():
    """Every paper has the rooms that the workbook runs on."""
    for paper in PAPERS:
        rooms = {m.split(".")[3] for m in sources() if m.startswith(f"replicate.papers.{paper}.")}
        needed = {"algorithms", "bounds", "claims", "errata", "checks", "experiments", "figures", "instances"}
        assert needed <= rooms, f"{paper} lacks rooms: python -m replicate new paper lays out all of them"


def test_the_runner_of_notebooks_loads_nothing_that_computes():
    """It waits for the kernel: what it imports itself is paid for once more, in every notebook."""
    script = "import sys, replicate.commands.run; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.split())
    assert {"papermill", "replicate"} <= loaded
    assert not loaded & {"numba", "scipy", "pandas", "matplotlib", "lark"}


def test_questions_load_no_solvers_before_they_solve():
    """A second of imports is paid by every command; SciPy loads its parts when they are called."""
    script = "import sys, replicate.commands.ask, replicate.commands.advise, replicate.audit; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    unneeded = {f"scipy.{part}" for part in ("stats", "optimize", "signal", "linalg", "sparse")} | {"matplotlib"}
    assert not unneeded & set(done.stdout.split())


def test_tests_mirror_the_tree():
    """Every folder of the package has its folder of tests."""
    folders = {p.parent.relative_to(ROOT / "replicate") for p in (ROOT / "replicate").rglob("__init__.py")}
    top = {
        f
        for f in folders
        if len(f.parts) == 1 or (f.parts and f.parts[0] in ("papers", "studies") and len(f.parts) == 2)
    }
    untested = [str(f) for f in sorted(top) if not list((ROOT / "tests" / f).rglob("test_*.py"))]
    assert not untested, f"write tests/FOLDER/test_*.py for {', '.join(untested)}"
