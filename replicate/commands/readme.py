"""Write the README's generated parts from the committed results: ``python -m replicate.readme [--check]``.

What stands between ``<!-- name:begin -->`` and ``<!-- name:end -->`` is generated; the rest is prose.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from replicate import claims, contents
from replicate.claims import errata, markdown
from replicate.files import project_root, replacing

__all__ = ["by_paper", "generate"]


def results(root: Path) -> list[dict[str, Any]]:
    """Return the committed records of all papers' claims with the times of their checks, in the papers' order."""
    seconds = {claim: time for times in _committed(root, "times") for claim, time in times.items()}
    return [record | {"seconds": seconds.get(record["id"])} for record in adjudications(root, "claims")]


def adjudications(root: Path, name: str = "slips") -> list[dict[str, Any]]:
    """Return the committed records of all papers' slips (or claims), in the papers' order."""
    return [record for records in _committed(root, name) for record in records]


def _committed(root: Path, name: str) -> Iterator[Any]:
    """Read ``figures/<paper>/<name>.json`` of each paper that has it."""
    for paper in contents.PAPERS:
        path = root / "figures" / paper / f"{name}.json"
        if path.exists():
            yield json.loads(path.read_text(encoding="utf-8"))


def _summary(records: list[dict[str, Any]]) -> str:
    """One row a paper: how many claims, which verdicts."""
    verdicts = sorted({r["verdict"] for r in records}, key=_verdict_order)
    lines = [f"| paper | claims | {' | '.join(verdicts)} |", "|---|---:|" + "---:|" * len(verdicts)]
    for paper, notebook in contents.PAPERS.items():
        count = Counter(r["verdict"] for r in records if r["paper"] == paper)
        if count:
            cells = " | ".join(str(count[v] or "") for v in verdicts)
            lines.append(f"| [{paper}](notebooks/{notebook}.ipynb) | {count.total()} | {cells} |")
    total = Counter(r["verdict"] for r in records)
    lines.append(f"| **all** | **{len(records)}** | {' | '.join(f'**{total[v]}**' for v in verdicts)} |")
    return "\n".join(lines)


def _verdict_order(verdict: str) -> int:
    order = [
        "reproduced",
        "reproduced with correction",
        "fails as printed",
        "vacuous at feasible size",
        "our finding",
    ]
    return order.index(verdict) if verdict in order else len(order)


def by_paper(records: list[dict[str, Any]], table: Callable[[list[dict[str, Any]]], str]) -> str:
    """Return one table a paper, each under its paper's name."""
    parts = []
    for paper in contents.PAPERS:
        own = [record for record in records if record["paper"] == paper]
        if own:
            parts.append(f"\n#### {paper}\n\n{table(own)}")
    return "\n".join(parts)


def _gallery(root: Path) -> str:
    """Every committed figure, two in a row, under its paper's name."""
    parts = []
    for paper, notebook in contents.PAPERS.items():
        pictures = sorted((root / "figures" / paper).glob("*.png"))
        if not pictures:
            continue
        parts.append(f"\n#### [{paper}](notebooks/{notebook}.ipynb)\n")
        for left in range(0, len(pictures), 2):
            pair = pictures[left : left + 2]
            parts.append("\n".join(_picture(path, root) for path in pair))
    return "\n".join(parts)


def _picture(path: Path, root: Path) -> str:
    """A figure, described in words, linked to its PDF."""
    origin = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    text = html.escape(origin.get("description", path.stem))
    return f'<a href="{_link(path, root, ".pdf")}"><img src="{_link(path, root)}" width="49%" alt="{text}"></a>'


def _link(path: Path, root: Path, suffix: str = ".png") -> str:
    return path.with_suffix(suffix).relative_to(root).as_posix()


def generate(text: str, root: Path) -> str:
    """Return the README's text with its generated parts renewed."""
    records = results(root)
    parts = {
        "synopsis": markdown.markdown(root / "figures" / "synopsis" / "decisions.csv"),
        "summary": _summary(records),
        "gallery": _gallery(root),
        "slips": by_paper(adjudications(root), errata.overview),
        "claims": by_paper(records, claims.table),
    }
    for name, content in parts.items():
        marked = re.compile(rf"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", re.DOTALL)
        if not marked.search(text):
            raise ValueError(f"README.md has no place for the generated part {name!r}")
        text = marked.sub(lambda m, content=content: f"{m[1]}{content}\n{m[2]}", text)  # type: ignore[misc]
    return text


def main(arguments: list[str] | None = None) -> int:
    """Renew README.md, or with --check only say whether it is stale."""
    parser = argparse.ArgumentParser(prog="python -m replicate.readme", description="Renew the README's tables.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when the README is stale")
    options = parser.parse_args(arguments)
    path = project_root() / "README.md"
    old = path.read_text(encoding="utf-8")
    new = generate(old, path.parent)
    if new != old and options.check:
        print("README.md is stale: run `make readme`", file=sys.stderr)
        return 1
    if new != old:
        with replacing(path) as temporary:
            temporary.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
