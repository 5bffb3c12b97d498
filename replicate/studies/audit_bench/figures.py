"""The notebook's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replicate.workbook import figures as draw

_WRONG, _CORRECTED, _OURS = "#D55E00", "#009E73", "#0072B2"
_EXACT: dict[str, Any] = {
    "color": "black", "marker": "|", "markersize": 13, "markeredgewidth": 1.8, "linestyle": "none",
}  # fmt: skip


def _listed(names: pd.Series, declared: str) -> tuple[Figure, Axes, Any]:
    """Return an empty list with a row for each name, a line at 1 and what it is, and the rows' heights."""
    figure, ax = plt.subplots(figsize=(9.2, 1.5 + 0.32 * len(names)))
    places = draw.listed(ax, names)
    ax.set_xscale("log")
    ax.axvline(1, **draw.BOUND)
    ax.text(1.02, -0.55, declared, va="top", fontsize=9.5)
    return figure, ax, places


@draw.style()
def zoo(data: pd.DataFrame) -> Figure:
    """Figure 2: certified levels of the zoo and of its corrected versions over the declared level."""
    rows, lowest = data.sort_values("wrong", ascending=False).reset_index(drop=True), 0.05
    figure, ax, places = _listed(rows["name"], "declared")
    for version, shade, name in (("wrong", _WRONG, "as found"), ("corrected", _CORRECTED, "corrected")):
        ax.plot(rows[version].clip(lower=lowest), places, "o", color=shade, markersize=7.5, label=name)
        ax.plot(rows[f"exact_{version}"] / rows["declared"], places, **_EXACT)
    ax.lines[-1].set_label("exact, where finite")
    draw.ticks(ax, "x", (lowest, 0.1, 0.2, 0.5, 1, 2, 5, 10), lambda x: f"≤ {x}" if x == lowest else f"{x:g}")
    ax.set(xlim=(0.045, 13), xlabel="certified level over the declared one, wrong with probability 1e-9 in all")
    ax.legend(loc="upper left")
    wrong, right = (rows["wrong"] > 1).sum(), (rows["corrected"] <= 1).sum()
    finding = f"{wrong} of {len(rows)} real errors exceed the declared level; {right} corrected versions do not"
    return draw.headline(figure, finding, {})


@draw.style()
def bets(data: pd.DataFrame) -> Figure:
    """Figure 1: wealth of bets against paper 2's learner as printed and as corrected, run by run."""
    figure, axes = plt.subplots(1, 2, figsize=(10.4, 4.4), sharey=True)
    panels = {
        "printed": (_WRONG, "noise of scale 1/ε, as printed"),
        "corrected": (_CORRECTED, "noise of scale 2/ε"),
    }
    last = data["runs"].max()
    for ax, (calibration, (shade, _)) in zip(axes, panels.items(), strict=True):
        rows = data[data["calibration"] == calibration]
        thin = {"units": "bet", "estimator": None, "linewidth": 1, "alpha": 0.75}
        sns.lineplot(rows, x="runs", y="log10_wealth", color=shade, ax=ax, **thin)
        ends = draw.line(ax, (0, last), 9, draw.BOUND, "refuted at 1e-9")
        ax.set(xlabel="runs over both tables", ylabel="wealth, powers of ten", xlim=(0, last))
        ax.label_outer()
    draw.finish(axes[1], ends)
    finding = "A bet against a false claim keeps growing; against a true one it gains nothing"
    return draw.headline(figure, finding, dict(zip(axes, (said for _, said in panels.values()), strict=True)))


@draw.style()
def benchmark(data: pd.DataFrame) -> Figure:
    """Figure 3: our limits on the field's benchmark over DP-Sniper's, with the exact losses."""
    figure, ax, places = _listed(data["mechanism"], "DP-Sniper")
    limits, most = ["ours_median", "ours_low", "ours_high", "exact"], 5.0
    over = data[limits].div(data["published"], axis=0)
    ours, shown = over["ours_median"], over.clip(upper=most)
    ax.hlines(places, shown["ours_low"], shown["ours_high"], color=_OURS, linewidth=2.4)
    ax.plot(shown["ours_median"], places, "o", color=_OURS, markersize=7, label="ours: median, range of seeds")
    ax.plot(shown["exact"].where(over["exact"] < np.inf), places, **_EXACT, label="exact loss, where finite")
    draw.ticks(ax, "x", (0.5, 0.7, 1, 1.5, 2, 3, most), lambda x: f"{x:g}{' or more' if x == most else ''}")
    name = "lower limit on ε at 90% over DP-Sniper's limit in print"
    ax.set(xlim=(min(0.8, 0.95 * ours.min()), 1.1 * most), xlabel=name)
    ax.legend(loc="lower right")
    finding = f"Above the limit in print on {(ours > 1).sum()} of {ours.notna().sum()} mechanisms"
    if ours.isna().all():
        finding = "Exact losses beside the limits in print; ours are not measured yet"
    setting = "from ten million samples of each input, where DP-Sniper has two hundred million"
    return draw.headline(figure, finding, {ax: setting})
