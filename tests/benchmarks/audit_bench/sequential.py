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

LEVELS, SEEDS, ROOT = (0.05, 1e-9), 3, 2026
MOST, WIDE = 400_000, {"SVT34Parallel": 50_000, "PrefixSum": 50_000, "LaplaceParallel": 10_000}
"""Runs over both inputs after which a bet ends; fewer where an event takes long to learn."""


def claim(name: str) -> float:
    """The claim that is refuted: half of the exact loss, and epsilon 1 where that is infinite."""
    exact = CASES[name].exact
    return 1.0 if math.isinf(exact) else exact / 2


def runs(name: str, seed: int, *, false_alarm: float) -> float:
    """Runs over both inputs until the claim is refuted with learned events; infinite if it never is."""
    rng = stream(ROOT, "audit sequential", name, seed)
    found = audit.refute(
        *CASES[name].samplers(),
        epsilon=claim(name),
        false_alarm=false_alarm,
        most_runs=WIDE.get(name, MOST),
        rng=rng,
    )
    return found.runs if found.refuted else math.inf


def kept(folder: Path, name: str, seed: int) -> list[float]:
    """Return the runs at each level that a folder keeps; measure and keep them where it does not."""
    path = folder / f"sequential-{name}-{seed}-{WIDE.get(name, MOST)}.json"
    if not path.exists():
        found = [runs(name, seed, false_alarm=LEVELS[0])]
        # the same bet goes on: what never reaches the first level reaches no other
        found += [
            math.inf if math.isinf(found[0]) else runs(name, seed, false_alarm=alarm) for alarm in LEVELS[1:]
        ]
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(found) + "\n", encoding="utf-8")
    return list(json.loads(path.read_text(encoding="utf-8")))


def measured(folder: Path, *, reuse: bool) -> pd.DataFrame:
    """Measure what a folder lacks, unless only what it has is to be told.

    Returns
    -------
    Columns mechanism, claim, seeds, and for each level the median, the least and the largest number of runs.
    """
    table = []
    for seed, name in tqdm([(seed, name) for seed in range(SEEDS) for name in CASES], disable=None):
        if not reuse:
            kept(folder, name, seed)
    for name in CASES:
        paths = sorted(folder.glob(f"sequential-{name}-*-{WIDE.get(name, MOST)}.json"))
        if not paths:
            continue
        own = np.array([json.loads(path.read_text(encoding="utf-8")) for path in paths]).T
        ends = np.stack([np.median(own, axis=1), own.min(axis=1), own.max(axis=1)], axis=1)
        table.append([name, claim(name), len(paths), *ends.ravel()])
    columns = [f"{alarm:g}{end}" for alarm in LEVELS for end in ("", "_least", "_largest")]
    return pd.DataFrame(table, columns=["mechanism", "claim", "seeds", *columns])


def rows(table: pd.DataFrame) -> str:
    """Return the table in Markdown."""
    lines = ["| mechanism | claimed ε | seeds | runs at .05 | runs at 1e-9 |", "|---|---:|---:|---:|---:|"]
    for _, row in table.iterrows():
        most = WIDE.get(row.mechanism, MOST)
        shown = [_shown(most, *(row[f"{alarm:g}{end}"] for end in ("", "_least", "_largest"))) for alarm in LEVELS]
        lines.append(f"| {row.mechanism} | {row.claim:.4g} | {row.seeds} | {' | '.join(shown)} |")
    missing = ", ".join(name for name in CASES if name not in set(table.mechanism))
    return "\n".join([*lines, *(["", f"Not measured yet: {missing}."] if missing else [])])


def _shown(most: int, median: float, least: float, largest: float) -> str:
    """A median of runs with the least and the largest, in words where the bet ended before."""
    if math.isinf(least):
        return f"not refuted within {most:,}"
    ends = [f"> {most:,}" if math.isinf(n) else f"{n:,.0f}" for n in (median, least, largest)]
    return ends[0] if least == largest else f"{ends[0]} ({ends[1]} to {ends[2]})"
