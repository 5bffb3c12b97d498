"""Renew what is generated from the committed results: ``python -m replicate readme [--check]``.

A page is prose with generated parts, between ``<!-- name:begin -->`` and ``<!-- name:end -->``: README.md,
REVIEW.md, the gallery ``figures/README.md``, and in ``reports`` claims, errata, verdicts, proofs, the papers'
pages, the replication reports and theorems.
"""

from __future__ import annotations

import argparse
import csv
import functools
import html
import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import replicate
from replicate import registered
from replicate.claims import graph, theorems
from replicate.claims.markdown import filled, linked, listed, published, rows, tabulated, titled
from replicate.claims.registry import GRADES, PROOFS, VERDICTS, register
from replicate.claims.words import Constant, constant_of, shown
from replicate.commands import review
from replicate.contents import PAPERS, TEXTS
from replicate.files import project_root, write

Record = Mapping[str, Any]
Records = Sequence[Record]

SHOWN = ("SY-ROW-IID", "SY-ROW-FIX")
"""Rows of the decision table that the README has; the synopsis has all of them."""
DECISIONS = {
    "losses": "if you have", "use": "use", "regret": "regret", "uniform play": "uniform play",
    "without privacy": "not private", "proved bound": "bound",
}  # fmt: skip
"""Columns of the README's table, and fields of the synopsis's."""


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the records that lie in ``<folder>/<paper>/<name>.json``, in the papers' order.

    Parameters
    ----------
    folder
        ``figures`` of the project, or of a run.
    name
        ``"claims"`` or ``"errata"``.
    """
    paths = [folder / paper / f"{name}.json" for paper in PAPERS]
    return [record for path in paths if path.exists() for record in json.loads(path.read_text(encoding="utf-8"))]


def by_paper(chosen: Records, tabulated: Callable[[Records], str]) -> str:
    """Return one table per paper, each under its paper's authors and title."""
    grouped = {paper: [record for record in chosen if record["paper"] == paper] for paper in PAPERS}
    return "".join(f"\n## {titled(paper)}\n\n{tabulated(listed)}\n" for paper, listed in grouped.items() if listed)


def _gallery(root: Path) -> str:
    """Contents, and every committed figure with its notebook's words on how to read it, under its paper's name."""
    figures, contents, parts = root / "figures", [], []
    for paper, notebook in PAPERS.items():
        pictures = sorted((figures / paper).glob("*.png"))
        if pictures:
            contents.append(f"- [{paper}](#{paper}): {len(pictures)} figures")
            parts.append(f'## <a id="{paper}"></a>[{paper}](../reports/notebooks/{notebook}.ipynb)\n')
        captions = _captions(root / "notebooks" / f"{notebook}.ipynb")
        parts += [_picture(path.relative_to(figures), figures, captions.get(path.stem, "")) for path in pictures]
    return "\n".join([*contents, "", *parts])


def _captions(notebook: Path) -> dict[str, str]:
    """Return how to read each figure, by its name: the text after the cell that draws it."""
    captions: dict[str, str] = {}
    waiting: list[str] = []
    for one in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if notebook.exists() else []:
        source = "".join(one["source"])
        if one["cell_type"] == "code":
            waiting += re.findall(r'notebook\.figure\(\s*"(\w+)"', source)
        elif said := re.findall(r"\*\*How to read[^*]*\*\* (.*?)(?:\n\n|$)", source, flags=re.DOTALL):
            captions |= zip(waiting, said, strict=False)
            waiting = []
    return captions


def _picture(path: Path, figures: Path, caption: str) -> str:
    """One figure: its finding, the picture, how to read it, and its files; a listener hears what is plotted."""
    text = json.loads((figures / path.with_suffix(".json")).read_text(encoding="utf-8"))["description"]
    finding, _, labels = text.partition(". ")
    axes = re.findall(r"[^:;.]+ against [^:;.]+", labels) or [labels.partition(":")[0]]
    words = html.escape(f"{finding}. Plotted: {'; '.join(dict.fromkeys(map(str.strip, axes)))}.")
    kinds = (("data", ".csv"), ("provenance", ".json"))
    links = " · ".join(f"[{name}]({path.with_suffix(suffix).as_posix()})" for name, suffix in kinds)
    picture = f'<img src="{path.as_posix()}" width="720" alt="{words}">'
    return "\n\n".join(filter(None, [f"### {finding}", picture, caption, links])) + "\n"


def _decisions(path: Path) -> str:
    """Which learner for what, from the synopsis's table: two of its rows, ids linked."""
    with path.open(encoding="utf-8", newline="") as file:
        chosen = [row for row in csv.DictReader(file) if row["evidence"] in SHOWN]
    named = [row | {"use": f"{row['use']} `{row['in code']}` ({row['evidence']})"} for row in chosen]
    spare = r", holds here| \(T = .*\)| ± 0$"
    lines = [{head: re.sub(spare, "", row[field]) for head, field in DECISIONS.items()} for row in named]
    return tabulated(lines, link="reports/{report}.md#{id}")


def generated(root: Path) -> dict[Path, str]:
    """Return every generated file of a project with the text that its committed results give.

    Raises
    ------
    ValueError
        If a page has no place for a generated part.
    """
    figures, reports = root / "figures", root / "reports"
    claims, errata = records(figures, "claims"), records(figures, "errata")
    entries, times = [*claims, *errata], review.told(review.times(root))
    here, beside, below = "{report}.md#{id}", "../{report}.md#{id}", "reports/{report}.md#{id}"

    ours = {name for theorem in registered("theorems") for name in theorem.claims}

    def each(chosen: Records) -> str:
        chosen = [{**r, "known": ""} if r["id"] in ours else r for r in chosen]  # theorems.md has it
        return by_paper(chosen, listed)

    pages = {
        root / "README.md": {
            "decisions": _decisions(figures / "synopsis" / "decisions.csv"),
            "papers": papers(entries, link=below),
        },
        root / "REVIEW.md": {"headlines": review.entries(claims, review.times(root)), "times": times},
        figures / "README.md": {"figures": _gallery(root)},
        reports / "claims.md": {
            "counts": counts(claims, figures.glob("*/budget.json")),
            "claims": each(claims),
        },
        reports / "errata.md": {"errata": each(errata)},
        reports / "proofs.md": {"proofs": graph.page(register(), link="../reports/{report}.md#{id}")},
        reports / "verdicts.md": {
            "theorems": "".join(
                f"\n## [{text.authors}, *{text.title}*](papers/{paper}.md)\n\n"
                f"{screen(entries, paper=paper, link=here, up='../')}\n"
                for paper, text in TEXTS.items()
            ),
            "verdicts": counted(claims, errata),
            "grades": grades(claims),
        },
    }
    for path in sorted((reports / "replications").glob("*.md")):
        known = screen(entries, paper=path.stem, link=beside, up="../../")
        pages[path] = {"verdicts": known, "results": results(claims, errata, path.stem)}
    for path in sorted((reports / "papers").glob("*.md")):
        pages[path] = {
            "verdicts": screen(entries, paper=path.stem, link=beside, up="../../"),
            "details": details(entries, paper=path.stem, link=beside),
            "order": order(path.stem, entries, link=beside),
            "pages": theorems.listed(path.stem, up="../../"),
        }
    machine = theorems.checked_by_machine(root / "formal" / "statements.toml")
    text = theorems.page(registered("theorems"), link="../reports/{report}.md#{id}", machine=machine)
    pages[reports / "theorems.md"] = {"theorems": text}
    return {path: published(filled(path, **parts)) for path, parts in pages.items()}


# The registry in numbers, and pages for one who has read a paper: a row per theorem, the paper's own order

HARMLESS = ("harmless", "wording")
"""Effects of errata that change no result."""
ALL = "**all**"
"""Name of the row on all papers."""
_PLURALS = {"Corollary": "Corollar(?:y|ies)", "Lemma": "Lemmas?"}


@dataclass(frozen=True)
class Item:
    """A numbered item of a paper.

    Attributes
    ----------
    number
        As printed: ``"Theorem 1"``, ``"(3)"``.
    about
        What it is, in a few words.
    code
        The name, from the paper's package on, that states or implements it.
    claims
        Ids of the claims and errata about it, in the registry's order.
    note
        Why nothing is checked, or what it restates.
    """

    number: str
    about: str
    code: str
    claims: tuple[str, ...]
    note: str = ""


@functools.cache
def _data(*path: str) -> dict[str, Any]:
    return tomllib.loads(Path(replicate.__path__[0], *path).read_text(encoding="utf-8"))


def items(paper: str, records: Iterable[Record]) -> Iterator[Item]:
    """Yield a paper's numbered items in its own order.

    Each has the records whose source names it, and those that the row of a theorem names.

    Parameters
    ----------
    paper
        Key of `contents.TEXTS`.
    records
        Of claims and errata, of any papers.
    """
    ours = [record for record in records if record["paper"] == paper]
    said = {place(r): repr(known()[r["id"]]) for r in ours if r["id"] in known()}
    for number, (about, code, *rest) in _data("papers", "items.toml")[paper].items():
        more, note = [*rest, "", ""][:2]
        named = _named(number)
        also = {*more.split(), *re.findall(r"\b[A-Z]{2}(?:-\w+)+", said.get(number, ""))}
        ids = [r["id"] for r in ours if named.search(r["source"]) or r["id"] in also]
        yield Item(number, about, code, tuple(ids), note)


def _named(number: str) -> re.Pattern[str]:
    """Return what finds an item in a source such as "Theorems 1, 2, 4" or "Lemma 3, (6)"."""
    if number.startswith("("):
        return re.compile(rf"(?<![\w.]){re.escape(number)}")
    kind, name = number.split()
    return re.compile(
        rf"{_PLURALS.get(kind, kind + 's?')} (?:[\dA-Z.]+(?:, | and | to ))*{re.escape(name)}(?!\.?\w)"
    )


def order(paper: str, records: Records, *, link: str) -> str:
    """Return the paper's own order as a Markdown table; see `claims.markdown.linked` for `link`."""
    verdict = {record["id"]: record["verdict"] for record in records}
    lines = []
    for item in items(paper, records):
        said = "; ".join(f"{name} {verdict[name]}" for name in item.claims)
        lines.append([item.number, item.about, ". ".join(filter(None, (said, item.note))), f"`{item.code}`"])
    return linked(rows(("item", "about", "claims and verdicts", "code"), lines), link=link)


@dataclass(frozen=True, kw_only=True)
class Row:
    """State of knowledge of a theorem; ``replicate/claims/verdicts.toml`` says what the fields mean."""

    says: str
    regret: str
    needs: str = ""
    proof: str = "complete"
    errata: Sequence[str] = ()
    privacy: str = ""
    private: str = ""
    by: str = ""
    constant: str = ""
    share: str | None = None
    best: str = ""

    def __post_init__(self) -> None:
        if self.regret not in REGRET or self.constant not in WHOSE:
            raise ValueError(f"regret must be one of {REGRET}, constant of {tuple(WHOSE)}, got {self!r:.200}")


REGRET = ("proved by the paper", "proved here", "open", "false")
WHOSE = {"": "", "the theorem": "the printed bound", "its proof": "its proof's bound", "ours": "our bound"}
"""Whose constant the data are compared with, and the name of its bound."""


def violated() -> dict[str, dict[str, str]]:
    """Return the facts on each printed algorithm that is less private than it says, by the claim that shows it."""
    facts: dict[str, dict[str, str]] = _data("claims", "verdicts.toml")["violations"]
    return facts


@functools.cache
def known() -> dict[str, Row]:
    """Return the row of each theorem, under the claim that states it as far as it is true."""
    return {name: Row(**row) for name, row in _data("claims", "verdicts.toml")["rows"].items()}


def _theorems(records: Records, paper: str = "") -> Iterator[tuple[str, Row, Record, Constant | None]]:
    """Return rows with their names, records, and the constants that data are compared with."""
    by_id = {record["id"]: record for record in records}
    for name, row in known().items():
        if paper in ("", by_id[name]["paper"]):
            held = by_id.get(name if row.share is None else row.share)
            constant = constant_of(held, records) if held and row.constant else None
            yield name, row, by_id[name], constant


def screen(records: Records, *, link: str, up: str, paper: str = "") -> str:
    """Return one row per theorem of a paper, or of all, as Markdown; see `claims.markdown.linked` for `link`.

    A theorem's name leads to the program that shows it alone, if there is one;
    `up` leads to the project's folder from where the table stands.
    """
    titles = {page.theorem: page for page in theorems.pages()}
    lines = []
    for name, row, record, constant in _theorems(records, paper):
        where = place(record)
        page = theorems.page_of(name) or titles.get(f"{TEXTS[record['paper']].authors}, {where}")
        shown_alone = f"[{where}]({up}{page.path})" if page else where
        regret = " ".join(filter(None, (row.regret, row.needs)))
        best = row.best or ("none better" if constant else "")
        privacy, refuted = _privacy(row, records), _refuted(row, constant)
        lines.append([f"{shown_alone} ({name}). {row.says}", regret, privacy, refuted, best, row.proof])
    head = ("theorem", "regret", "privacy", "largest refuted constant", "best proved constant", "printed proof")
    return linked(rows(head, lines), link=link)


def papers(records: Records, *, link: str) -> str:
    """Return one row per paper: what is known of its theorems' regret, and which are not private as printed."""
    lines = []
    for number, (paper, text) in enumerate(TEXTS.items(), 1):
        listed = [(row, place(record)) for _, row, record, _ in _theorems(records, paper)]
        known = Counter((row.regret, row.needs.startswith("with ")) for row, _ in listed)
        both = [(kind, mended) for kind in REGRET for mended in (False, True) if known[kind, mended]]
        kinds = [f"{known[kind, mended]} {'corrected' if mended else kind}" for kind, mended in both]
        failing: dict[str, list[str]] = {}  # by what fails: the printed algorithm, or one of its noises
        for row, where in listed:
            if row.privacy in violated():
                failing.setdefault(f"violated{f' by {row.private}' * bool(row.private)}", []).append(where)
            elif row.privacy.startswith("unproved"):
                failing.setdefault("unproved", []).append(where)
        named = [f"{word}: {', '.join(dict.fromkeys(of))}" for word, of in failing.items()]
        privacy = "; ".join(named) or "true"
        page = f"{number}. [{text.short}](reports/papers/{paper}.md)"
        notebook = f"[{paper}](notebooks/{PAPERS[paper]}.ipynb)"
        lines.append([page, "; ".join(kinds), privacy, notebook])
    return linked(rows(("paper", "theorems: regret", "privacy as printed", "notebook"), lines), link=link)


def place(record: Record) -> str:
    """Return where the paper has a theorem, without what the claim says of it after a comma: "Theorem 3.6"."""
    return re.sub(", [a-z].*", "", record["source"])


def _privacy(row: Row, records: Records) -> str:
    """Return whether the algorithm is as private as it says: with what is needed, or how much it spends."""
    violation = violated().get(row.privacy)
    if violation is None:
        return " ".join(filter(None, (row.privacy, row.private, f"({row.by})" * bool(row.by))))
    least = next(f"{record['measured']:.4g}" for record in records if record["id"] == row.privacy)
    spent = ("exactly" if least == violation["most"] else f"at least {least}, at most") + f" {violation['most']}"
    return f"violated{f' by {row.private}' * bool(row.private)}: {spent} times ε ({row.privacy})"


def _refuted(row: Row, constant: Constant | None) -> str:
    """The largest constant that the data refute, of an upper bound; of a lower one, that above which they do."""
    if constant is None or constant.refuted is None:
        return "none" if row.constant else ""
    size = f"{shown(constant.share)} times {WHOSE[row.constant]}"
    if constant.stated != 1:
        size = f"{shown(constant.refuted)} for {shown(constant.stated)}"
    return size if constant.upper else f"refuted above: {size}"


def details(records: Records, *, link: str, paper: str) -> str:
    """Return what stands behind a paper's rows, Markdown: data, better constants, errata, lost privacy."""
    lines = []
    for name, row, record, constant in _theorems(records, paper):
        seen = shown(constant.share) if constant else ""
        better = constant_of(record, records).better if record["knob"] else ""
        where = constant.where if constant and seen else ""
        lines.append([f"{place(record)} ({name})", row.constant, seen, where, better, ", ".join(row.errata)])
    share, near = "share of its bound that the data refute", "where the data are nearest"
    head = ("theorem", "whose constant", share, near, "better constants", "errata")
    return linked(f"{rows(head, lines)}\n\n{violations(records, paper=paper)}".strip(), link=link)


def violations(records: Records, *, paper: str) -> str:
    """Return a column for each printed algorithm of a paper that is less private than it says; nothing if none."""
    listed = violated()
    names = ("most", "neighbours", "event", "probability", "reading", "at")
    lines = [
        [f"{facts['what']} ({r['id']})", f"{r['measured']:.4g}", *(facts[name] for name in names)]
        for r in records
        if r["paper"] == paper and (facts := listed.get(r["id"]))
    ]
    shown = ("less private than printed", "loss shown, times ε", "loss at most, times ε")
    where = ("neighbours differ in", "event", "its probability", "true if", "shown at")
    head, *cells = zip((*shown, *where), *lines, strict=True)
    return rows(head, cells) if lines else ""


def counted(claims: Records, errata: Records) -> str:
    """Return two tables, of papers and of studies: claims by verdict, and errata.

    Of the errata, the last row counts those that change a result. One error may fail several claims.
    """
    by_verdict = {verdict: [r for r in claims if r["verdict"] == verdict] for verdict in VERDICTS}
    used: dict[str, Records] = {verdict: chosen for verdict, chosen in by_verdict.items() if chosen}
    serious = [r for r in errata if r["effect"] not in HARMLESS]
    return _by_paper({"claims": claims, **used, "errata": errata, "errata that change a result": serious})


def grades(claims: Records) -> str:
    """Return two tables, of papers and of studies: claims by how strong a number is, and by who proves them."""
    measured = {f"measured: {grade}": [r for r in claims if r["grade"] == grade] for grade in GRADES}
    proved = {f"proof: {proof}": [r for r in claims if r["proof"] == proof] for proof in PROOFS}
    return _by_paper(measured | proved)


def _by_paper(kinds: Mapping[str, Records]) -> str:
    """A row for each kind of record: how many are of each paper; then how many of each study, and in all."""

    def count(chosen: Records, paper: str) -> str:
        return str(sum(paper in (ALL, record["paper"]) for record in chosen) or "")

    def named(paper: str) -> str:
        return TEXTS[paper].authors if paper in TEXTS else paper if paper == ALL else PAPERS[paper]

    def table(papers: Sequence[str]) -> str:
        lines = [[kind, *(count(chosen, paper) for paper in papers)] for kind, chosen in kinds.items()]
        return rows(["number of", *map(named, papers)], lines)

    studies = [paper for paper in PAPERS if paper not in TEXTS]
    return f"{table([paper for paper in PAPERS if paper in TEXTS])}\n\n{table([*studies, ALL])}"


def results(claims: Records, errata: Records, paper: str) -> str:
    """Return a table of one paper's results: each verdict, and the effects of its errata, with the ids, linked."""
    groups: dict[str, list[str]] = {}
    for record in (*sorted(claims, key=lambda r: [*VERDICTS, r["verdict"]].index(r["verdict"])), *errata):
        if record["paper"] == paper:
            erratum = "effect" in record
            report, name = ("errata", f"errata: {record['effect']}") if erratum else ("claims", record["verdict"])
            groups.setdefault(name, []).append(f"[{record['id']}](../{report}.md#{record['id']})")
    head = ("result", "number", "which")
    return rows(head, [(name, str(len(ids)), ", ".join(ids)) for name, ids in groups.items()])


def counts(claims: Records, budgets: Iterable[Path]) -> str:
    """Say how many claims there are, how many fail in print, and how probable it is that any limit is wrong.

    Parameters
    ----------
    claims
        Their records.
    budgets
        Files with the number of confidence limits that a notebook computed, and their probability of being wrong.
    """
    failing = [record for record in claims if record["verdict"] == "fails as printed"]
    errors = {record["error"] or record["id"] for record in failing}
    books = [json.loads(path.read_text(encoding="utf-8")) for path in budgets]
    limits, rate = sum(book["limits"] for book in books), sum(book["false_alarm"] for book in books)
    return (
        f"{len(claims)} claims. The {len(failing)} that fail as printed show {len(errors)} errors: one error can "
        f"fail several claims. The checks compute {limits:,} confidence limits, of which any is wrong with "
        f"probability at most {shown(rate)} in all, by its own statement."
    )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if a file is stale")


def main(options: argparse.Namespace) -> int:
    """Write what is stale, or with --check only name it."""
    root = project_root()
    new = generated(root)
    stale = [path for path, text in new.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if options.check:
            print(f"{path.relative_to(root)} is stale: run `make readme`", file=sys.stderr)
        else:
            write(path, new[path])
    return int(options.check and bool(stale))
