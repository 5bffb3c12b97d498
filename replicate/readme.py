"""Write the README's generated parts from the committed results: ``python -m replicate.readme [--check]``.

What stands between ``<!-- name:begin -->`` and ``<!-- name:end -->`` is generated; the rest is prose.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from replicate import claims
from replicate.files import project_root, replacing

__all__ = ["generate"]


def results(root: Path) -> list[dict[str, Any]]:
    """Return the committed records of all papers, in the papers' order."""
    records: list[dict[str, Any]] = []
    for paper in claims.PAPERS:
        path = root / "figures" / paper / "claims.json"
        if path.exists():
            records += json.loads(path.read_text(encoding="utf-8"))
    return records


def _summary(records: list[dict[str, Any]]) -> str:
    """One row a paper: how many claims, which verdicts."""
    verdicts = sorted({r["verdict"] for r in records}, key=_verdict_order)
    lines = [f"| paper | claims | {' | '.join(verdicts)} |", "|---|---:|" + "---:|" * len(verdicts)]
    for paper, notebook in claims.PAPERS.items():
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


def _gallery(root: Path) -> str:
    """Every committed figure, two in a row, under its paper's name."""
    parts = []
    for paper, notebook in claims.PAPERS.items():
        pictures = sorted((root / "figures" / paper).glob("*.png"))
        if not pictures:
            continue
        parts.append(f"\n#### [{paper}](notebooks/{notebook}.ipynb)\n")
        for left in range(0, len(pictures), 2):
            pair = pictures[left : left + 2]
            cells = [
                f'<a href="{_link(p, root, ".pdf")}"><img src="{_link(p, root)}" width="49%"></a>' for p in pair
            ]
            parts.append("\n".join(cells))
    return "\n".join(parts)


def _link(path: Path, root: Path, suffix: str = ".png") -> str:
    return path.with_suffix(suffix).relative_to(root).as_posix()


def generate(text: str, root: Path) -> str:
    """Return the README's text with its generated parts renewed."""
    records = results(root)
    parts = {"summary": _summary(records), "gallery": _gallery(root), "claims": claims.table(records)}
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
