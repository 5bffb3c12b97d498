"""The house keeps its plan: floors, apartments, one way down, short functions. Every rule is shown a breach."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = (
    {"validation", "streams", "files", "contents", "compiled", "budget", "executors", "profiles"},
    {"mechanisms", "environments", "certify", "proofs"},
    {"learners", "claims"},
    {"audit", "workbook"},
    {"papers"},
    {"audit_bench"},
    {"advice"},
    {"synopsis"},
    {"commands"},
    {"__main__"},
)
"""From the ground. A module imports from its own floor and those below it."""
WORDS = (
    {"claims", "errata", "learners"},
    {"checks", "figures"},
    {"experiments"},
    {"instances"},
    {"lemmas", "proofs"},
    {"privacy"},
    {"algorithms"},
    {"bounds"},
)
"""The rooms of an apartment, from the top; a room imports from its own line and those below it."""
CHECKS = {"regret", "lemmas", "privacy", "errata", "proofs"}
LONGEST = 40
PAPERS = ("prefix_softmax", "noisy_leader", "tracking", "bandits", "distribution_learning")
APART = (*PAPERS, "price_of_privacy")
"""Apartments that import no other."""
ABOVE = ("audit_bench", "synopsis")
"""Apartments on floors of their own, which import others."""


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
    parts = module.split(".")[1:]
    room = parts[1] if parts[:1] == ["papers"] and parts[1:] and parts[1] in ABOVE else "".join(parts[:1])
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


def between_papers(edges):
    """Imports from one of these apartments into another."""
    owner = {m: m.split(".")[2] for m in edges if m.startswith("replicate.papers.")}
    owner = {m: paper for m, paper in owner.items() if paper in APART}
    return sorted(f"{a} -> {b}" for a in owner for b in edges[a] if b in owner and owner[a] != owner[b])


def line(module):
    """Line of `WORDS` on which a paper's module stands, None for the paper's package."""
    parts = module.split(".")[3:]
    return next((i for i, words in enumerate(WORDS) if parts and parts[0] in words), None)


def back_up(edges):
    """Imports inside an apartment that go up."""
    inside = {m: to for m, to in edges.items() if m.startswith("replicate.papers.")}
    pairs = ((a, b) for a, to in inside.items() for b in to if b.split(".")[:3] == a.split(".")[:3])
    return sorted(f"{a} -> {b}" for a, b in pairs if None not in (line(a), line(b)) and line(b) < line(a))


def strange_rooms(modules):
    """Modules of apartments that have another name than the plan has."""
    strange = []
    for module in modules:
        parts = module.split(".")
        if parts[:2] != ["replicate", "papers"] or len(parts) < 4:
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


RULES = {
    "no import goes up": lambda modules: upward(imports(modules)),
    "no circle": lambda modules: circles(imports(modules)),
    "papers meet in the registry": lambda modules: between_papers(imports(modules)),
    "one way down inside an apartment": lambda modules: back_up(imports(modules)),
    "apartments list the same words": strange_rooms,
    "functions are short": long_functions,
    "no closure is a check": inner_checks,
    "no type is ignored": lambda modules: [m for m, text in modules.items() if "type: ignore" in text],
}
BREACHES = {
    "no import goes up": ("certify", "from replicate.workbook import sweep"),
    "no circle": ("streams", "from replicate.workbook import sweep"),
    "papers meet in the registry": ("papers.bandits.bounds", "from replicate.papers.tracking import bounds"),
    "one way down inside an apartment": ("papers.bandits.bounds", "from replicate.papers.bandits import claims"),
    "apartments list the same words": ("papers.bandits.helpers", ""),
    "functions are short": ("certify", "def f():\n" + "    x = 1\n" * 41),
    "no closure is a check": ("papers.bandits.checks.regret", "def f():\n    def check(): pass"),
    "no type is ignored": ("certify", "x = 1  # type: ignore"),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps_the_rule(rule):
    assert RULES[rule](sources()) == []


@pytest.mark.parametrize("rule", BREACHES)
def test_a_breach_is_seen(rule):
    room, text = BREACHES[rule]
    module = f"replicate.{room}"
    planted = {**sources(), module: f"{text}\n{sources().get(module, '')}" if "__future__" not in text else text}
    assert RULES[rule](planted) != []


def test_every_room_stands_on_a_floor_and_the_top_is_small():
    rooms = {module.split(".")[1] for module in sources() if module.count(".") >= 1}
    assert rooms <= set().union(*FLOORS)
    assert len(rooms) <= 20


def test_papers_list_their_rooms():
    """Every paper has the rooms that the workbook runs on."""
    for paper in PAPERS:
        rooms = {m.split(".")[3] for m in sources() if m.startswith(f"replicate.papers.{paper}.")}
        assert {
            "algorithms",
            "bounds",
            "claims",
            "errata",
            "checks",
            "experiments",
            "figures",
            "instances",
        } <= rooms


LEAVES = (
    "replicate",
    "replicate.learners",
    "replicate.claims",
    "replicate.workbook.figures",
    "replicate.papers.tracking",
)
LOADING = """
import importlib, os, sys
import numba, pandas, scipy.optimize, scipy.stats
for leaf in sys.argv[1:]:
    if os.fork() == 0:
        importlib.import_module(leaf)
        print(leaf, *sorted(m for m in sys.modules if m.startswith("replicate.papers.")), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""
"""Import each module in a process of its own, which has imported nothing else of the package."""


def test_a_leaf_does_not_load_the_papers():
    script = [sys.executable, "-c", LOADING, *LEAVES]
    done = subprocess.run(script, capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {
        leaf: {m.split(".")[2] for m in modules} for leaf, *modules in map(str.split, done.stdout.splitlines())
    }
    assert set(loaded) == set(LEAVES)
    assert loaded.pop("replicate.papers.tracking") == {"tracking"}
    assert not set().union(*loaded.values())


def test_the_runner_of_notebooks_loads_nothing_that_computes():
    """It waits for the kernel: what it imports itself is paid for once more, in every notebook."""
    script = "import sys, replicate.commands.run; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = set(done.stdout.split())
    assert {"papermill", "replicate"} <= loaded
    assert not loaded & {"numba", "scipy", "pandas", "matplotlib", "lark"}


def test_tests_mirror_the_tree():
    """Every folder of the package has its folder of tests."""
    folders = {p.parent.relative_to(ROOT / "replicate") for p in (ROOT / "replicate").rglob("__init__.py")}
    top = {f for f in folders if f.parts and (len(f.parts) == 1 or (f.parts[0] == "papers" and len(f.parts) == 2))}
    assert [str(f) for f in sorted(top) if not list((ROOT / "tests" / f).rglob("test_*.py"))] == []
