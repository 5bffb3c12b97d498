"""Renew what is generated from the committed results: ``python -m replicate readme [--check]``.

A page is prose with generated parts, between ``<!-- name:begin -->`` and ``<!-- name:end -->``: README.md,
REVIEW.md, the gallery ``figures/README.md``, and in ``reports`` claims, errata, verdicts, proofs, the papers'
pages and the replication reports. The page of theorems is generated whole.
"""

from __future__ import annotations

import argparse
import csv
import html
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from replicate import registered
from replicate.claims import graph, theorems
from replicate.claims.markdown import filled, listed, published, tabulated
from replicate.claims.registry import register
from replicate.commands import review, verdicts
from replicate.contents import PAPERS, TEXTS
from replicate.files import project_root, write

Records = Sequence[Mapping[str, Any]]

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
    """Return one table per paper, each under its paper's name."""
    grouped = {paper: [record for record in chosen if record["paper"] == paper] for paper in PAPERS}
    return "".join(f"\n## {paper}\n\n{tabulated(listed)}\n" for paper, listed in grouped.items() if listed)


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
    """How to read each figure, by its name: the texts that follow the cells that draw figures, in their order."""
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
        return by_paper(chosen, lambda part: listed(part, link="notebooks/{notebook}.ipynb", anchors=True))

    def screen(paper: str, link: str, up: str) -> str:
        return verdicts.screen(entries, paper=paper, link=link, up=up)

    pages = {
        root / "README.md": {
            "decisions": _decisions(figures / "synopsis" / "decisions.csv"),
            "papers": verdicts.papers(entries, link=below),
        },
        root / "REVIEW.md": {"headlines": review.entries(claims, review.times(root)), "times": times},
        figures / "README.md": {"figures": _gallery(root)},
        reports / "claims.md": {
            "counts": verdicts.counts(claims, figures.glob("*/budget.json")),
            "claims": each(claims),
        },
        reports / "errata.md": {"errata": each(errata)},
        reports / "proofs.md": {"proofs": graph.page(register(), link="../reports/{report}.md#{id}")},
        reports / "verdicts.md": {
            "theorems": "".join(
                f"\n## [{text.authors}, *{text.title}*](papers/{paper}.md)\n\n{screen(paper, here, '../')}\n"
                for paper, text in TEXTS.items()
            ),
            "verdicts": verdicts.counted(claims, errata),
            "grades": verdicts.grades(claims),
        },
    }
    for path in sorted((reports / "replications").glob("*.md")):
        results = verdicts.results(claims, errata, path.stem)
        pages[path] = {"verdicts": screen(path.stem, beside, "../../"), "results": results}
    for path in sorted((reports / "papers").glob("*.md")):
        order = verdicts.order(path.stem, entries, link=beside)
        details = verdicts.details(entries, paper=path.stem, link=beside)
        pages[path] = {"verdicts": screen(path.stem, beside, "../../"), "details": details, "order": order}
        pages[path] |= {"pages": theorems.listed(path.stem, up="../../")}
    machine = theorems.checked_by_machine(root / "formal" / "statements.toml")
    text = theorems.page(registered("theorems"), link="../reports/{report}.md#{id}", machine=machine)
    whole = {reports / "theorems.md": text} | {path: filled(path, **parts) for path, parts in pages.items()}
    return {path: published(text) for path, text in whole.items()}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a file is stale")


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
