"""The notebook's figures: tidy data in, figure out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from replicate.workbook import figures as draw

_LIMIT: dict[str, Any] = {"color": "black", "linewidth": 2.4, "marker": "o", "markersize": 5}
"""Line style of the limit."""


def _named(level: float) -> str:
    names = {math.log(2): "ε = ln 2", math.log(3): "ε = ln 3", math.inf: "no privacy"}
    return next(
        (name for value, name in names.items() if math.isclose(level, value, rel_tol=1e-4)), f"ε = {level:g}"
    )


def _rounds(ax: Axes, last: int, ends: draw.Ends, *, uniform: bool = True) -> None:
    """Finish a panel over rounds, under uniform play."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if uniform:
        ends |= draw.line(ax, (1, last), np.array([0.5, last / 2]), draw.UNIFORM, "uniform play")
    draw.finish(ax, ends, xlim=(1, last), ylim=(0, last / 2 if uniform else None), xlabel="rounds T")


@draw.style()
def limits(values: pd.DataFrame, learners: pd.DataFrame) -> Figure:
    """Figure 1: the limit against T for several privacy levels; learners of the papers above it at epsilon = 1."""
    figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.8))
    levels = [level for level in sorted(values["level"].unique()) if "ln" not in _named(level)]
    shades = ["#888888" if math.isinf(level) else draw.privacy_colour(level**1.6 / 40) for level in levels]
    forms = dict(zip(levels, zip(shades, "osD^vPX", strict=False), strict=False))
    shown = values[values["level"].isin(levels)].sort_values(["level", "horizon"])
    axes[0].set_ylabel("least worst-case regret of any learner")
    ends = draw.curves(
        axes[0], shown, "horizon", "value", "level", lambda level: draw.Look(_named(level), *forms[level])
    )
    _rounds(axes[0], int(values["horizon"].max()), ends)
    rows = learners[learners["epsilon"] == "1"]
    last = int(rows["horizon"].max())
    limit = values[np.isclose(values["level"], 1) & (values["horizon"] <= last)]
    axes[1].set_ylabel("worst-case regret over all tables")
    ends = draw.curves(axes[1], rows, "horizon", "regret", "learner")
    ends |= draw.line(axes[1], limit["horizon"], limit["value"], _LIMIT, "the limit")
    _rounds(axes[1], last, ends)
    factor = rows[rows["horizon"] == 5]["ratio"].min()
    finding = f"At ε = 1 and T = 5 the nearest learner has {factor:.2f} times the least possible regret"
    panels = {axes[0]: "the limit: two actions, all losses seen", axes[1]: "learners of the papers at ε = 1"}
    return draw.headline(figure, finding, panels)


@draw.style()
def ratios(learners: pd.DataFrame) -> Figure:
    """Figure 2: worst-case regret over the limit, a panel a learner, over epsilon and T."""
    panels = {
        draw.label(name): rows.pivot(index="level", columns="horizon", values="ratio").sort_index()
        for name, rows in learners.groupby("learner", sort=False)
    }
    worst = learners.loc[learners["ratio"].idxmax()]
    most = f"up to {worst['ratio']:.1f} times as much at ε = {worst['level']:g}"
    return draw.ratio_maps(
        panels, "{:.2f}".format, most=4, xlabel="rounds T", ylabel="privacy level ε",
        finding=f"Close to the limit at high privacy, {most}",
        cell="cell: worst-case regret over the least possible, two actions, exact",
    )  # fmt: skip


@draw.style()
def lower_bounds(values: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Figure 4: three forms of the papers' lower bound against the limit on deterministic losses, K = 2."""
    figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.6))
    shades = {"sum": ("#D55E00", "o"), "integral": ("#0072B2", "s"), "printed": ("#CC79A7", "^")}
    for ax, level in zip(axes, (0.1, 1.0), strict=True):
        limit = values[np.isclose(values["level"], level)]
        last = int(limit["horizon"].max())
        ends = draw.line(ax, limit["horizon"], limit["value"], _LIMIT, "the limit")
        rows = printed[np.isclose(printed["level"], level) & (printed["horizon"] <= last)]
        ends |= draw.curves(
            ax, rows, "horizon", "bound", "form", lambda form: draw.Look(f"Theorem 3, {form}", *shades[form], ":")
        )
        _rounds(ax, last, ends, uniform=False)
    axes[0].set_ylabel("regret on deterministic losses")
    finding = "The sharpest form of paper 2's lower bound meets the limit at T = 1 and 2 and then falls behind"
    return draw.headline(figure, finding, {axes[0]: "two actions, ε = 0.1", axes[1]: "two actions, ε = 1"})


@draw.style()
def tree(data: pd.DataFrame, *, epsilon: str) -> Figure:
    """Figure 5: an optimal policy that rests at odd rounds, as a tree of letters."""
    _, ax = plt.subplots(figsize=(9.4, 4.8))
    chance = data.set_index("letters")["chance"]
    ax.axis("off")
    _node(ax, (0.0, 0.0), "round 1\nfair coin")
    for sign, first in ((1, "+"), (-1, "-")):
        _branch(ax, (0.0, 0.0), (1.0, sign * 2.0), first)
        _node(ax, (1.0, sign * 2.0), f"round 2: play 1\nwith chance {chance[first]:.3f}")
        for step, later in zip((1.5, 0.5, -0.5, -1.5), ("++", "+-", "-+", "--"), strict=True):
            end = (2.2, sign * 2.0 + step)
            _branch(ax, (1.0, sign * 2.0), end, later)
            _node(ax, end, f"{chance[first + later]:.3f}")
    ax.text(2.2, 4.1, "round 4: leave action 0\nfor 1 with chance", ha="center", fontsize=10)
    return draw.finish(
        ax, xlim=(-0.3, 2.6), ylim=(-3.9, 4.7),
        finding="An optimal learner for five rounds moves at rounds 2 and 4 alone",
        setting=f"Deterministic losses, ε = {epsilon}. Plus: action 0 has loss 0; minus: 1. "
        "Round 4: after action 0.",
    )  # fmt: skip


def _branch(ax: Axes, start: tuple[float, float], end: tuple[float, float], letters: str) -> None:
    """A line with its letters."""
    ax.plot([start[0], end[0]], [start[1], end[1]], color="#bbbbbb", linewidth=1.2, zorder=1)
    middle = (start[0] + 0.62 * (end[0] - start[0]), start[1] + 0.62 * (end[1] - start[1]))
    box = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    said = letters.replace("-", "−")
    ax.annotate(said, middle, ha="center", va="center", fontsize=11, color="#0072B2", bbox=box, zorder=2)


def _node(ax: Axes, place: tuple[float, float], text: str) -> None:
    box = {"boxstyle": "round,pad=0.35", "facecolor": "#f2f2f2", "edgecolor": "#888888", "linewidth": 0.8}
    ax.annotate(text, place, ha="center", va="center", fontsize=9.5, bbox=box, zorder=3)
