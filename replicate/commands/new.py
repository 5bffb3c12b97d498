"""Lay out a new paper: ``python -m replicate new paper my_paper --prefix MP --title "Its heading" ...``.

It writes a package with one learner, one bound, one claim and its control, a notebook, a test, the rows of the
contents (the paper, the text that was read), its algorithm among the listings, the reference in ``CITATION.cff``,
and the name among the papers of the records' schema. All of it runs as it is; the paper's own learner and theorem
replace what stands there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import keyword
import re
import string
from pathlib import Path
from typing import Any

import nbformat

from replicate.contents import CONTENTS, OWN, Row, Text
from replicate.files import project_root, write

_TEMPLATES = Path(__file__).with_name("paper")
_PLACES = {"checks.py": "checks/regret.py"}
"""Where a template goes in the package, if not under its own name."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("kind", choices=["paper"], metavar="paper", help="what to create: the word paper")
    add("name", help="name of the package, a Python name such as my_paper")
    add("--title", required=True, help="heading of the notebook")
    add("--authors", required=True, help='family names, such as "Wu & Wang"')
    add("--year", type=int, required=True, help="year in which the paper appeared")
    add("--paper", metavar="TITLE", help="title of the paper, if it is not --title")
    add("--version", required=True, help='version that was read, such as "arXiv 2502.10997, version 1"')
    add("--text", type=Path, required=True, help="file with the text that was read; its SHA-256 is kept")
    add("--prefix", required=True, help="two capital letters with which the ids of the claims begin")


def main(options: argparse.Namespace) -> int:
    """Write the files, and say what to do next."""
    number = 1 + max(int(row.notebook[:2]) for row in CONTENTS)
    row = Row("papers", options.name, options.prefix, f"{number:02}_{options.name}", options.title)
    text = Text(
        authors=options.authors, year=options.year, title=options.paper or options.title, version=options.version,
        sha256=hashlib.sha256(options.text.read_bytes()).hexdigest(),
    )  # fmt: skip
    root = project_root()
    _refuse(row, text, root)
    written = [*_package(root, row), _notebook(root, row), _contents(root, row, text), _schema(root, row)]
    written += [_citation(root, text), _listings(root, row)]
    print("\n".join(str(path.relative_to(root)) for path in written))
    print(
        f"\nNow run\n"
        f"  .venv/bin/python -m replicate claims {row.prefix}-T1   # checks the example's claim and its control\n"
        f"  .venv/bin/python -m tests.claims.pinned --only {row.prefix}-T1   # pins its quick numbers\n"
        f"  .venv/bin/python -m replicate run notebooks/{row.notebook}.ipynb   # executes the notebook\n"
        "  make readme   # adds the paper to the tables of README.md and of the reports\n"
        "Then replace the example by the paper's own learner, theorem, claim and tests (in tests/papers),\n"
        f"list the numbered items in replicate/papers/items.toml, write reports/papers/{row.name}.md, and run\n"
        "  make test && make all   # make all writes the records"
    )
    return 0


_PUNCTUATION = " .,:;?!'’()&+/–-"
"""What a title may hold besides letters and digits: nothing that Python, Markdown or a terminal reads as code."""


def _refuse(row: Row, text: Text, root: Path) -> None:
    """Refuse a name or a prefix that cannot be one, or is taken, and words that a file would read as code."""
    taken = {OWN, *(other.name for other in CONTENTS)}
    if not re.fullmatch(r"[a-z][a-z0-9_]*", row.name) or row.name in taken or keyword.iskeyword(row.name):
        raise ValueError(
            f"name must be a new one of small letters, digits and underscores, no Python keyword, got {row.name!r}"
        )
    for place in (root / "replicate" / "papers" / row.name, root / "tests" / "papers" / row.name):
        if place.exists() or place.with_suffix(".py").exists():
            raise ValueError(f"name must be a new one, and {place.relative_to(root)} is there, got {row.name!r}")
    if not re.fullmatch(r"[A-Z]{2}", row.prefix) or row.prefix in {other.prefix for other in CONTENTS}:
        raise ValueError(f"--prefix must be two capital letters that no other paper has, got {row.prefix!r}")
    said = {"title": row.title, "authors": text.authors, "paper": text.title, "version": text.version}
    for name, words in said.items():
        if words != words.strip() or not 0 < len(words) <= 70 * (1 + (name == "paper")):
            raise ValueError(f"--{name} must be words on one line, at most 70 letters, got {words!r:.200}")
        if odd := {letter for letter in words if not (letter.isalnum() or letter in _PUNCTUATION)}:
            raise ValueError(f"--{name} must be words with punctuation {_PUNCTUATION.strip()}, got {min(odd)!r}")
    if not 1900 <= text.year <= 2100:
        raise ValueError(f"--year must be one from 1900 to 2100, got {text.year}")


def _package(root: Path, row: Row) -> list[Path]:
    """Write the modules of the paper and a test from their templates."""
    home, tests = root / "replicate" / "papers" / row.name, root / "tests" / "papers" / row.name
    files = {home / "checks" / "__init__.py": '"""Checks of the claims."""\n', tests / "__init__.py": ""}
    for template in sorted(_TEMPLATES.glob("*.py.txt")):
        name = template.name.removesuffix(".txt")
        place = tests / name if name.startswith("test_") else home / _PLACES.get(name, name)
        text = string.Template(template.read_text(encoding="utf-8"))
        files[place] = text.substitute(name=row.name, prefix=row.prefix, title=row.title)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return [*files]


def _notebook(root: Path, row: Row) -> Path:
    """Write the notebook: a door, with question, parameters, claim, figure and answer; then the record."""
    cells = [
        ("markdown", f"# {int(row.notebook[:2])}. {row.title}\n\n**The question.** {_QUESTION}"),
        ("parameters", _PARAMETERS.format(name=row.name)),
        ("code", _IMPORTS.format(name=row.name)),
        ("markdown", f'<a id="{row.prefix}-T1"></a>\n## Theorem 1\n\nWhat it says, and why.'),
        ("code", f'notebook.verify("{row.prefix}-T1")'),
        ("code", _FIGURE),
        ("markdown", _ANSWER),
        ("record", "## The record"),
        ("fold", "notebook.finish()"),
    ]
    beside = sorted((root / "notebooks").glob("[0-9]*.ipynb"))
    metadata = json.loads(beside[0].read_text(encoding="utf-8"))["metadata"] if beside else {}
    listed = [_cell(f"{row.name}-{i:02}", kind, source) for i, (kind, source) in enumerate(cells)]
    path = root / "notebooks" / f"{row.notebook}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=listed, metadata=metadata), path)
    return path


_QUESTION = """\
What does the paper ask?

The [glossary](../reports/glossary.md) defines the words."""
_PARAMETERS = """\
PROFILE = "quick"  # "quick" for a look, "full" for the numbers we quote
SEED = 2026  # root of every random stream
OUTPUT = "build/lab"  # where figures/{name} goes"""
_IMPORTS = """\
from replicate.papers.{name} import experiments, figures
from replicate.workbook import parameters
from replicate.workbook.notebook import Notebook

globals().update(parameters.checked(globals()))  # refuses what is out of range
notebook = Notebook("{name}", profile=PROFILE, seed=SEED, output=OUTPUT)"""

_FIGURE = """\
data = experiments.regrets(PROFILE, SEED)
notebook.figure("1_regret", figures.regret(data), data)"""
_ANSWER = """\
**How to read it.** Every point is a run; the mean is what the theorem bounds.

## What to take home

What the reader does with it.

**Stop here if all you want is the answer.** What follows is the record."""
_METADATA: dict[str, dict[str, Any]] = {
    "parameters": {"tags": ["parameters"]},
    "record": {"tags": ["record"]},
    "fold": {
        "collapsed": True,
        "jupyter": {"outputs_hidden": True, "source_hidden": True},
        "tags": ["fold", "record"],
    },
}
"""Of cells: JupyterLab hides code and outputs of those that are folded."""


def _cell(name: str, kind: str, source: str) -> nbformat.NotebookNode:
    """Return a cell of Markdown or, if it has parameters or checks, of code."""
    new: Any = nbformat.v4.new_markdown_cell if kind in ("markdown", "record") else nbformat.v4.new_code_cell
    return new(source, id=name, metadata=_METADATA.get(kind, {}))


def _before(path: Path, source: str, end: str, added: str) -> str:
    """Return a source with something added before the end of a table.

    Raises
    ------
    ValueError
        If the table does not end so: nothing may be left out in silence.
    """
    head, found, tail = source.partition(end)
    if not found:
        raise ValueError(f"{path} must have the line {end.strip().splitlines()[0]!r}, before which a row is added")
    return f"{head}{added}{found}{tail}"


def _contents(root: Path, row: Row, text: Text) -> Path:
    """Add the paper to the table of contents, and its text to those that were read."""
    path = root / "replicate" / "contents.py"
    source = path.read_text(encoding="utf-8")
    fields = "".join(f"        {name}={_quoted(value)},\n" for name, value in vars(text).items() if value)
    for end, added in (
        (")  # fmt: skip\n", f"    Row({', '.join(map(_quoted, row))}),\n"),
        ('}\n"""The text of each paper."""\n', f'    "{row.name}": Text(\n{fields}    ),\n'),
    ):
        source = _before(path, source, end, added)
    write(path, source)
    return path


def _listings(root: Path, row: Row) -> Path:
    """Add the paper's learner to the algorithms, of which the one of this paper prints no listing."""
    path = root / "tests" / "test_listings.py"
    added = f'        ("{row.name}", 0, "", "Learner", ""),\n'
    write(path, _before(path, path.read_text(encoding="utf-8"), "    )\n)", added))
    return path


def _quoted(value: str | int) -> str:
    """Return the literal of a text or a number, as the formatter writes it."""
    return json.dumps(value, ensure_ascii=False)


def _citation(root: Path, text: Text) -> Path:
    """Add the paper to the references of the citation."""
    path = root / "CITATION.cff"
    lines = (
        "  - type: article", f"    title: {_quoted(text.title)}",
        "    authors:", f"      - {{name: {_quoted(text.authors)}}}",
        f"    year: {text.year}", f"    notes: {_quoted(text.version)}",
    )  # fmt: skip
    write(path, path.read_text(encoding="utf-8") + "\n".join(lines) + "\n")
    return path


def _schema(root: Path, row: Row) -> Path:
    """Add the name to the papers that records may be of."""
    path = root / "replicate" / "claims" / "schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["$defs"]["paper"]["enum"].append(row.name)
    write(path, json.dumps(schema, indent=1, ensure_ascii=False) + "\n")
    return path
