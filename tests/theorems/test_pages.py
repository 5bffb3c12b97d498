"""Every page is short, stands alone, and asserts what it shows; the table of pages says what is true of them."""

import ast
import io
import os
import re
import resource
import subprocess
import sys
import tokenize

import nbformat
import pytest

from replicate import registered
from replicate.claims import register, theorems
from replicate.commands import review
from replicate.contents import CONTENTS
from tests.theorems import FOLDER, ROOT, page

FILES = sorted(path.name for path in FOLDER.glob("*.py"))
ROWS = {row.file: row for row in theorems.pages()}
MOST_LINES, MOST_IN_A_FUNCTION = 60, 25
ALLOWED = {"itertools", "math", "numpy", "scipy"}
BLANK = {
    tokenize.COMMENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.INDENT, tokenize.NEWLINE, tokenize.NL
}  # fmt: skip


def documented(node):
    """Return True for what may have a docstring and has one."""
    return isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None


def code_lines(text):
    """Return the numbers of the lines with code: no docstring, no comment, no blank line."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {n for t in tokens if t.type not in BLANK for n in range(t.start[0], t.end[0] + 1)}
    for node in filter(documented, ast.walk(ast.parse(text))):
        code -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return code


def faults(text):
    """Return what a page does that none may do."""
    tree, code = ast.parse(text), code_lines(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [node.module or "." if isinstance(node, ast.ImportFrom) else node.names[0].name for node in nodes]
    found = [f"imports {name}" for name in names if name.partition(".")[0] not in ALLOWED]
    found += ["too long"] * (len(code) > MOST_LINES)
    for node in functions:
        size = len(code & set(range(node.lineno, node.end_lineno + 1)))
        found += [f"{node.name} too long"] * (size > MOST_IN_A_FUNCTION)
        found += [f"{node.name} without docstring"] * (not documented(node))
    main = next((node for node in functions if node.name == "main"), None)
    found += ["no docstring"] * (not documented(tree)) + ["no main"] * (main is None)
    if main is not None:
        asserts = any(isinstance(node, ast.Assert) for node in ast.walk(tree))
        found += ["main needs arguments"] * (len(main.args.args) > len(main.args.defaults))
        found += ["asserts nothing"] * (not asserts)
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_page_is_short_and_stands_alone(name):
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert faults(text) == []
    assert ROWS[name].lines == len(code_lines(text))


GOOD = '"""A."""\n\nimport numpy as np\n\n\ndef main(n=1):\n    """B."""\n    assert n\n'
BAD = {
    GOOD.replace("numpy as np", "replicate"): ["imports replicate"],
    GOOD.replace("import numpy as np", "from . import numpy"): ["imports ."],
    GOOD + "\n".join(f"x{i} = {i}" for i in range(60)) + "\n": ["too long"],
    GOOD + "    # comment\n" + "    n += 1\n" * 25: ["main too long"],
    GOOD.replace('    """B."""\n', ""): ["main without docstring"],
    GOOD.replace('"""A."""\n', ""): ["no docstring"],
    GOOD.replace("n=1", "n"): ["main needs arguments"],
    GOOD.replace("assert n", "print(n)"): ["asserts nothing"],
    GOOD.replace("main", "run"): ["no main"],
}


def test_every_fault_is_seen():
    assert faults(GOOD) == []
    assert {text: faults(text) for text in BAD} == BAD


def test_the_table_has_every_page_and_claims_of_the_register_once():
    assert FILES
    assert sorted(ROWS) == FILES
    claims = [name for row in ROWS.values() for name in row.claims]
    assert len(set(claims)) == len(claims)
    assert set(claims) <= set(register())
    assert sum(row.seconds for row in ROWS.values()) <= 60
    assert max(row.seconds for row in ROWS.values()) <= 10


def test_every_theorem_of_ours_has_a_page():
    assert {f"theorem_{theorem.key.replace('-', '_')}.py" for theorem in registered("theorems")} <= set(FILES)


@pytest.mark.long
@pytest.mark.parametrize("name", FILES)
def test_a_page_runs_alone_and_shows_what_it_asserts(name, tmp_path):
    """In a folder of its own, isolated, with every warning an error; its time is that of the table, roughly."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-I", "-W", "error", str(FOLDER / name)]
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | threads, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) >= 3
    assert not any(tmp_path.iterdir())
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent <= 5 * ROWS[name].seconds


BROKEN = {
    "nl_t4": ("privacy_loss", lambda value: 2 * value),
    "ps_t1b": ("bounds", lambda value: (value[0] / 1000, value[1])),
    "ba_t1": ("game", lambda value: (value[0] * 1.01, value[1])),
    "theorem_signed_tree": ("bound", lambda value: value + 1),
    "ps_w": ("F", lambda value: 1.2 * value),
    "sy_trap": ("behind", lambda value: 0.5),
}
"""A function of some pages, and what it is made to return."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_page_with_a_mistake_says_so(name, monkeypatch, capsys):
    module, (function, change) = page(name), BROKEN[name]
    right = getattr(module, function)
    monkeypatch.setattr(module, function, lambda *args, **options: change(right(*args, **options)))
    with pytest.raises(AssertionError):
        module.main()


PAPER_PAGES = sorted((ROOT / "reports" / "papers").glob("*.md"))
NOTEBOOKS = {row.name: ROOT / "notebooks" / f"{row.notebook}.ipynb" for row in CONTENTS}


def linked(text):
    """Return the pages that a text links, as files."""
    return set(re.findall(r"\]\([./]*examples/theorems/(\w+\.py)\)", text))


def of(paper):
    """Return the files of a paper's pages."""
    return {row.file for row in ROWS.values() if row.paper == paper}


@pytest.mark.parametrize("paper", NOTEBOOKS)
def test_a_notebook_opens_with_the_pages_of_its_paper(paper):
    first = nbformat.read(NOTEBOOKS[paper], as_version=4).cells[0].source
    assert linked(first) == of(paper)
    assert first.count("../examples/theorems/") == len(of(paper))


@pytest.mark.parametrize("path", PAPER_PAGES, ids=lambda path: path.stem)
def test_the_page_of_a_paper_links_its_pages(path):
    assert of(path.stem)
    assert linked(path.read_text(encoding="utf-8")) == of(path.stem)


def test_claims_of_the_review_name_their_pages():
    shown = {page.file for name in review.headlines() if (page := theorems.page_of(name)) is not None}
    assert len(shown) >= 7
    assert linked((ROOT / "REVIEW.md").read_text(encoding="utf-8")) == shown


def test_a_claim_without_a_page_has_none():
    assert theorems.page_of("PS-H") is None
