"""Numbers of documents that nobody generates stand in the records of what their paragraphs name.

A number is a decimal, or of three digits and more; places of a paper ("Theorem 3.1") and identifiers are none. It
must be one of a record, or of a theorem, that its paragraph names, rounded as it is said, or of any record of the
paper that the document is about.
"""

import bisect
import csv
import functools
import json
import re

import nbformat
import pytest

from replicate import contents, registered
from replicate.files import project_root

ROOT = project_root()
NUMBER = re.compile(r"(?<![\w.,/:#^-])(?:\d+\.\d+|\d{1,3}(?:,\d{3})+|(?!19|20)\d{3,})(?!\w|[.,]\d)")
GENERATED = re.compile(
    r"<!-- (\w+):begin -->.*?<!-- \1:end -->|```.*?```|`[^`]*`|\]\([^)]*\)|<[^>]*>"
    r"|\d{4}\.\d{5}|PMLR \d+|\d+, \d+-\d+",
    re.DOTALL,
)
PLACES = re.compile(
    r"(?:Theorem|Lemma|Corollar\w+|Section|Proposition|Definition|Algorithm|Python|Appendix|Equation)s?\s+"
    r"(?:\w?\d+(?:\.\d+)*(?:,? and |, | to |–))*\w?\d+(?:\.\d+)*|refers to \(5\.4\)"
)
ID, QUOTED = re.compile(r"\b[A-Z]{2}-[A-Z]+[\w-]*"), re.compile(r"theorems? “([a-z-]+)”")
PAGES = ["README.md", *(f"reports/{name}.md" for name in ("faq", "glossary", "since")),
         *(p.relative_to(ROOT).as_posix() for folder in ("letters", "papers", "replications")
           for p in sorted((ROOT / "reports" / folder).glob("*.md")))]  # fmt: skip
TABLES = {"reports/letters/libraries.md": "reports/libraries.csv", "README.md": "figures/synopsis/decisions.csv"}
"""Tables that documents rest on, beside the records."""
ELSEWHERE = {
    "README.md": {"16,384": "the length of the races of the decision table, which is told above it"},
    "reports/letters/distribution_learning.md": {"2.3": "one over the share 0.43 of the bound in DL-T5"},
    "reports/letters/libraries.md": {
        "104": "an issue",
        "105": "an issue",
        "1.25": "the Gaussian theorem's constant",
    },
    "reports/letters/noisy_leader.md": {"0.415": "by hand beside NL-T3a, and in Coq", "5.44": "2 e"},
    "reports/papers/bandits.md": {"0.97": "by hand: a coin's part of two weights, beside BA-SLIP-3"},
    "reports/replications/prefix_softmax.md": {"160": "800 times the share 0.1999 that PS-T1 refutes"},
    "reports/since.md": {"16.1": "the constant of the theorem that its sentence links"},
    "bandits": {"5,000": "the most batches that a page plays"},
    "distribution_learning": {"2,500": "the most users that a page plays"},
    "price_of_privacy": {"500": "in round numbers, the games of its table"},
    "audit_bench": {"10.002": "the loss in print of another audit's table"},
}
"""Numbers that no record has, and where they come from."""


def numbers(value):
    """Every number in a record or a row, those in its texts among them."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        yield abs(float(value))
    elif isinstance(value, str):
        for said in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?", value.replace("{,}", ",")):
            yield float(said.replace(",", ""))
    else:
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)


@functools.cache
def known():
    """Sorted numbers of every record, by its id."""
    records = [r for kind in ("claims", "errata") for path in ROOT.glob(f"figures/*/{kind}.json")
               for r in json.loads(path.read_text(encoding="utf-8"))]  # fmt: skip
    return {record["id"]: sorted(numbers(record)) for record in records}


@functools.cache
def tabulated(path):
    with (ROOT / path).open(encoding="utf-8", newline="") as file:
        return sorted(numbers(list(csv.reader(file))))


def among(said, values):
    """Return True if a number rounds to what is said: 1,120 stands for 1,115 to 1,125."""
    digits, decimals = said.replace(",", ""), len(said.partition(".")[2])
    number, half = float(digits), 0.5 * 10.0 ** (-decimals or len(digits) - len(digits.rstrip("0")))
    place = bisect.bisect_left(values, number - half * (1 + 1e-9))
    return place < len(values) and values[place] <= number + half * (1 + 1e-9)


def paragraphs(text):
    """Paragraphs and items of lists: text without what is generated, code, addresses and places of a paper."""
    text = PLACES.sub("", GENERATED.sub("", text.replace("{,}", ",")))
    return re.split(r"\n\s*\n|\n(?=[-*|] )", text)


@functools.cache
def proved():
    """Sorted numbers of every theorem's statement, proof and range, by its key."""
    return {theorem.key: sorted(numbers(vars(theorem))) for theorem in registered("theorems")}


def of_paper(paper):
    return [values for name, values in known().items() if contents.PREFIXES[name[:2]] == paper]


def said(text, tables=(), paper=""):
    """Every number of a text, and where it may stand: lists of numbers."""
    for paragraph in paragraphs(text):
        named = [known()[name] for name in ID.findall(paragraph) if name in known()]
        named += [proved()[key] for key in QUOTED.findall(paragraph)]
        for number in NUMBER.findall(paragraph):
            yield number, [*named, *of_paper(paper), *tables]


def strange(*words):
    return [number for number, places in said(*words) if not any(among(number, part) for part in places)]


def page(name):
    """A page's text, the tables that it rests on, and its paper."""
    tables = [tabulated(TABLES[name])] if name in TABLES else []
    return (ROOT / name).read_text(encoding="utf-8"), tables, name.rpartition("/")[2].removesuffix(".md")


@pytest.mark.parametrize("name", PAGES)
def test_numbers_of_a_page_stand_in_the_records_that_it_names(name):
    lost = [number for number in strange(*page(name)) if number not in ELSEWHERE.get(name, {})]
    assert not lost, f"{name} says {', '.join(lost)}: name the claim that has it, or say in ELSEWHERE where it is"


def prose(paper):
    """Texts of a notebook, cell by cell."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{contents.PAPERS[paper]}.ipynb", as_version=4)
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return [
        text.partition("**Exercise.**")[0] for text in texts
    ]  # at settings of their own, of which no record is


@pytest.mark.parametrize("paper", contents.PAPERS)
def test_numbers_of_a_notebooks_prose_stand_in_its_records_or_in_the_data_of_its_figures(paper):
    data = [tabulated(path.relative_to(ROOT)) for path in sorted((ROOT / "figures" / paper).glob("*.csv"))]
    lost = [number for cell in prose(paper) for number in strange(cell, [*of_paper(paper), *data])]
    lost = [number for number in lost if number not in ELSEWHERE.get(paper, {})]
    assert not lost, f"notebook of {paper} says {', '.join(lost)}"


def moved(number):
    """The same number with another last digit."""
    return number[:-1] + str((int(number[-1]) + 3) % 10)


def test_a_number_that_is_wrong_in_its_last_digit_is_seen():
    """Most are: another record of the same paragraph may have the wrong one by chance."""
    found = [(number, places) for name in PAGES for number, places in said(*page(name))]
    seen = [not any(among(moved(number), part) for part in places) for number, places in found]
    print(f"{sum(seen)} of {len(seen)} numbers are noticed when their last digit is wrong")
    assert sum(seen) >= 0.75 * len(seen) > 30


def test_numbers_of_a_text_by_hand():
    text = (
        "By Theorem 3.1 and Lemmas 2.4 and 2.5 it is 0.25 (`1.5`, [a](x/7.5)), not 1,024 in 2502.10997.\n\n- 7.25"
    )
    assert [number for number, _ in said(text)] == ["0.25", "1,024", "7.25"]
    assert sorted(numbers({"a": [1, "two 2.5 and 1{,}000", None, True], "b": "3e-2"})) == [0.03, 1, 2.5, 1000]
    assert (among("0.25", [0.2549]), among("0.25", [0.256])) == (True, False)
    assert (among("1,120", [1124.0]), among("1,121", [1124.0])) == (True, False)
