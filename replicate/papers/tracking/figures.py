"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from replicate.papers.tracking import bounds
from replicate.papers.tracking.algorithms import switching
from replicate.workbook import figures as draw

_ONE, _OTHER = draw.colour("restarts"), draw.colour("meta_experts")


def _own(name: str, learner: str) -> draw.Look:
    return draw.look(learner)._replace(name=name)


LOOKS = {
    "restarts": _own("Algorithm 2 (restarts)", "restarts"),
    "limited_updates": _own("Algorithm 1 (no restarts)", "limited_updates"),
    "meta_experts": draw.look("meta_experts"),
    "mirror_descent": _own("Algorithm 3 (mirror descent)", "mirror_descent"),
    "fixed_share": draw.Look("Fixed Share, not private", draw.colour("non_private"), ".", (0, (5, 1))),
    "oracle_leader": draw.Look("leader restarted at the shifts", "#000000", ".", (0, (1, 1))),
    "uniform": draw.Look("uniform play", draw.colour("uniform"), ".", (0, (4, 2, 1, 2))),
}


def _thousands(value: float, _: int = 0) -> str:
    return f"{value / 1000:g}k" if value else "0"


@draw.style()
def shift_run(data: pd.DataFrame) -> Figure:
    """Figure 1: four phases; the expert each learner plays, and dynamic regret in time."""
    horizon, methods = int(data["round"].max()), list(dict.fromkeys(data["method"]))
    figure, (top, ax) = plt.subplots(2, 1, figsize=(7.8, 5.6), sharex=True, height_ratios=[1.15, 2])
    _experts_played(top, data, methods, horizon)
    ends = draw.curves(ax, data, "round", "regret", "method", LOOKS.__getitem__, markevery=64)
    for t in (horizon * k // 4 for k in (1, 2, 3)):
        for axes in (top, ax):
            axes.axvline(t, color="black", linewidth=0.9, linestyle=":")
    restarts = data[(data["method"] == "restarts") & data["restart"] & (data["round"] > 200)]["round"]
    ax.plot(restarts, 0 * restarts, "^", color=_ONE, markersize=9, clip_on=False, zorder=5)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(_thousands))
    draw.finish(ax, ends, gap=0.09, xlabel="round", ylabel="dynamic regret", xlim=(0, horizon), ylim=(0, None))
    draw.headline(figure, "Restarts notice every shift; without them the old leader stays", {})
    about = "dotted: true shifts; triangles: restarts detected\nN = 4, S = 3, ε = 1, gap 0.9, one run"
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    ax.text(0.01, 0.97, about, transform=ax.transAxes, va="top", bbox=paper, fontsize=9, color=draw.INK)
    return figure


def _experts_played(ax: Axes, data: pd.DataFrame, methods: list[str], horizon: int) -> None:
    """Draw the expert that each learner plays, a row of colours a learner; the names of the best are the key."""
    rows = np.array([data[data["method"] == m]["expert"] for m in methods])
    shades = plt.get_cmap("cividis", 4)
    extent = (0, horizon, len(methods) - 0.5, -0.5)
    ax.imshow(rows, aspect="auto", cmap=shades, vmin=0.5, vmax=4.5, interpolation="nearest", extent=extent)
    ax.set_yticks(range(len(methods)), [LOOKS[m].name.replace(" (", "\n(") for m in methods], fontsize=9)
    ax.grid(visible=False)
    for k in range(4):
        key: dict[str, Any] = {"bbox": {"facecolor": shades(k), "edgecolor": "none", "pad": 2.5}, "fontsize": 9}
        x, color = horizon * (k + 0.5) / 4, "white" if k < 2 else "black"
        ax.text(x, -0.66, f"best: expert {k + 1}", ha="center", va="bottom", color=color, **key)


@draw.style()
def sweeps(data: pd.DataFrame) -> Figure:
    """Figure 3: dynamic regret of every learner against T, S and epsilon."""
    figure, axes = plt.subplots(1, 3, figsize=(11.4, 4.9), sharey=True)
    top = f"T = $2^{{{int(data['horizon'].max()).bit_length() - 1}}}$"
    panels = (
        ("T", "horizon", "horizon T", "S = 1, ε = 1"),
        ("S", "n_switches", "switches S", f"{top}, ε = 1"),
        ("epsilon", "epsilon", "privacy ε", f"{top}, S = 1"),
    )
    for ax, (axis, x, xlabel, _) in zip(axes, panels, strict=True):
        rows = data[data["axis"] == axis]
        draw.curves(ax, rows, x, "regret", "learner", LOOKS.__getitem__)
        bound = rows.drop_duplicates(x)
        draw.line(ax, bound[x], bound["bound"], draw.BOUND, "Theorem 3.6, printed")
        ax.set(xscale="log", yscale="log", xlabel=xlabel)
        if axis == "T":
            draw.log2_axis(ax, step=2)
        else:
            draw.ticks(ax, "x", sorted(rows[x].unique()))
    axes[0].set(ylabel="dynamic regret", ylim=(1, 1.5 * max(data["bound"].max(), data["high"].max())))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    finding = "Once Algorithm 2 restarts, its regret grows with S and 1/ε, hardly with T"
    return draw.headline(figure, finding, dict(zip(axes, (panel[-1] for panel in panels), strict=True)))


@draw.style()
def meta_experts(data: pd.DataFrame) -> Figure:
    """Figure 4: the weights over (switches used, expert), and what the literal list would hold."""
    figure, (ax, cost) = plt.subplots(1, 2, figsize=(10.4, 4.6), width_ratios=[1.7, 1])
    n, last = int(data["expert"].max()), data["round"].max()
    wide = data.pivot_table(index=["switches", "expert"], columns="round", values="weight")
    shown: dict[str, Any] = {"aspect": "auto", "cmap": "Greys", "vmin": 0, "vmax": 1, "interpolation": "nearest"}
    ax.imshow(wide.to_numpy(), **shown, extent=(0, last, len(wide) - 0.5, -0.5))
    ax.grid(visible=False)
    ax.set_yticks(range(len(wide)), [f"{j}" for _, j in wide.index], fontsize=9)
    for s in range(len(wide) // n):
        used = f"{s} switch{'' if s == 1 else 'es'} used"
        ax.text(0.985 * last, s * n + 0.3, used, ha="right", color=_OTHER, fontsize=9, fontweight="bold")
        ax.axhline(s * n - 0.5, color="#cccccc", linewidth=0.8)
    for t in (1000, 2000, 3000):
        ax.axvline(t, color=_ONE, linestyle=":", linewidth=1.2)
    ax.set(xlabel="round (dotted: true shifts)", ylabel="current expert, within each count of switches")
    horizons = np.array([5, 10, 30, 100, 1000, 10**4, 10**5, 10**6])
    ends: draw.Ends = {}
    for experts, s, shade in ((4, 3, _OTHER), (16, 8, _ONE)):
        counts = [switching.log_count_sequences(int(t), experts, s) / np.log(10) for t in horizons]
        ends |= draw.line(cost, horizons, counts, {"color": shade}, f"list, N={experts}, S={s}")
        draw.line(cost, horizons, np.log10(experts * (s + 1)), {"color": shade, "linestyle": "-."})
    ends["filters: 144, 16"] = (1.7, "black")
    cost.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"$10^{{{v:.0f}}}$"))
    cost.set(xscale="log", ylabel="numbers kept (power of 10)")
    draw.finish(cost, ends, xlim=(5, 10**6), ylim=(0, 58), xlabel="horizon T")
    ax.set_title("The weights climb one stair at each shift", fontsize=11.5)
    cost.set_title("The filter keeps N(S+1) numbers", fontsize=11.5)
    return figure


@draw.style()
def adversaries(data: pd.DataFrame) -> Figure:
    """Figure 6: the same losses from an adaptive adversary and replayed, as a share of the horizon."""
    figure, ax = plt.subplots(figsize=(7.8, 4.2))
    horizon = int(data["horizon"].max())
    order = ["Algorithm 1", "Algorithm 1, no noise", "meta-experts", "Algorithm 3", "Fixed Share, not private"]
    rows = data[data["horizon"] == horizon].assign(share=data["regret"] / horizon)
    means = rows.pivot_table(index="learner", columns="adversary", values="share").loc[order]
    places = draw.listed(ax, order, above=1.0)
    ax.hlines(places, means["oblivious replay"], means["adaptive"], color="#bbbbbb", linewidth=5, zorder=1)
    for kind, form, shade, size, name in (
        ("adaptive", "D", _ONE, 9, "adaptive adversary"),
        ("oblivious replay", "o", _OTHER, 10, "the same losses, replayed to a fresh copy"),
    ):
        games = rows[rows["adversary"] == kind]
        ax.plot(games["share"], games["learner"].map(order.index), "|", color=shade, alpha=0.5, markersize=12)
        ax.plot(means[kind], places, form, color=shade, markersize=size, zorder=3, label=name)
    rate = bounds.adaptive_lower_rate(horizon=horizon, n_switches=1, epsilon=float(np.sqrt(1 / horizon)))
    ax.axvline(rate / horizon, **draw.LOWER_BOUND)
    ax.text(rate / horizon + 0.01, -0.75, "Theorem 5.1's rate, constant 1", fontsize=9, va="center")
    ax.legend(loc="lower right")
    ax.set_title("Adaptive losses defeat learners that rarely move")
    about = f"(T = N = {horizon}, S = 1, ε = √(S/T); marks: means, ticks: games)"
    ax.set_xlim(0, 1.02)
    ax.set_xlabel(f"dynamic regret / T   {about}", fontsize=9.5)
    return figure


@draw.style()
def detection(queries: pd.DataFrame, delays: pd.DataFrame) -> Figure:
    """Figure 2: the largest query in time with its threshold, and the delay against the size of the shift."""
    figure, (ax, late) = plt.subplots(1, 2, figsize=(10.4, 4.4), width_ratios=[1.4, 1])
    shift, restart = int(queries["shift"].iloc[0]), int(queries["restart"].iloc[0])
    alpha, last = queries["accuracy"].iloc[0], queries["query"].iloc[-1]
    draw.line(ax, queries["round"], queries["query"], {"color": _ONE})
    ax.axhline(0, color="black", linewidth=1)
    ax.axhspan(-alpha, alpha, color="#dddddd", alpha=0.6, linewidth=0)
    ax.text(queries["round"].iloc[0], alpha * 0.93, "threshold 0 ± its accuracy α", fontsize=9, va="top")
    ax.axvline(shift, color="black", linestyle=":", linewidth=1)
    ax.plot(restart, last, "^", color=_ONE, markersize=10)
    ax.annotate("shift ", (shift, 0.3), xycoords=("data", "axes fraction"), ha="right", fontsize=9.5)
    after = f"restart after\n{restart - shift} rounds "
    ax.annotate(after, (restart, last), (-6, 8), ha="right", va="bottom", **draw.ASIDE)
    ax.xaxis.set_major_formatter(FuncFormatter(_thousands))
    ax.set(xlabel="round", ylabel="largest window query", xlim=(0, restart * 1.03))
    spans = delays.groupby(["windows", "gap"])["delay"].agg(["mean", "min", "max"]).reset_index()
    looks = {"all": draw.Look("all windows", _ONE, "o"), "dyadic": draw.Look("dyadic windows", _OTHER, "s")}
    draw.curves(late, spans, "gap", "mean", "windows", looks.__getitem__, band=("min", "max"))
    late.legend(title="line: mean; band: range")
    late.set(yscale="log", xlabel="gap of the shift", ylabel="rounds until the restart")
    draw.ticks(late, "y", (5000, 10_000, 20_000, 40_000), _thousands)
    ax.set_title("The largest query nears 0 only after the shift", fontsize=11.5)
    late.set_title("Smaller shifts hide longer", fontsize=11.5)
    return figure


@draw.style()
def privacy(data: pd.DataFrame) -> Figure:
    """Figure 5: privacy losses of the released plays over epsilon, printed and corrected."""
    figure, ax = plt.subplots(figsize=(7.8, 3.6))
    cases = list(dict.fromkeys(data["case"]))
    places = draw.listed(ax, cases, above=0.5)
    for calibration, shift, form, shade in (("printed", -0.13, "D", _ONE), ("corrected", 0.13, "o", _OTHER)):
        rows, y = data[data["calibration"] == calibration].set_index("case").loc[cases], places + shift
        ax.hlines(y, rows["lower"].clip(lower=0.03), rows["upper"], color=shade, linewidth=2)
        certified = rows["lower"].where(rows["lower"] > 0)
        ax.plot(certified, y, form, color=shade, markersize=8, label=calibration)
        ax.plot(rows["upper"], y, "|", color=shade, markersize=13, markeredgewidth=2)
    ax.axvline(1, color="black", linewidth=1.2)
    ax.text(1.02, len(cases) - 0.55, "claimed: ε", fontsize=9.5)
    ax.set(xscale="log", xlim=(0.03, 30), xlabel="privacy loss / ε   (mark: certified, bar end: proved)")
    draw.ticks(ax, "x", (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20))
    ax.legend(loc="lower right")
    ax.set_title("Printed calibrations exceed ε, corrected ones do not")
    return figure
