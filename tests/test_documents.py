"""Code in the documents runs as it stands, and prints what they say."""

import contextlib
import io
import json
import re
import tokenize
from importlib.util import find_spec
from pathlib import Path

import pytest

from replicate.claims.markdown import published

ROOT = Path(__file__).parent.parent


def blocks(text):
    """Blocks of Python, each with the text that the document shows under it, None where it shows nothing."""
    found = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", text, flags=re.DOTALL)
    return [(code, shown or None) for code, shown in found]


def run(text):
    """Run a document's blocks, one after the other; return those that print something else."""
    namespace, wrong = {}, []
    for code, shown in blocks(text):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        if shown is not None and printed.getvalue() != shown:
            wrong.append((code, printed.getvalue()))
    return wrong


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "examples/tutorial.md"])
def test_code_of_a_document_runs(name):
    assert blocks(read(name))
    assert run(read(name)) == []


def test_another_output_and_a_mistake_are_seen():
    assert run("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n") == [("print(1 + 1)\n", "2\n")]
    with pytest.raises(NameError):
        run("```python\nlearner.act()\n```\n")


def missing(text):
    """Commands, targets and modules that a text names and that are not there."""
    from replicate.__main__ import COMMANDS

    targets = re.findall(r"^([a-z-]+):.*##", read("Makefile"), flags=re.MULTILINE)
    commands = {*re.findall(r"python -m replicate (\w+)", text)} - {*COMMANDS}
    modules = re.findall(r"python -m ((?:replicate|tests)\.[\w.]*\w)", text)
    made = {*re.findall(r"`make ([a-z-]+)[ `]", text)} - {*targets}
    return sorted(commands | made | {name for name in modules if find_spec(name) is None})


def test_commands_of_the_documents_exist():
    """In the changelog, which tells of what is gone, too."""
    pages = [*PAGES, ROOT / "CHANGELOG.md"]
    assert {path.name: found for path in pages if (found := missing(path.read_text(encoding="utf-8")))} == {}
    assert missing("`make nothing`, `make test`, python -m replicate fly, python -m tests.absent.") == [
        "fly", "nothing", "tests.absent",
    ]  # fmt: skip


PRIVATE_WORDS = (
    r"\b(?:apartments?|convict\w*|whoever|registers?|alike|own loss only|only the own loss|belongs into)\b|"
    r"\b(?:held|hold) against\b|\b(?:of one law|a law that|slips? of the pen|stands wherever|who ships)\b|"
    r"\b(?:the dear|some (?:ten|hundred|thousand))\b|"
    r"\b(?:a|one) (?:bar|bit|cell|column|curve|entry|file|line|mark|number|page|person|point|row|table|test|user)"
    r" an? \w+|± 0(?:\.0)?(?![.\d])|\d %|\biid losses\b|\blosses (?:that )?are iid\b"
)
"""Words of this project that no reader knows, fragments of sentences, and a half width that is none."""
PAGES = [
    path for pattern in ("*.md", "examples/**/*.md", "reports/**/*.md", "figures/*.md", "notebooks/*.ipynb")
    for path in ROOT.glob(pattern) if path.name not in ("CHANGELOG.md", "mutants.md")
]  # fmt: skip


GENERATED = {
    *("claims", "errata", "theorems", "verdicts", "proofs"),
    *("audit_bench", "benchmarks", "challenge", "limits", "seeds"),
}
"""Pages that commands write from records, which follow their sources at the next full run."""
FOREIGN_WORDS = (
    r"(?<![-`])\btwins?\b|\blosses that react\b|\breacting losses\b|\blosses react\b|\bown loss\b|"
    r"\b(?:joint|printed|true|uniform) laws?\b|\bstands? in the first part\b"
)
"""Words for which the field has others; most other pages are made of the package's texts."""


def prose(path):
    """Return a page's text without its code; of a notebook what it says in Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        said = [one["source"] for one in json.loads(text)["cells"] if one["cell_type"] == "markdown"]
        text = "\n\n".join("".join(source) for source in said)
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def private_words(text):
    """Return the words of a page that its reader does not know; a line's end is a space."""
    return re.findall(PRIVATE_WORDS, re.sub(r"(?<!\n)\n(?!\n)", " ", text), flags=re.IGNORECASE)


def test_pages_use_the_words_of_the_field():
    assert {path.name: found for path in PAGES if (found := private_words(prose(path)))} == {}
    assert private_words("A row a round; whoever is convicted has 7 ± 0.") == [
        "A row a round",
        "whoever",
        "convicted",
    ]
    assert private_words(
        "The file has one curve a\nlearner, at 99 %, 3 ± 0.0; losses are iid, in the register."
    ) == [
        "one curve a learner",
        "9 %",
        "± 0.0",
        "losses are iid",
        "register",
    ]
    assert private_words("Some hundred runs have a bit a user; the dear part is for who ships it.") == [
        "Some hundred",
        "a bit a user",
        "the dear",
        "who ships",
    ]
    assert private_words("3 ± 0.04 at 99%; one number; registry.learner; at a time a row is read") == []


def test_written_pages_use_the_fields_word_where_there_is_one():
    written = [path for path in PAGES if path.stem not in GENERATED and path.parent.name != "figures"]
    assert {path.name: found for path in written if (found := foreign_words(prose(path)))} == {}
    text = "If losses react, a twin of the joint law stands in the first part; a power law, AU-TWIN"
    assert foreign_words(text) == ["losses react", "twin", "joint law", "stands in the first part"]


def foreign_words(text):
    """Return the words of a text that the field does not use for what is meant."""
    return re.findall(FOREIGN_WORDS, re.sub(r"(?<!\n)\n(?!\n)", " ", text), flags=re.IGNORECASE)


SPOKEN = sorted([*(ROOT / "replicate").rglob("*.py"), *(ROOT / "examples").rglob("*.py")])
"""Sources whose comments, docstrings, messages, helps, claims and labels somebody reads."""
PIECES = (tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))
ORDINARY = {"alike", "law", "laws", "± 0"}
"""Words that a source may say: of equal things, of a short name in code, and in a pattern."""


def spoken(text):
    """Return what a source says in words: its comments and its strings of more than one word, without code."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    said = (token.string for token in tokens if token.type in PIECES and " " in token.string)
    return "\n\n".join(
        re.sub(r"\n[ ]*(?=\S)", "\n", re.sub(r"`[^`\n]*`|^#|\b[rf]*\"\"\"", "", one)) for one in said
    )


def house_words(text):
    """Return the words of a source that its reader does not know."""

    def strange(text):
        return [word for word in (*private_words(text), *foreign_words(text)) if word.lower() not in ORDINARY]

    # what no line of the source has, code among them, need not be looked for in its words
    return strange(spoken(text)) if strange(re.sub(r"\s+", " ", text)) else []


def cells_of_code(path):
    """Return the code of a notebook's cells, in one text."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def test_code_of_the_notebooks_speaks_the_words_of_the_field():
    """Comments beside the settings, and what cells print."""
    books = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert {path.name: found for path in books if (found := house_words(cells_of_code(path)))} == {}


def test_the_package_speaks_the_words_of_the_field():
    """Docstrings, comments, errors, helps, labels of figures, claims and errata, from which pages are made."""
    wrong = {str(path.relative_to(ROOT)): house_words(path.read_text(encoding="utf-8")) for path in SPOKEN}
    assert {name: found for name, found in wrong.items() if found} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Return one row a round."""', ["one row a round"]),
        ('raise ValueError("losses that react need whoever plays")', ["whoever", "losses that react"]),
        ('parser.add_argument("--x", help="where losses react")', ["losses react"]),
        ('axes.set_ylabel("regret of the twin")', ["twin"]),
        ('statement=r"For losses of any joint law the regret is 7 ± 0.0"', ["± 0.0", "joint law"]),
        ("# what the register\nx = 1", ["register"]),
        ('f"{n} iid losses, in {share} % of games"', ["iid losses"]),
        ('"""Equal ones alike."""\ntwin = "law"\n"`register` of claims"', []),
    ],
)
def test_a_house_word_is_seen_in_a_source(source, found):
    assert house_words(source) == found


def test_a_repository_page_shows_every_formula_whole():
    r"""It strips the backslash of ``\,`` and ``\{`` within dollar signs."""
    texts = {path: path.read_text(encoding="utf-8") for path in PAGES if path.suffix == ".md"}
    assert [path.name for path, text in texts.items() if published(text) != text] == []
    assert published(r"$a\,b$, `$a\,b$`") == r"$a\thinspace b$, `$a\,b$`"


PLAIN = {
    "glossary", "audit", "audit_in_ci", "audit_bench", "benchmarks", "challenge", "libraries", "limits", "planted",
    "power", "seeds",
}  # fmt: skip
"""Pages that define their own words, beside the glossary itself."""


def test_every_page_leads_to_the_glossary():
    lost = [
        path
        for path in PAGES
        if path.stem not in PLAIN and not re.search(r"\(\S*glossary\.md", path.read_text(encoding="utf-8"))
    ]
    assert lost == []
