"""The notebook's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replicate.workbook.figures import BOUND, headline, label_ends, style

_WRONG, _CORRECTED = "#D55E00", "#009E73"
_EXACT: dict[str, Any] = {
    "color": "black",
    "marker": "|",
    "markersize": 13,
    "markeredgewidth": 1.8,
    "linestyle": "none",
}
_ROW = 0.32
"""Height of a row of a list, in inches."""


def _listed(names: list[str], *, below: float = 1.5) -> tuple[Figure, Axes]:
    """Return an empty list with a row for each name, the first on top."""
    figure, ax = plt.subplots(figsize=(9.2, below + _ROW * len(names)))
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.set_xscale("log")
    return figure, ax


def zoo(data: pd.DataFrame) -> Figure:
    """Figure 2: certified levels of the zoo and of its twins over the declared level."""
    rows = data.sort_values("wrong", ascending=False).reset_index(drop=True)
    with style():
        figure, ax = _listed(list(rows["name"]))
        place, lowest = np.arange(len(rows)), 0.05
        for version, colour, name in (("wrong", _WRONG, "as found"), ("corrected", _CORRECTED, "corrected")):
            exact = rows[f"exact_{version}"] / rows["declared"]
            ax.plot(np.maximum(rows[version], lowest), place, "o", color=colour, markersize=7.5, label=name)
            ax.plot(exact[np.isfinite(exact)], place[np.isfinite(exact)], **_EXACT)
        ax.plot([], [], **_EXACT, label="exact, where finite")
        ax.axvline(1, **BOUND)
        ax.text(1.02, -0.55, "declared", va="top", fontsize=9.5)
        ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
        ax.set_xticks(ticks, ["≤ 0.05"] + [f"{tick:g}" for tick in ticks[1:]])
        ax.minorticks_off()
        ax.set(
            xlim=(0.045, 13), xlabel="certified level over the declared one, wrong with probability 1e-9 in all"
        )
        ax.legend(loc="upper left")
        wrong, right = int((rows["wrong"] > 1).sum()), int((rows["corrected"] <= 1).sum())
        finding = f"{wrong} of {len(rows)} real errors exceed the declared level; {right} corrected twins do not"
        headline(figure, finding, {})
    return figure


def bets(data: pd.DataFrame) -> Figure:
    """Figure 1: wealth of bets against paper 2's learner as printed and as corrected, run by run."""
    panels = {"printed": "noise of scale 1/ε, as printed", "corrected": "noise of scale 2/ε"}
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.4), sharey=True)
        for ax, calibration in zip(axes, panels, strict=True):
            rows = data[data["calibration"] == calibration]
            colour = _WRONG if calibration == "printed" else _CORRECTED
            for _, path in rows.groupby("bet"):
                ax.plot(path["runs"], path["log10_wealth"], color=colour, linewidth=1.0, alpha=0.75)
            ax.axhline(9, **BOUND)
            ax.set(xlabel="runs over both tables", xlim=(0, data["runs"].max()))
        label_ends(axes[1], data["runs"].max(), {"refuted at 1e-9": (9.0, "black")})
        axes[0].set_ylabel("wealth, powers of ten")
        headline(
            figure,
            "A bet against a false claim keeps growing; against a true one it dies out",
            dict(zip(axes, panels.values(), strict=True)),
        )
    return figure


def benchmark(data: pd.DataFrame) -> Figure:
    """Figure 3: our limits on the field's benchmark over DP-Sniper's, with the exact losses."""
    rows = data.reset_index(drop=True)
    ours, exact = rows["ours_median"] / rows["published"], rows["exact"] / rows["published"]
    with style():
        figure, ax = _listed(list(rows["mechanism"]))
        place, most = np.arange(len(rows)), 5.0
        finite = np.isfinite(exact)
        low, high = rows["ours_low"] / rows["published"], rows["ours_high"] / rows["published"]
        ax.hlines(place, low, np.minimum(high, most), color="#0072B2", linewidth=2.4)
        ax.plot(
            np.minimum(ours, most), place, "o", color="#0072B2", markersize=7, label="ours: median, range of seeds"
        )
        ax.plot(np.minimum(exact[finite], most), place[finite], **_EXACT, label="exact loss, where finite")
        ax.axvline(1, **BOUND)
        ax.text(1.01, -0.55, "DP-Sniper", va="top", fontsize=9.5)
        ticks = [0.5, 0.7, 1, 1.5, 2, 3, 5]
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks[:-1]] + ["5 or more"])
        ax.minorticks_off()
        ax.set(
            xlim=(min(0.8, 0.95 * ours.min()), 1.1 * most),
            xlabel="lower limit on ε at 90 % over DP-Sniper's limit in print",
        )
        ax.legend(loc="lower right")
        known = int(ours.notna().sum())
        finding = f"Above the limit in print on {int((ours > 1).sum())} of {known} mechanisms"
        headline(
            figure,
            finding if known else "Exact losses beside the limits in print; ours are not measured yet",
            {ax: "from ten million samples of each input, where DP-Sniper has two hundred million"},
        )
    return figure
