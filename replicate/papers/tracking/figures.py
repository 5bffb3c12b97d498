"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import switching
from replicate.workbook.figures import BOUND, LOWER_BOUND, PALETTE, headline, label_ends, log2_axis, marker, style

NAMES = {
    "restarts": "Algorithm 2 (restarts)",
    "limited_updates": "Algorithm 1 (no restarts)",
    "meta_experts": "meta-experts",
    "mirror_descent": "Algorithm 3 (mirror descent)",
    "fixed_share": "Fixed Share, not private",
    "oracle_leader": "leader restarted at the shifts",
    "uniform": "uniform play",
}
COLOURS = {
    **{
        name: PALETTE[name]
        for name in ("restarts", "limited_updates", "meta_experts", "mirror_descent", "uniform")
    },
    "fixed_share": PALETTE["non_private"],
    "oracle_leader": "#000000",
}
STYLES = {"fixed_share": (0, (5, 1)), "oracle_leader": (0, (1, 1)), "uniform": (0, (4, 2, 1, 2))}
NOTE: dict[str, Any] = {"fontsize": 8.5, "color": "#555555"}


def _thousands(ax: Axes, axis: str) -> None:
    getattr(ax, f"{axis}axis").set_major_formatter(FuncFormatter(lambda v, _: f"{v / 1000:g}k" if v else "0"))


def shift_run(data: pd.DataFrame) -> Figure:
    """Figure 1: four phases; the expert each learner plays, and dynamic regret in time."""
    horizon = int(data["round"].max())
    methods = list(dict.fromkeys(data["method"]))
    with style():
        figure, (top, ax) = plt.subplots(2, 1, figsize=(7.8, 5.6), sharex=True, height_ratios=[1.15, 2])
        _experts_played(top, data, methods, horizon)
        ends: dict[str, tuple[float, Any]] = {}
        for method in methods:
            rows = data[data["method"] == method]
            color = COLOURS[method]
            ax.plot(rows["round"], rows["regret"], color=color, marker=marker(method), markersize=5, markevery=64)
            ends[NAMES[method]] = (rows["regret"].iloc[-1], COLOURS[method])
        restarts = data[(data["method"] == "restarts") & data["restart"]]["round"]
        for t in (horizon * k // 4 for k in (1, 2, 3)):
            for axis in (top, ax):
                axis.axvline(t, color="black", linewidth=0.9, linestyle=":")
        for t in restarts[restarts > 200]:
            ax.plot(t, 0, marker="^", color=COLOURS["restarts"], markersize=9, clip_on=False, zorder=5)
        ax.set(xlabel="round", ylabel="dynamic regret", xlim=(0, horizon))
        ax.set_ylim(bottom=0)
        _thousands(ax, "x")
        _thousands(ax, "y")
        label_ends(ax, horizon, ends, gap=0.09)
        headline(figure, "Restarts notice every shift; without them the old leader stays", {})
        about = "dotted: true shifts; triangles: restarts detected\nN = 4, S = 3, ε = 1, gap 0.9, one run"
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 2}
        ax.text(0.01, 0.97, about, transform=ax.transAxes, va="top", bbox=paper, **NOTE)
    return figure


def _experts_played(ax: Axes, data: pd.DataFrame, methods: list[str], horizon: int) -> None:
    """Draw the expert that each learner plays, a row of colours a learner; the names of the best are the key."""
    cells = np.array([data[data["method"] == m]["expert"] for m in methods])
    shades = plt.get_cmap("cividis", 4)
    extent = (0, horizon, len(methods) - 0.5, -0.5)
    ax.imshow(cells, aspect="auto", cmap=shades, vmin=0.5, vmax=4.5, interpolation="nearest", extent=extent)
    ax.set_yticks(range(len(methods)), [NAMES[m].replace(" (", "\n(") for m in methods], fontsize=8.5)
    ax.grid(visible=False)
    for k in range(4):
        key: dict[str, Any] = {"bbox": {"facecolor": shades(k), "edgecolor": "none", "pad": 2.5}, "fontsize": 9}
        x, color = horizon * (k + 0.5) / 4, "white" if k < 2 else "black"
        ax.text(x, -0.66, f"best: expert {k + 1}", ha="center", va="bottom", color=color, **key)


def sweeps(data: pd.DataFrame) -> Figure:
    """Figure 3: dynamic regret of every learner against T, S and epsilon."""
    columns = ("horizon", "n_switches", "epsilon")
    labels = ("horizon T", "switches S", "privacy ε")
    with style():
        figure, axes = plt.subplots(1, 3, figsize=(11.4, 4.9), sharey=True)
        for ax, axis, column, label in zip(axes, ("T", "S", "epsilon"), columns, labels, strict=True):
            rows = data[data["axis"] == axis]
            for name, line in rows.groupby("learner", sort=False):
                x, form = line[column], "." if name in STYLES else marker(str(name))
                drawn: dict[str, Any] = {"color": COLOURS[name], "linestyle": STYLES.get(name, "-")}
                ax.plot(x, line["regret"], marker=form, markersize=4.5, label=NAMES[name], **drawn)
                ax.fill_between(x, line["low"].clip(lower=1), line["high"], color=COLOURS[name], alpha=0.15, lw=0)
            bound = rows.groupby(column)["bound"].first()
            ax.plot(bound.index, bound, label="Theorem 3.6, printed", **BOUND)
            ax.set(xscale="log", yscale="log", xlabel=label)
            if axis == "T":
                log2_axis(ax, step=2)
            else:
                values = sorted(rows[column].unique())
                ax.set_xticks(values, [f"{v:g}" for v in values])
                ax.xaxis.set_minor_locator(NullLocator())
        axes[0].set_ylabel("dynamic regret")
        axes[0].set_ylim(1, 1.5 * max(data["bound"].max(), data["high"].max()))
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
        headline(figure, "Restarts cost a constant for each shift; the others cost more with T or with 1/ε", {})
        top = int(data["horizon"].max()).bit_length() - 1
        axes[0].set_title("S = 1, ε = 1", fontsize=10, fontweight="normal")
        axes[1].set_title(f"T = $2^{{{top}}}$, ε = 1", fontsize=10, fontweight="normal")
        axes[2].set_title(f"T = $2^{{{top}}}$, S = 1", fontsize=10, fontweight="normal")
    return figure


def meta_experts(data: pd.DataFrame) -> Figure:
    """Figure 4: the weights over (switches used, expert), and what the literal list would hold."""
    n, switches = int(data["expert"].max()), int(data["switches"].max())
    wide = data.pivot_table(index=["switches", "expert"], columns="round", values="weight")
    with style():
        figure, (ax, cost) = plt.subplots(1, 2, figsize=(10.4, 4.6), gridspec_kw={"width_ratios": [1.7, 1]})
        shown: dict[str, Any] = {"aspect": "auto", "cmap": "Greys", "vmin": 0, "vmax": 1}
        extent = (0, data["round"].max(), len(wide) - 0.5, -0.5)
        ax.imshow(wide.to_numpy(), **shown, interpolation="nearest", extent=extent)
        ax.grid(visible=False)
        ax.set_yticks(range(len(wide)), [f"{j}" for _, j in wide.index], fontsize=8)
        for s in range(switches + 1):
            used, bold = f"{s} switch{'' if s == 1 else 'es'} used", {"fontsize": 8.5, "fontweight": "bold"}
            x, color = 0.985 * data["round"].max(), PALETTE["meta_experts"]
            ax.text(x, s * n + 0.3, used, ha="right", color=color, **bold)
            ax.axhline(s * n - 0.5, color="#cccccc", linewidth=0.8)
        for k in (1, 2, 3):
            ax.axvline(1000 * k, color=PALETTE["restarts"], linestyle=":", linewidth=1.2)
        ax.set(xlabel="round (dotted: true shifts)", ylabel="current expert, within each count of switches")
        ax.set_title("The weights climb one stair at each shift", fontsize=11.5)
        horizons = np.array([5, 10, 30, 100, 1000, 10**4, 10**5, 10**6])
        for (experts, s), colour in (((4, 3), PALETTE["meta_experts"]), ((16, 8), PALETTE["restarts"])):
            listed = [switching.log_count_sequences(int(t), experts, s) / np.log(10) for t in horizons]
            cost.plot(horizons, listed, color=colour)
            cost.plot(horizons, np.full(len(horizons), np.log10(experts * (s + 1))), color=colour, linestyle="-.")
            cost.text(1.1e6, listed[-1], f"list, N={experts}, S={s}", color=colour, fontsize=9, va="center")
        cost.text(1.1e6, 1.7, "filters: 144, 16", fontsize=9, va="center")
        cost.set(xscale="log", xlabel="horizon T", ylabel="numbers kept (power of 10)", ylim=(0, 58))
        cost.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"$10^{{{v:.0f}}}$"))
        cost.set_title("Same law, N(S+1) numbers", fontsize=11.5)
    return figure


def adversaries(data: pd.DataFrame) -> Figure:
    """Figure 6: the same losses from an adaptive adversary and replayed, as a share of the horizon."""
    horizon = int(data["horizon"].max())
    rows = data[data["horizon"] == horizon]
    order = ["Algorithm 1", "Algorithm 1, no noise", "meta-experts", "Algorithm 3", "Fixed Share, not private"]
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 4.2))
        for y, name in enumerate(order):
            games = rows[rows["learner"] == name]
            means = {k: v["regret"].to_numpy() / horizon for k, v in games.groupby("adversary")}
            adaptive, again = means["adaptive"], means["oblivious replay"]
            ax.plot([again.mean(), adaptive.mean()], [y, y], color="#bbbbbb", linewidth=5, zorder=1)
            ax.plot(again, np.full(len(again), y), "|", color=PALETTE["meta_experts"], alpha=0.5, markersize=12)
            ax.plot(adaptive, np.full(len(adaptive), y), "|", color=PALETTE["restarts"], alpha=0.5, markersize=12)
            ax.plot(again.mean(), y, "o", color=PALETTE["meta_experts"], markersize=10, zorder=3)
            ax.plot(adaptive.mean(), y, "D", color=PALETTE["restarts"], markersize=9, zorder=3)
        rate = bounds.adaptive_lower_rate(horizon=horizon, n_switches=1, epsilon=float(np.sqrt(1 / horizon)))
        ax.axvline(rate / horizon, **LOWER_BOUND)
        ax.text(rate / horizon + 0.01, -0.75, "Theorem 5.1's rate, constant 1", fontsize=9, va="center")
        ax.set_yticks(range(len(order)), order)
        ax.set(xlim=(0, 1.02), ylim=(len(order) - 0.5, -1.0))
        about = f"(T = N = {horizon}, S = 1, ε = √(S/T); marks: means, ticks: games)"
        ax.set_xlabel(f"dynamic regret / T   {about}", fontsize=9.5)
        ax.plot([], [], "D", color=PALETTE["restarts"], label="adaptive adversary")
        ax.plot([], [], "o", color=PALETTE["meta_experts"], label="the same losses, replayed to a fresh copy")
        ax.legend(loc="lower right")
        ax.set_title("Adaptive losses defeat learners that rarely move")
    return figure


def detection(queries: pd.DataFrame, delays: pd.DataFrame) -> Figure:
    """Figure 2: the largest query in time with its threshold, and the delay against the size of the shift."""
    with style():
        figure, (ax, late) = plt.subplots(1, 2, figsize=(10.4, 4.4), gridspec_kw={"width_ratios": [1.4, 1]})
        shift, restart = int(queries["shift"].iloc[0]), int(queries["restart"].iloc[0])
        alpha = queries["accuracy"].iloc[0]
        ax.plot(queries["round"], queries["query"], color=PALETTE["restarts"])
        ax.axhline(0, color="black", linewidth=1)
        ax.axhspan(-alpha, alpha, color="#dddddd", alpha=0.6, linewidth=0)
        first = queries["round"].iloc[0]
        ax.text(first, alpha * 0.93, "threshold 0 ± its accuracy α", fontsize=9, va="top")
        ax.axvline(shift, color="black", linestyle=":", linewidth=1)
        ax.plot(restart, queries["query"].iloc[-1], "^", color=PALETTE["restarts"], markersize=10)
        ax.annotate("shift ", (shift, 0.3), xycoords=("data", "axes fraction"), ha="right", fontsize=9.5)
        aside: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": 9.5}
        end = (restart, queries["query"].iloc[-1])
        ax.annotate(f"restart after\n{restart - shift} rounds ", end, (-6, 8), **aside)
        ax.set(xlabel="round", ylabel="largest window query", xlim=(0, restart * 1.03))
        _thousands(ax, "x")
        ax.set_title("The largest query nears 0 only after the shift", fontsize=11.5)
        drawn = (("all", "o", PALETTE["restarts"]), ("dyadic", "s", PALETTE["meta_experts"]))
        for windows, marker, colour in drawn:
            late_by = delays[delays["windows"] == windows].groupby("gap")["delay"].agg(["mean", "min", "max"])
            late.plot(late_by.index, late_by["mean"], marker=marker, color=colour, label=f"{windows} windows")
            late.fill_between(late_by.index, late_by["min"], late_by["max"], color=colour, alpha=0.2, linewidth=0)
        late.set(yscale="log", xlabel="gap of the shift", ylabel="rounds until the restart")
        ticks = [5000, 10_000, 20_000, 40_000]
        late.set_yticks(ticks, [f"{v // 1000}k" for v in ticks])
        late.yaxis.set_minor_locator(NullLocator())
        late.legend(title="line: mean; band: range")
        late.set_title("Smaller shifts hide longer", fontsize=11.5)
    return figure


def privacy(data: pd.DataFrame) -> Figure:
    """Figure 5: privacy losses of the released plays over epsilon, printed and corrected."""
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 3.6))
        colours = {"printed": PALETTE["restarts"], "corrected": PALETTE["meta_experts"]}
        labels = list(dict.fromkeys(data["case"]))
        for calibration, shift, marker in (("printed", -0.13, "D"), ("corrected", 0.13, "o")):
            rows = data[data["calibration"] == calibration].set_index("case").loc[labels]
            y = np.arange(len(labels)) + shift
            ax.hlines(y, rows["lower"].clip(lower=0.03), rows["upper"], color=colours[calibration], linewidth=2)
            color = colours[calibration]
            ax.plot(
                rows["lower"].where(rows["lower"] > 0), y, marker, color=color, markersize=8, label=calibration
            )
            ax.plot(rows["upper"], y, "|", color=colours[calibration], markersize=13, markeredgewidth=2)
        ax.axvline(1, color="black", linewidth=1.2)
        ax.text(1.02, len(labels) - 0.55, "claimed: ε", fontsize=9.5)
        ax.set_yticks(range(len(labels)), labels)
        ax.set(xscale="log", xlim=(0.03, 30), ylim=(len(labels) - 0.4, -0.5))
        ax.set_xlabel("privacy loss / ε   (mark: certified, bar end: proved)")
        ticks = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
        ax.set_xticks(ticks, [f"{v:g}" for v in ticks])
        ax.xaxis.set_minor_locator(NullLocator())
        ax.legend(loc="lower right")
        ax.set_title("Printed calibrations exceed ε, corrected ones do not")
    return figure
