"""Runs to refute: how long bets take to refute half of what each of the twenty mechanisms costs.

``python -m tests.benchmarks.audit_bench --sequential`` measures them anew (reports/audit_sequential.csv).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from replicate import audit
from replicate.streams import stream
from replicate.studies.audit_bench.instances import CASES

LEVELS, SEEDS, MOST, ROOT = (0.05, 1e-9), 3, 100_000, 2026
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


def measured(*, seeds: int = SEEDS, most: int = MOST) -> Iterator[dict[str, float | str]]:
    """Measure the median of each mechanism, one after the other."""
    for name in CASES:
        medians = {
            f"{alarm:g}": float(np.median([runs(name, s, false_alarm=alarm, most=most) for s in range(seeds)]))
            for alarm in LEVELS
        }
        yield {"mechanism": name, "claim": claim(name), **medians}


def rows(table: pd.DataFrame) -> str:
    """Return the table in Markdown."""
    lines = ["| mechanism | refuted ε | runs at .05 | runs at 1e-9 |", "|---|---:|---:|---:|"]
    for _, row in table.iterrows():
        counts = [f"> {MOST:,}" if math.isinf(n) else f"{n:,.0f}" for n in (row["0.05"], row["1e-09"])]
        lines.append(f"| {row.mechanism} | {row.claim:.4g} | {counts[0]} | {counts[1]} |")
    missing = ", ".join(name for name in CASES if name not in set(table.mechanism))
    return "\n".join([*lines, *(["", f"Not measured yet: {missing}."] if missing else [])])
