"""The page on a sample of mistakes: rates with limits, by package and by operator; each survivor's verdict."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from replicate import certify
from tests.mutants.drawn.mapping import ROOT
from tests.mutants.drawn.operators import Mutation

REPORT = ROOT / "reports" / "mutants_random.md"
VERDICTS = Path(__file__).with_name("verdicts.toml")
Record = dict[str, Any]


def verdicts() -> dict[tuple[str, str, str, str], dict[str, str]]:
    """Return the verdicts on survivors, by file, line of the source, old and new text."""
    listed = tomllib.loads(VERDICTS.read_text(encoding="utf-8")).get("survivor", [])
    return {(v["file"], v["line"], v["old"], v["new"]): v for v in listed}


def place(record: Record, tree: Path) -> tuple[str, str, str, str]:
    """What a verdict is filed under: it stays true while the line stays."""
    m = record["mutation"]
    line = (tree / m["file"]).read_text(encoding="utf-8").splitlines()[m["line"] - 1].strip()
    return m["file"], line, m["old"], m["new"]


def survived(record: Record, *, pinned: bool = False) -> bool:
    """Whether no test failed: without the pinned numbers, or with them."""
    return not record["verdict"]["kind"] and not (pinned and record["pinned"] and record["pinned"]["kind"])


def unjudged(records: Iterable[Record], tree: Path) -> list[Record]:
    """Return the survivors on which there is no verdict."""
    judged = verdicts()
    return [record for record in records if survived(record) and place(record, tree) not in judged]


def line(record: Record) -> str:
    """One line on a mistake that was run."""
    m, v = record["mutation"], record["verdict"]
    says = f"{v['kind']} {v['by']}" if v["kind"] else f"SURVIVED {v['tests']} tests"
    change = f"{_short(m['old'])} -> {_short(m['new'])}"
    return f"{m['operator']} {m['file']}:{m['line']} {change}: {says} ({v['seconds']} s)"


def page(records: list[Record], tree: Path) -> str:
    """Return the report on one sample."""
    judged = verdicts()

    def verdict(record: Record) -> str:
        return judged.get(place(record, tree), {}).get("verdict", "") if survived(record) else ""

    real = [record for record in records if verdict(record) != "equivalent"]
    lines = [
        "# Mistakes drawn at random",
        "",
        *_introduction(records),
        "",
        "| | killed | rate | limits |",
        "|---|---|---|---|",
        *_rates("all", records),
        *_rates("not equivalent", real),
        *_rates("neither equivalent nor another instance", [r for r in real if verdict(r) != "instance"]),
        *_table("package", real, lambda r: Mutation(**r["mutation"]).package),
        *_table("operator", real, lambda r: r["mutation"]["operator"]),
        "",
        "## Survivors",
        "",
        "| place | mistake | verdict | why |",
        "|---|---|---|---|",
        *(_survivor(r, judged.get(place(r, tree), {})) for r in records if survived(r)),
    ]
    return "\n".join(lines) + "\n"


def _introduction(records: list[Record]) -> list[str]:
    """Say what was drawn and how it was killed."""
    key, left = records[0]["key"], [r for r in records if survived(r)]
    n = {kind: sum(r["verdict"]["kind"] == kind for r in records) for kind in ("assertion", "error", "time")}
    first = f"; half of them {', '.join(key['first'])}" if key.get("first") else ""
    against = "every test measured so far" if key["measured"] else "every test"
    chosen = {True: "by reading", "hand": "by hand, so that others may kill some of them"}
    held = (
        f"tests of their place chosen {chosen[key['read']]}"
        if key.get("read")
        else f"{against} that runs their place"
    )
    drawn = f"""
    {len(records)} of {key["n"]} mistakes drawn with seed {key["seed"]} from commit `{key["commit"][:12]}`
    ({", ".join(key["packages"]) or "all packages"}{first}): equal shares of the operators, spread over the
    packages by the number of places. `tests/mutants/drawn` holds the operators and what is left alone by rule.
    Survivors that no test could notice are called equivalent and say why; "instance" is said of another size or
    grid point of a check, as good as the first. Limits are Clopper and Pearson's, 95 %; the tables by package and
    operator leave the equivalent ones out and are without the pinned numbers.
    """
    killed = f"""
    Killed by an assertion {n["assertion"]}, by an error {n["error"]}, by running out of time {n["time"]}. Of
    {len(left)} survivors {sum(r["confirmed"] for r in left)} have been held against the whole suite, the others
    against {held}.
    """
    return [" ".join(drawn.split()), "", " ".join(killed.split())]


def _table(title: str, records: list[Record], of: Callable[[Record], str]) -> list[str]:
    """Rates by a property of the mistakes."""
    groups = sorted({of(r) for r in records})
    rows = [_rate(name, [r for r in records if of(r) == name]) for name in groups]
    return ["", f"## By {title}", "", f"| {title} | killed | rate | limits |", "|---|---|---|---|", *rows]


def _rates(name: str, records: list[Record]) -> list[str]:
    """Rates without the pinned numbers and, where they were run, with them."""
    without = _rate(f"{name}, without the pinned numbers", records)
    run = any(record["pinned"] and record["pinned"]["tests"] for record in records)
    return [without, _rate(f"{name}, with the pinned numbers", records, pinned=True)] if run else [without]


def _rate(name: str, records: list[Record], *, pinned: bool = False) -> str:
    killed = sum(not survived(r, pinned=pinned) for r in records)
    found = certify.clopper_pearson(killed, len(records), false_alarm=0.05)
    return f"| {name} | {killed} of {len(records)} | {found.estimate:.1%} | {found.low:.1%} to {found.high:.1%} |"


def _survivor(record: Record, verdict: dict[str, str]) -> str:
    m = record["mutation"]
    change = f"`{_short(m['old'])}` → `{_short(m['new'])}`".replace("|", "\\|")
    by_numbers = " (killed by the pinned numbers)" if not survived(record, pinned=True) else ""
    return (
        f"| {m['file'].removeprefix('replicate/')}:{m['line']} `{m['symbol']}` | {m['operator']}: {change} "
        f"| {verdict.get('verdict', '**not judged**')}{by_numbers} | {verdict.get('why', '')} |"
    )


def _short(text: str) -> str:
    """Text on one line, at most 60 characters of it."""
    flat = " ".join(text.split()) or "(nothing)"
    return flat if len(flat) <= 60 else f"{flat[:57]}..."
