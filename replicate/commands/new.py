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

from replicate.contents import CONTENTS, OWN, Row, Text
from replicate.files import project_root, write

_TEMPLATES = Path(__file__).with_name("paper")


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
    written = [str(path.relative_to(root)) for path in _lay_out(root, row)]
    for name, after, lines in _lines(row, text):
        _add(root / name, after, lines)
        written.append(name)
    print("\n".join(dict.fromkeys(written)))
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


def _lay_out(root: Path, row: Row) -> list[Path]:
    """Write the modules of the paper, a test and the notebook from their templates."""
    home, tests = root / "replicate" / "papers" / row.name, root / "tests" / "papers" / row.name
    places = {
        "checks.py": home / "checks" / "regret.py",
        "test_theorem.py": tests / "test_theorem.py",
        "notebook.ipynb": root / "notebooks" / f"{row.notebook}.ipynb",
    }
    files = {home / "checks" / "__init__.py": '"""Checks of the claims."""\n', tests / "__init__.py": ""}
    for template in sorted(_TEMPLATES.glob("*.txt")):
        name = template.name.removesuffix(".txt")
        text = string.Template(template.read_text(encoding="utf-8"))
        files[places.get(name, home / name)] = text.substitute(row._asdict(), number=int(row.notebook[:2]))
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return [*files]


def _lines(row: Row, text: Text) -> list[tuple[str, str, str]]:
    """Return what other files say of the paper: the file, what stands after it there, and the lines."""
    fields = "".join(f"        {name}={_quoted(value)},\n" for name, value in vars(text).items() if value)
    cited = (
        f"  - type: article\n    title: {_quoted(text.title)}\n"
        f"    authors:\n      - {{name: {_quoted(text.authors)}}}\n"
        f"    year: {text.year}\n    notes: {_quoted(text.version)}\n"
    )
    table, last = "replicate/contents.py", '\n   ]\n  },\n  "number": {'
    return [
        (table, ")  # fmt: skip\n", f"    Row({', '.join(map(_quoted, row))}),\n"),
        (table, '}\n"""The text of each paper."""\n', f'    "{row.name}": Text(\n{fields}    ),\n'),
        ("tests/test_listings.py", "    )\n)", f'        ("{row.name}", 0, "", "Learner", ""),\n'),  # no listing
        ("replicate/claims/schema.json", last, f',\n    "{row.name}"'),
        ("CITATION.cff", "", cited),
    ]


def _add(path: Path, after: str, lines: str) -> None:
    """Add lines to a file before the last place of what stands after them there; before its end if that is empty.

    Raises
    ------
    ValueError
        If it does not stand there: nothing may be left out in silence.
    """
    source = path.read_text(encoding="utf-8")
    place = source.rfind(after)
    if place < 0:
        raise ValueError(
            f"{path} must have the line {after.strip().splitlines()[0]!r}, before which a row is added"
        )
    write(path, source[:place] + lines + source[place:])


def _quoted(value: str | int) -> str:
    """Return the literal of a text or a number, as the formatter writes it."""
    return json.dumps(value, ensure_ascii=False)
