"""Runs to refute: how long bets take to refute half of what each of the twenty mechanisms costs.

``python -m tests.benchmarks.audit_bench --sequential`` measures what build/audit_bench lacks, mechanism after
mechanism, and renews reports/audit_sequential.csv.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from replicate import audit
from replicate.files import replacing
from replicate.streams import stream
from replicate.studies.audit_bench.instances import CASES

LEVELS, SEEDS, MOST, ROOT = (0.05, 1e-9), 3, 400_000, 2026
"""False alarms, seeds, and runs over both inputs after which a bet ends."""


def claim(name: str) -> float:
    """What is refuted: half of the exact loss, and epsilon 1 where that is infinite."""
    exact = CASES[name].exact
    return 1.0 if math.isinf(exact) else exact / 2


def runs(name: str, seed: int, *, false_alarm: float, most: int = MOST) -> float:
    """Runs over both inputs until the claim is refuted with learned events; infinite if it never is."""
    rng = stream(ROOT, "audit sequential", name, seed)
    found = audit.refute(
        *CASES[name].samplers(), epsilon=claim(name), false_alarm=false_alarm, most_runs=most, rng=rng
    )
    return found.runs if found.refuted else math.inf


def kept(folder: Path, name: str, seed: int, *, most: int = MOST) -> list[float]:
    """Return the runs at each level that a folder keeps; measure and keep them where it does not."""
    path = folder / f"sequential-{name}-{seed}-{most}.json"
    if not path.exists():
        found = [runs(name, seed, false_alarm=alarm, most=most) for alarm in LEVELS]
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(found) + "\n", encoding="utf-8")
    return list(json.loads(path.read_text(encoding="utf-8")))


def measured(folder: Path, *, seeds: int = SEEDS, most: int = MOST) -> pd.DataFrame:
    """Measure all mechanisms: columns mechanism, claim, and for each level the median, least and largest runs."""
    table = []
    cells = tqdm([(name, seed) for seed in range(seeds) for name in CASES], disable=None)
    found = {cell: kept(folder, *cell, most=most) for cell in cells}
    for name in CASES:
        own = np.array([found[name, seed] for seed in range(seeds)]).T
        ends = np.stack([np.median(own, axis=1), own.min(axis=1), own.max(axis=1)], axis=1)
        table.append([name, claim(name), *ends.ravel()])
    columns = [f"{alarm:g}{end}" for alarm in LEVELS for end in ("", "_least", "_largest")]
    return pd.DataFrame(table, columns=["mechanism", "claim", *columns])


def rows(table: pd.DataFrame) -> str:
    """Return the table in Markdown."""
    lines = ["| mechanism | refuted ε | runs at .05 | runs at 1e-9 |", "|---|---:|---:|---:|"]
    for _, row in table.iterrows():
        shown = [_shown(*(row[f"{alarm:g}{end}"] for end in ("", "_least", "_largest"))) for alarm in LEVELS]
        lines.append(f"| {row.mechanism} | {row.claim:.4g} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _shown(median: float, least: float, largest: float) -> str:
    """A median of runs with the least and the largest, in words where the bet ended before."""
    if math.isinf(least):
        return f"not refuted within {MOST:,}"
    ends = [f"> {MOST:,}" if math.isinf(n) else f"{n:,.0f}" for n in (median, least, largest)]
    return f"{ends[0]} ({ends[1]} to {ends[2]})"
