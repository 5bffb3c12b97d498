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

from replicate.workbook import figures

Ends = dict[str, tuple[float, Any]]
"""Names of lines with their last heights and colours, for `label_ends`."""

_LIMIT: dict[str, Any] = {"color": "black", "linewidth": 2.4, "marker": "o", "markersize": 4}
"""Line style of the limit."""
_FORMS = "osD^vP"
"""Markers of lines in shades of one map, in their order."""


def _shade(level: float) -> Any:
    """Colour of a privacy level of the table, 1/10 to 4; grey without privacy."""
    return "#888888" if math.isinf(level) else figures.privacy_colour(level**1.6 / 40)


def _named(level: float) -> str:
    names = {math.log(2): "ε = ln 2", math.log(3): "ε = ln 3", math.inf: "no privacy"}
    return next(
        (name for value, name in names.items() if math.isclose(level, value, rel_tol=1e-4)), f"ε = {level:g}"
    )


def _rounds(ax: Axes, last: int) -> None:
    ax.set_xlim(1, last)
    ax.set_xlabel("rounds T")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def _under_uniform(ax: Axes, last: int, ends: Ends, quantity: str) -> None:
    """Draw uniform play over what is drawn, and name the lines."""
    ax.plot([1, last], [0.5, last / 2], **figures.UNIFORM)
    _rounds(ax, last)
    ax.set(ylim=(0, last / 2), ylabel=quantity)
    figures.label_ends(ax, last, {**ends, "uniform play": (last / 2, "#666666")})


def limits(values: pd.DataFrame, learners: pd.DataFrame) -> Figure:
    """Figure 1: the limit against T for several privacy levels; learners of the papers above it at epsilon = 1."""
    with figures.style():
        figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.8))
        last, ends = int(values["horizon"].max()), {}
        levels = [level for level in sorted(values["level"].unique()) if "ln" not in _named(level)]
        for level, form in zip(levels, _FORMS, strict=True):
            rows = values[values["level"] == level]
            axes[0].plot(rows["horizon"], rows["value"], color=_shade(level), marker=form, markersize=3.5)
            ends[_named(level)] = (rows["value"].iloc[-1], _shade(level))
        _under_uniform(axes[0], last, ends, "least worst-case regret of any learner")
        factor = _learners_above(axes[1], values, learners)
        figures.headline(
            figure,
            f"At ε = 1 and T = 5 the nearest learner has {factor:.2f} times the least possible regret",
            {axes[0]: "the limit: two actions, all losses seen", axes[1]: "learners of the papers at ε = 1"},
        )
    return figure


def _learners_above(ax: Axes, values: pd.DataFrame, learners: pd.DataFrame) -> float:
    """Draw the learners with exact regret over the limit at epsilon = 1; return the least ratio at T = 5."""
    rows = learners[learners["epsilon"] == "1"]
    last, ends = int(rows["horizon"].max()), {}
    for learner, own in rows.groupby("learner", sort=False):
        name = str(learner)
        shade = figures.colour(name)
        ax.plot(own["horizon"], own["regret"], color=shade, marker=figures.marker(name), markersize=4)
        ends[figures.label(name)] = (own["regret"].iloc[-1], shade)
    limit = values[np.isclose(values["level"], 1) & (values["horizon"] <= last)]
    ax.plot(limit["horizon"], limit["value"], **_LIMIT)
    ends["the limit"] = (limit["value"].iloc[-1], "black")
    _under_uniform(ax, last, ends, "worst-case regret over all tables")
    return float(rows[rows["horizon"] == 5]["ratio"].min())


def ratios(learners: pd.DataFrame) -> Figure:
    """Figure 2: worst-case regret over the limit, a panel a learner, over epsilon and T."""
    names = list(dict.fromkeys(learners["learner"]))
    with figures.style(), plt.rc_context({"axes.grid": False}):
        figure, axes = plt.subplots(1, len(names), figsize=(3.0 * len(names), 3.5), sharey=True, squeeze=False)
        for ax, name in zip(axes[0], names, strict=True):
            rows = learners[learners["learner"] == name]
            cells = rows.pivot(index="level", columns="horizon", values="ratio").sort_index()
            figures.ratio_map(ax, cells, "{:.2f}".format, most=4, dark=2, size=9.5)
            ax.set_xlabel("rounds T")
        axes[0, 0].set_ylabel("privacy level ε")
        panels = {ax: figures.label(name) for ax, name in zip(axes[0], names, strict=True)}
        worst = learners.loc[learners["ratio"].idxmax()]
        most = f"up to {worst['ratio']:.1f} times as much at ε = {worst['level']:g}"
        figures.headline(figure, f"Close to the limit at high privacy, {most}", panels)
        figure.supxlabel("cell: worst-case regret over the least possible, two actions, exact", fontsize=9.5)
    return figure


def bandits(values: pd.DataFrame) -> Figure:
    """Figure 3: what bandit feedback adds to the limit, against epsilon, for two and three actions."""
    keys = ["n_actions", "horizon", "level"]
    both = values[values["family"].isin(("full", "bandit")) & np.isfinite(values["level"])]
    wide = both.pivot(index=keys, columns="family", values="value").dropna().reset_index()
    wide["added"] = 100 * (wide["bandit"] / wide["full"] - 1)
    with figures.style():
        figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.5))
        for ax, (_, rows) in zip(axes, wide[wide["horizon"] > 1].groupby("n_actions"), strict=True):
            ends: Ends = {}
            shades = plt.get_cmap("viridis")(np.linspace(0.85, 0.1, 6))
            for (horizon, line), shade, form in zip(rows.groupby("horizon"), shades, _FORMS, strict=False):
                ax.plot(line["level"], line["added"], color=shade, marker=form, markersize=4)
                ends[f"T = {horizon}"] = (line["added"].iloc[-1], shade)
            levels = sorted(rows["level"].unique())
            shown = [level for level in levels if "ln" not in _named(level)]
            ax.set_xscale("log")
            ax.set_xticks(shown, [f"{level:g}" for level in shown])
            ax.minorticks_off()
            top = 1.05 * rows["added"].max()
            ax.set(xlim=(levels[0], levels[-1]), ylim=(-top / 20, top), xlabel="privacy level ε")
            figures.label_ends(ax, levels[-1], ends)
        axes[0].set_ylabel("added to the least regret by bandit feedback (%)")
        figures.headline(
            figure,
            "With two actions bandit feedback is free at high privacy; with three it is not",
            {axes[0]: "K = 2", axes[1]: "K = 3"},
        )
    return figure


def lower_bounds(values: pd.DataFrame, printed: pd.DataFrame) -> Figure:
    """Figure 4: three forms of the papers' lower bound against the limit on deterministic losses, K = 2."""
    with figures.style():
        figure, axes = plt.subplots(1, 2, figsize=(10.6, 4.6))
        for ax, level in zip(axes, (0.1, 1.0), strict=True):
            limit = values[np.isclose(values["level"], level)]
            last = int(limit["horizon"].max())
            ax.plot(limit["horizon"], limit["value"], **_LIMIT)
            ends: Ends = {"the limit": (limit["value"].iloc[-1], "black")}
            shades = {"sum": "#D55E00", "integral": "#0072B2", "printed": "#CC79A7"}
            rows = printed[np.isclose(printed["level"], level) & (printed["horizon"] <= last)]
            for form, own in rows.groupby("form", sort=False):
                shade = shades[str(form)]
                line = figures.LOWER_BOUND | {"color": shade, "marker": "o", "markersize": 3}
                ax.plot(own["horizon"], own["bound"], **line)
                ends[f"Theorem 3, {form}"] = (own["bound"].iloc[-1], shade)
            _rounds(ax, last)
            ax.set_ylim(0, None)
            figures.label_ends(ax, last, ends)
        axes[0].set_ylabel("regret on deterministic losses")
        figures.headline(
            figure,
            "The sharpest form of paper 2's lower bound meets the limit at T = 1 and 2 and then falls behind",
            {axes[0]: "two actions, ε = 0.1", axes[1]: "two actions, ε = 1"},
        )
    return figure


def tree(data: pd.DataFrame, *, epsilon: str) -> Figure:
    """Figure 5: an optimal policy that rests at odd rounds, as a tree of letters."""
    chance = data.set_index("letters")["chance"]
    with figures.style():
        figure, ax = plt.subplots(figsize=(9.4, 4.8))
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
        ax.set(xlim=(-0.3, 2.6), ylim=(-3.9, 4.7))
        figures.title(
            ax,
            "An optimal learner for five rounds moves at rounds 2 and 4 alone",
            f"Deterministic losses, ε = {epsilon}. Plus: action 0 has loss 0; minus: 1. Round 4: after action 0.",
        )
    return figure


def _branch(ax: Axes, start: tuple[float, float], end: tuple[float, float], letters: str) -> None:
    """A line with its letters."""
    ax.plot([start[0], end[0]], [start[1], end[1]], color="#bbbbbb", linewidth=1.2, zorder=1)
    middle = (start[0] + 0.62 * (end[0] - start[0]), start[1] + 0.62 * (end[1] - start[1]))
    ax.annotate(
        letters.replace("-", "−"), middle, ha="center", va="center", fontsize=11, color="#0072B2",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5}, zorder=2,
    )  # fmt: skip


def _node(ax: Axes, place: tuple[float, float], text: str) -> None:
    box = {"boxstyle": "round,pad=0.35", "facecolor": "#f2f2f2", "edgecolor": "#888888", "linewidth": 0.8}
    ax.annotate(text, place, ha="center", va="center", fontsize=9.5, bbox=box, zorder=3)
