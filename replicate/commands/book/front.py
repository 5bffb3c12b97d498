"""The first page: the question, five findings with pictures, the papers as cards, the verdicts as a chart."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from replicate.claims.registry import VERDICTS
from replicate.commands.book.frame import TITLE, Page
from replicate.commands.book.links import adopt
from replicate.commands.book.markup import code, inline, labelled, markdown
from replicate.commands.book.notebooks import committed
from replicate.contents import PAPERS, TEXTS

Records = Sequence[Mapping[str, Any]]
QUESTION = """
A learner chooses an action in every round and then sees losses that came from people. What it plays may reveal
them, unless its choices are random in the right way: under *differential privacy* at level $\\varepsilon$ the
losses of one round change the probability of any sequence of actions by a factor of at most $e^{\\varepsilon}$.

**How much more does such a learner lose?** Five papers answer with theorems. This book checks every claim of
theirs: each is a measured number and its limit, with a control that the same check rejects.
"""
WARNING = (
    "These samplers are for research. They use ordinary floating-point arithmetic, are not hardened against "
    "attacks on it, and must not guard real data."
)
ADVICE = """
How many actions, how many rounds, what do you see, what may the losses do, how private? The advisor simulates
every learner that fits at your sizes, within 20 seconds, and ranks them.
"""
ASK = """\
.venv/bin/python -m replicate advise --feedback bandit --losses iid --actions 8 --rounds 1e6 --epsilon 1
.venv/bin/python -m replicate ask PS-T1 --epsilon 2 --actions 1000 --gap 0.2   # one theorem at your sizes
"""
PICTURES = {
    "NL-S1": "noisy_leader/*_privacy_curves", "TR-P3n": "tracking/*_privacy", "PS-W": "prefix_softmax/*_rate_maps",
    "SY-TRAP": "synopsis/*_clock_trap", "DL-R1p": "distribution_learning/*_label_sweep",
}  # fmt: skip
"""Figures of findings, whatever their numbers, where another one than the nearest shows more."""
_ROW, _LEFT, _WIDTH, _HEIGHT = 30, 165, 600, 18


def front_page(
    records: Records,
    questions: str,
    decisions: str,
    *,
    root: Path,
    figures: Path,
    target: Path,
    profile: str,
    pictures: Mapping[str, str],
) -> Page:
    """Return the first page.

    Parameters
    ----------
    records
        Of the claims.
    questions
        HTML of the sliders of the decision, or nothing.
    decisions
        Which learner for what, a Markdown table, or nothing.
    root, figures, target
        Folders of the project, whose README has the findings, of its figures, and of the book.
    profile
        The quick one is named.
    pictures
        Ids of claims to the HTML of the figure that is nearest to each.
    """
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    small = '<p class="note">Quick profile: small sizes.</p>' if profile == "quick" else ""
    chosen = {
        name: committed(path.relative_to(figures).with_suffix("").as_posix(), figures, target)
        for name, pattern in PICTURES.items()
        for path in figures.glob(f"{pattern}.png")
    }
    pictures = {**pictures, **chosen}
    parts = [
        f'<h1 id="top">{TITLE}</h1>{small}<section>{markdown(QUESTION)}</section><p class="note">{WARNING}</p>',
        _findings(text, root, target, pictures),
        f'<h2 id="papers">The papers</h2><div class="cards">{"".join(_cards(records, text))}</div>',
        f'<h2 id="verdicts">What holds</h2>{chart(records)}' if records else "",
        f'<h2 id="advice">Which algorithm should I use?</h2>{markdown(ADVICE)}{questions}{code(ASK, "sh")}',
        f'<div class="wide">{labelled(markdown(decisions))}</div>' if decisions else "",
    ]
    return Page("index", TITLE, "".join(parts), "", "First page")


def _findings(text: str, root: Path, target: Path, pictures: Mapping[str, str]) -> str:
    """The README's findings, each with the figure that is nearest to its claim; nothing without a README."""
    section = text.partition("## Five findings")[2].partition("\n## ")[0]
    shown = []
    for finding in re.findall(r"^\d\. (.*?)(?=^\d\. |^\[|\Z)", section, flags=re.MULTILINE | re.DOTALL):
        ids = re.findall(r"#([A-Z]{2}-[\w-]+)\)", finding)
        body = re.sub(
            r'href="[^"]*#([A-Z]{2}-[\w-]+)"', r'href="claims/\1.html"', inline(" ".join(finding.split()))
        )
        picture = next((pictures[name] for name in ids if name in pictures), "")
        shown.append(f"<article>{picture}<p>{adopt(body, root, target)}</p></article>")
    return f'<h2 id="findings">Five findings</h2><div class="findings">{"".join(shown)}</div>' if shown else ""


def _cards(records: Records, text: str) -> list[str]:
    """A card for each paper that has records: its question, its text, its claims."""
    questions = dict(re.findall(r"^\| \[\d+\. (\w+)\]\([^)]*\) \|[^|]*\| ([^|]*) \|$", text, flags=re.MULTILINE))
    cards = []
    for paper, notebook in PAPERS.items():
        listed = [record for record in records if record["paper"] == paper]
        if not listed:
            continue
        origin = TEXTS.get(paper)
        said = (
            f"{origin.authors} ({origin.year}): <cite>{origin.title}</cite>" if origin else "This workbook's own."
        )
        cards.append(
            f'<article class="card"><h3 id="{paper}"><a href="{notebook}.html">{paper}</a></h3>'
            f"<p>{html.escape(questions.get(paper, ''))}</p><p><small>{said}</small></p>"
            f"<p><small>{counted(listed)}</small></p></article>"
        )
    return cards


def counted(records: Records) -> str:
    """Say how many claims of the paper there are and are reproduced, and how many findings are ours."""
    verdicts = Counter(record["verdict"] for record in records)
    findings = verdicts.pop("our finding", 0)
    claims = [_number(verdicts.total(), "claim") + f", {verdicts['reproduced']} reproduced as printed"]
    return "; ".join(claims * bool(verdicts) + [_number(findings, "finding") + " of our own"] * bool(findings))


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def chart(records: Records) -> str:
    """The claims of every paper by verdict, as horizontal bars (SVG) with their numbers, and a key."""
    counts = {paper: Counter(r["verdict"] for r in records if r["paper"] == paper) for paper in PAPERS}
    counts = {paper: count for paper, count in counts.items() if count}
    used = [verdict for verdict in VERDICTS if any(count[verdict] for count in counts.values())]
    scale = (_WIDTH - _LEFT - 40) / max(count.total() for count in counts.values())
    rows = "".join(_bar(paper, count, used, i, scale) for i, (paper, count) in enumerate(counts.items()))
    total = sum(counts.values(), Counter())
    said = ", ".join(f"{total[verdict]} {verdict}" for verdict in used)
    key = "".join(
        f'<li><a href="claims.html?verdict={quote(verdict)}"><i data-verdict="{verdict}"></i>'
        f"{verdict}: {total[verdict]}</a></li>"
        for verdict in used
    )
    return (
        f'<div class="chart"><svg viewBox="0 0 {_WIDTH} {_ROW * len(counts)}" role="img" '
        f'aria-label="Claims by verdict: {said}">{rows}</svg></div><ul class="key">{key}</ul>'
    )


def _bar(paper: str, count: Counter[str], used: Sequence[str], row: int, scale: float) -> str:
    """One paper's bar."""
    y, x = row * _ROW + 6, float(_LEFT)
    parts = [f'<text x="{_LEFT - 10}" y="{y + 15}" text-anchor="end">{paper}</text>']
    for verdict in used:
        width = count[verdict] * scale
        if not width:
            continue
        address = f"claims.html?paper={paper}&amp;verdict={quote(verdict)}"
        parts.append(
            f'<a href="{address}"><rect x="{x:.1f}" y="{y}" '
            f'width="{width:.1f}" height="{_HEIGHT}" data-verdict="{verdict}"><title>{paper}: {count[verdict]} '
            f"{verdict}</title></rect></a>"
        )
        x += width
    return "".join(parts) + f'<text x="{x + 8:.1f}" y="{y + 15}">{count.total()}</text>'
