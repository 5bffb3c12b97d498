"""The field's benchmark at its full size: what ``make audit-bench`` measured, beside limits in print."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from replicate.files import project_root
from replicate.studies.audit_bench.experiments.zoo import shown
from replicate.studies.audit_bench.instances.field import CASES

COLUMNS = ("mechanism", "exact", "published", "ours_median", "ours_low", "ours_high", "seconds", "seeds")


def measured(path: Path | None = None) -> pd.DataFrame:
    """Return the committed results of the benchmark, a row a mechanism.

    Parameters
    ----------
    path
        Results as ``make audit-bench`` writes them; None is ``reports/audit_bench.csv``.

    Returns
    -------
    `COLUMNS`, with NaN for mechanisms that were not measured; exact losses are computed here.
    """
    source = project_root() / "reports" / "audit_bench.csv" if path is None else path
    cases = pd.DataFrame(
        [{"mechanism": c.name, "exact": c.exact, "published": c.published} for c in CASES.values()]
    )
    ours = pd.read_csv(source) if source.exists() else pd.DataFrame({"mechanism": pd.Series(dtype=str)})
    ours = ours.reindex(columns=["mechanism", *COLUMNS[3:]]).drop_duplicates("mechanism", keep="last")
    return cases.merge(ours, on="mechanism", how="left")[list(COLUMNS)]


def table() -> pd.DataFrame:
    """Return the benchmark in words: numbers to four digits, and our limit as a share of the one in print."""
    data = measured()
    rows = data[["mechanism", "exact", "published", "ours_median"]].copy()
    rows["over the limit in print"] = data["ours_median"] / data["published"]
    rows = rows.rename(columns={"published": "DP-Sniper", "ours_median": "ours"})
    return rows.map(lambda cell: shown(cell, 4) if isinstance(cell, float) else cell)
