"""The synopsis's figures: tidy data in, figure out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator

from replicate.learners.pseudo_regret import MAX_DRAWN
from replicate.learners.registry import entry
from replicate.workbook import figures
from replicate.workbook.figures import headline, label_ends, log2_axis, style, title

_OWN_COLOURS = {
    "restarts": "#E69F00",
    "meta_experts": "#56B4E9",
    "mirror_descent": "#8C564B",
    "htinf": "#882255",
    "fixed_share_cube": "#009E73",
    "dp_imed": "#CC79A7",
    "bit_tsallis_inf": "#0072B2",
    "thompson": "#000000",
}
"""Of learners whose colour in their papers' figures is that of a learner of another paper."""
_OWN_FORMS = {"gumbel": "v", "exponential": "D", "laplace": "^", "fixed_share_cube": "P", "fixed_share": "X"}
"""Markers of learners whose colours not every reader can tell apart."""


def _colour(learner: str) -> str:
    return _OWN_COLOURS.get(learner) or entry(learner).colour


def _form(learner: str) -> str:
    """Marker of a learner: a circle for a bandit, a square for one that is tuned for T."""
    about = entry(learner)
    common = "o" if about.feedback == "bandit" else "s" if about.max_horizon <= MAX_DRAWN else ""
    return _OWN_FORMS.get(learner, common)


def _draw(ax: Axes, rows: pd.DataFrame, x: str, learner: str) -> tuple[float, Any]:
    """Draw one learner's mean and confidence band, dashed where it has no privacy; return where it ends."""
    colour, line = _colour(learner), "-" if entry(learner).private else "-."
    ax.plot(
        rows[x], rows["regret"], color=colour, linestyle=line, marker=_form(learner), markersize=4.5,
        markevery=1 + len(rows) // 16,
    )  # fmt: skip
    ax.fill_between(rows[x], rows["low"].clip(lower=1e-3), rows["high"], color=colour, alpha=0.2, linewidth=0)
    return float(rows["regret"].iloc[-1]), colour


def _draw_all(ax: Axes, data: pd.DataFrame, x: str) -> dict[str, tuple[float, Any]]:
    """Draw every learner; return by label where they end."""
    learners = data.groupby("learner", sort=False)
    return {entry(str(name)).label: _draw(ax, rows, x, str(name)) for name, rows in learners}


def _uniform(ax: Axes, x: Iterable[float], y: Iterable[float]) -> None:
    ax.plot(list(x), list(y), **figures.UNIFORM)


_SITUATIONS = {
    "IID": "iid losses, all of them seen",
    "FIX": "fixed losses, all of them seen",
    "BIID": "iid losses, bandit feedback",
    "BFIX": "fixed losses, bandit feedback",
}
_FAMILIES = {
    "noise on blocks": (
        "#F0E442",
        ("gumbel", "exponential", "laplace", "prefix", "limited", "restarts", "weighted", "tripled", "last_batch"),
    ),
    "tree of noisy sums": ("#8FD0F5", ("hedge_tree", "leader_tree", "hedge_fact")),
    "noisy batches": ("#F5F5F5", ("fixed_share", "htinf", "exp3", "ftpl", "dartboard", "pure_", "mirror", "meta")),
    "noisy sums of arms": ("#D5702E", ("dp_", "adap_", "lazy_")),
    "one random bit": ("#B85C90", ("bit_", "batch_bit", "coordinate", "per_round")),
    "nothing is learnt": ("#9E9E9E", ("uniform",)),
}
"""What a learner makes private, its colour in the map, and how the names of such learners begin."""


def _family(learner: str) -> tuple[str, str]:
    """Return the family of a learner, by the quantity it makes private, and its colour."""
    for name, (colour, starts) in _FAMILIES.items():
        if learner.startswith(starts):
            return name, colour
    return "another", "#FFFFFF"


def winners(data: pd.DataFrame) -> Figure:
    """Figure 1: the learner with the smallest regret of those with a guarantee, over K and epsilon."""
    panels = [name for name in _SITUATIONS if (data["situation"] == name).any()]
    with style(), plt.rc_context({"axes.grid": False}):
        figure, axes = plt.subplots(2, -(-len(panels) // 2), figsize=(11.4, 6.8), sharex=True, sharey=True)
        used: dict[str, str] = {}
        for ax, name in zip(axes.flat, panels, strict=True):
            used |= _map(ax, data[data["situation"] == name])
        for ax in axes[:, 0]:
            ax.set_ylabel("actions K")
        for ax in axes[-1]:
            ax.set_xlabel("privacy level ε")
        headline(figure, "What to make private depends on the feedback, K and ε", {
            ax: _SITUATIONS[name] for ax, name in zip(axes.flat, panels, strict=True)
        })  # fmt: skip
        keys = [Patch(facecolor=colour, edgecolor="#666666", label=name) for name, colour in used.items()]
        note = (
            f"Cell: winner with a guarantee, T = {int(data['rounds'].iloc[0]):,}; 2nd: regret of the second over "
            "the winner's; free: the winner's over the best without privacy.\n"
            "?: these runs do not tell the two apart. In brackets: the winner is at most a tenth below uniform "
            "play."
        )
        figure.legend(handles=keys, title=note, title_fontsize=9, loc="outside lower center", ncols=len(keys),
                      fontsize=10)  # fmt: skip
    return figure


def _map(ax: Axes, data: pd.DataFrame) -> dict[str, str]:
    """One panel: a cell for each K and epsilon, coloured by what the winner makes private; return these."""
    actions, levels = sorted(data["n_actions"].unique()), sorted(data["epsilon"].unique(), reverse=True)
    used = {}
    for row in data.to_dict("records"):
        x, y = levels.index(row["epsilon"]), actions.index(row["n_actions"])
        family, colour = _family(row["learner"])
        used[family] = colour
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=2))
        name = f"[{_short(row['label'])}]" if row["of_uniform"] > _HARDLY else _short(row["label"])
        lines = textwrap.fill(name, _WIDTH, break_on_hyphens=False)
        ax.text(
            x, y + 0.16, lines, label=name, ha="center", va="center", fontsize=9, weight="bold", linespacing=0.95
        )
        free = f"free ×{_factor(row['to_not_private'])}" if row["to_not_private"] > 0 else ""
        decided = any(entry(worse).label == row["second"] for worse in row["beaten"].split())
        factors = [f"2nd ×{_factor(row['to_second'])}{'' if decided else '?'}", free]
        ax.text(x, y - 0.33, "  ".join(factors), ha="center", va="center", fontsize=8.5)
    ax.set(xlim=(-0.5, len(levels) - 0.5), ylim=(-0.5, len(actions) - 0.5))
    ax.set_xticks(range(len(levels)), [f"{level:g}" for level in levels])
    ax.set_yticks(range(len(actions)), [f"{k}" for k in actions])
    return used


_HARDLY = 0.9
"""Share of the regret of uniform play above which a winner hardly learns."""


_WIDTH = 20
"""Letters in a line of a cell."""


def _short(label: str) -> str:
    """A learner's label in a cell, without what the colour says."""
    for family in (" on batches", " in batches", " on a tree", " of a tree"):
        label = label.replace(family, "")
    return label.replace(" × ", "\u00a0×\u00a0")


def _factor(value: float) -> str:
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def over_time(data: pd.DataFrame) -> Figure:
    """Figure 2: regret against T of every learner on one stochastic instance."""
    with style():
        figure, ax = plt.subplots(figsize=(8.4, 5.2))
        last = float(data["rounds"].max())
        ends: dict[str, tuple[float, Any]] = {}
        streamed: list[tuple[str, float, float, Any]] = []
        for learner, rows in data[data["rounds"] > 30].groupby("learner", sort=False):
            label, end = entry(str(learner)).label, float(rows["rounds"].iloc[-1])
            height, colour = _draw(ax, rows, "rounds", str(learner))
            if end == last:
                ends[label] = (height, colour)
            else:
                streamed.append((label, end, height, colour))
        early = data[(data["rounds"] > 30) & (data["rounds"] < 2**19)].sort_values("rounds")
        _uniform(ax, early["rounds"], early["uniform"])
        ax.annotate("uniform play", (2**19, 2**19 * 0.4375), xytext=(4, -3), textcoords="offset points",
                    color="#666666", fontsize=9.5)  # fmt: skip
        log2_axis(ax)
        ax.set(
            yscale="log", xlim=(32, last), ylim=(2, 4e5), xlabel="rounds T", ylabel="pseudo-regret (total loss)"
        )
        for label, x, y, colour in streamed:
            ax.annotate(label, (x, y), xytext=(7, 0), textcoords="offset points", color=colour, va="center",
                        fontsize=9.5)  # fmt: skip
        label_ends(ax, last, ends)
        title(
            ax,
            "On iid losses learners for any losses have a hundredfold regret",
            "K = 8, gap 0.5, ε = 1. Squares: tuned for T; circles: bandits; dash-dotted: not private; bands 99 %.",
        )
    return figure


def noise_price(data: pd.DataFrame) -> Figure:
    """Figure 3: what privacy costs a stochastic learner, over (K, gap, epsilon)."""
    wide = data.pivot(index=["n_actions", "gap", "epsilon"], columns="learner", values="regret").reset_index()
    wide["ratio"] = wide["exponential"] / wide["no_noise"]
    actions = sorted(wide["n_actions"].unique())
    with style(), plt.rc_context({"axes.grid": False}):
        figure, axes = plt.subplots(1, len(actions), figsize=(3.1 * len(actions), 3.6), sharey=True, squeeze=False)
        for ax, k in zip(axes[0], actions, strict=True):
            cells = wide[wide["n_actions"] == k].pivot(index="gap", columns="epsilon", values="ratio")
            cells = cells[sorted(cells.columns, reverse=True)]
            figures.ratio_map(ax, cells, lambda ratio: f"×{_factor(ratio)}", most=400, dark=12)
            ax.set_xlabel("privacy level ε")
        axes[0, 0].set_ylabel("gap Δ")
        panels = {ax: f"K = {k}" for ax, k in zip(axes[0], actions, strict=True)}
        headline(figure, "Privacy is nearly free where ε is ten times the gap", panels)
        figure.supxlabel("cell: regret of exponential noise over regret without noise, T = 2⁴⁰", fontsize=9.5)
    return figure


def over_switches(data: pd.DataFrame) -> Figure:
    """Figure 4: dynamic regret against the number of switches."""
    horizon = int(data["horizon"].iloc[0])
    with style():
        figure, ax = plt.subplots(figsize=(8.0, 4.8))
        ends: dict[str, tuple[float, Any]] = {}
        for learner, rows in data.groupby("learner", sort=False):
            name, never = str(learner), rows[rows["n_switches"] == 0].iloc[0]
            ends[entry(name).label] = _draw(ax, rows[rows["n_switches"] > 0], "n_switches", name)
            down = never["regret"] - min(max(never["low"], 1.0), never["regret"])
            bars = ([down], [never["high"] - never["regret"]])
            ax.errorbar(
                [0], [never["regret"]], yerr=bars, fmt=_form(name), color=_colour(name), markersize=5, capsize=2
            )
        uniform = data.drop_duplicates("n_switches")
        _uniform(ax, uniform["n_switches"], uniform["uniform"])
        last = float(data["n_switches"].max())
        ends["uniform play"] = (float(uniform["uniform"].iloc[0]), "#666666")
        ax.set(yscale="log", xlim=(-0.35, last), ylim=(5, 6 * horizon))
        ax.set_xlabel("switches S of the best action (at 0 it never changes)")
        ax.set_ylabel("dynamic pseudo-regret")
        ax.xaxis.set_major_locator(FixedLocator(sorted(data["n_switches"].unique())))
        label_ends(ax, last, ends)
        title(
            ax,
            "One change ruins a learner made for a fixed best action",
            f"K = 8, gap 0.9, ε = 1, T = {horizon:,}. Bands and bars: 99 % confidence; dash-dotted: not private.",
        )
    return figure


def clock_trap(data: pd.DataFrame) -> Figure:
    """Figure 5: regret against T on the table that traps learners on doubling blocks."""
    with style():
        figure, ax = plt.subplots(figsize=(7.6, 4.6))
        ends = _draw_all(ax, data, "rounds")
        uniform, last = data.drop_duplicates("rounds"), float(data["rounds"].max())
        _uniform(ax, uniform["rounds"], uniform["uniform"])
        ends["uniform play"] = (float(uniform["uniform"].iloc[-1]), "#666666")
        log2_axis(ax, step=2)
        ax.set(yscale="log", xlim=(data["rounds"].min(), last), ylim=(3, last), xlabel="rounds T", ylabel="regret")
        label_ends(ax, last, ends)
        title(
            ax,
            "On one fixed table block learners lose more than uniform play",
            "The clock trap, K = 2, ε = 1; each T is a game of its own. Dash-dotted: not private; bands 99 %.",
        )
    return figure


def feedback(data: pd.DataFrame) -> Figure:
    """Figure 6: what seeing one loss instead of all costs, against the number of actions."""
    horizon = int(data["horizon"].iloc[0])
    with style():
        figure, ax = plt.subplots(figsize=(7.6, 4.6))
        ends = _draw_all(ax, data, "n_actions")
        last = float(data["n_actions"].max())
        ax.set_xscale("log", base=2)
        arms = sorted(data["n_actions"].unique())
        ax.set_xticks(arms, [f"{k}" for k in arms])
        ax.set(yscale="log", xlim=(min(arms), last), xlabel="number of actions K", ylabel="pseudo-regret")
        label_ends(ax, last, ends)
        title(
            ax,
            "Not seeing the other losses costs more than privacy does",
            f"A good arm, gap 0.9, ε = 1, T = {horizon:,}. Circles: bandits; dash-dotted: not private; band 99 %",
        )
    return figure


_TREES = {
    "signed balanced tree": ("#0072B2", "o"),
    "balanced tree": ("#E69F00", "s"),
    "digits of either sign": ("#009E73", "^"),
    "digits 0 to k − 1": ("#999999", "v"),
}


def variance_of_sums(data: pd.DataFrame, limits: Mapping[str, float]) -> Figure:
    """Figure 8: variance of private prefix sums over their number, in units of its growth."""
    with style():
        figure, ax = plt.subplots(figsize=(8.0, 4.8))
        first, last = float(data["releases"].min()), float(data["releases"].max())
        for name, (colour, form) in _TREES.items():
            rows = data[data["scheme"] == name]
            n = rows["releases"].astype(float)
            ax.plot(n, rows["worst_over_log3"], color=colour, marker=form, markersize=5, label=name)
            ax.plot(n, rows["mean_over_log3"], color=colour, linestyle="--", marker=form, markersize=5)
            if name in limits:
                ax.plot([first, last], [limits[name]] * 2, color=colour, linestyle=":")
        log2_axis(ax)
        ax.set(xlim=(first, last), ylim=(0, None), xlabel="releases N", ylabel="variance / log₂³ N")
        ax.legend(fontsize=9, loc="upper right")
        title(
            ax,
            "The signed balanced tree has the least noise, and its limit is far away",
            "Pure noise, 1: that of a single release. Solid: worst release; dashed: mean; dotted: limits.",
        )
    return figure


VERDICTS = {
    "reproduced": ("#009E73", "o"),
    "true, proved here": ("#56B4E9", "P"),
    "reproduced with correction": ("#0072B2", "s"),
    "not refuted, proof incomplete": ("#E69F00", "^"),
    "unproved as printed": ("#CC79A7", "D"),
    "fails as printed": ("#D55E00", "X"),
    "our finding": ("#555555", "*"),
}
"""Colour and marker of what a failing lemma touches."""


def proofs(data: pd.DataFrame) -> Figure:
    """Figure 7: what each failing lemma touches, and by what that stands."""
    papers = list(dict.fromkeys(data["paper"]))
    rows = {paper: data[data["paper"] == paper].drop_duplicates("touches") for paper in papers}
    left = sorted(papers, key=lambda paper: -len(rows[paper]))
    with style():
        figure = plt.figure(figsize=(9.6, 0.27 * max(len(rows[left[0]]), sum(map(len, rows.values())) / 2) + 2.4))
        grid = figure.add_gridspec(1, 2)
        right = grid[1].subgridspec(len(left) - 1, 1, height_ratios=[len(rows[p]) + 1.5 for p in left[1:]])
        axes = {left[0]: figure.add_subplot(grid[0])}
        axes |= {paper: figure.add_subplot(right[i]) for i, paper in enumerate(left[1:])}
        for paper, ax in axes.items():
            _touched(ax, data[data["paper"] == paper], list(rows[paper]["touches"]))
        headline(figure, "What was proved from a false lemma has another ground, or is reported as failing", {
            ax: paper for paper, ax in axes.items()
        })  # fmt: skip
        shapes = [
            Line2D([], [], color=colour, marker=marker, linestyle="", label=verdict)
            for verdict, (colour, marker) in VERDICTS.items()
            if verdict in set(data["verdict"])
        ]
        key = (
            "Left: claims that are false or unproved as printed. Right: claims whose printed proofs use them,\n"
            "and after the colon the claims by which each stands instead."
        )
        figure.legend(handles=shapes, title=key, loc="outside lower center", ncols=3, fontsize=9, title_fontsize=9)
    return figure


def _touched(ax: Axes, data: pd.DataFrame, claims: list[str]) -> None:
    """One paper: failing lemmas on the left, what they touch on the right, each with what it stands by."""
    height = {name: len(claims) - 1 - i for i, name in enumerate(claims)}
    of = {fails: rows["touches"].map(height).mean() for fails, rows in data.groupby("fails", sort=False)}
    order = sorted(of, key=lambda name: of[name])
    how = dict(zip(data["fails"], data["how"], strict=True))
    place = dict(zip(order, np.linspace(0, len(claims) - 1, len(order) + 2)[1:-1], strict=True))
    for row in data.to_dict("records"):
        ends = [place[row["fails"]], height[row["touches"]]]
        ax.plot([0, 1], ends, color="#999999", linewidth=0.8, zorder=1)
    for fails, y in place.items():
        ax.annotate(fails, (0, y), xytext=(-6, 0), textcoords="offset points", ha="right", va="center")
        colour, marker = VERDICTS[how[fails]]
        ax.plot(0, y, color=colour, marker=marker, markersize=7)
    for row in data.drop_duplicates("touches").to_dict("records"):
        colour, marker = VERDICTS[row["verdict"]]
        y = height[row["touches"]]
        ax.plot(1, y, color=colour, marker=marker, markersize=6)
        stands = f": {row['stands_by'].replace(' ', ', ')}" if row["stands_by"] else ""
        ax.annotate(row["touches"] + stands, (1, y), xytext=(6, 0), textcoords="offset points", va="center",
                    fontsize=9)  # fmt: skip
    ax.set(xlim=(-0.55, 2.3), ylim=(-0.7, len(claims) - 0.3), xticks=[], yticks=[])
    for side in ax.spines.values():
        side.set_visible(False)
