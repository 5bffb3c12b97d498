"""The synopsis's figures: tidy data in, figure out."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedLocator

from replicate.learners.pseudo_regret import MAX_DRAWN
from replicate.learners.registry import entry
from replicate.studies.synopsis.instances import MAPPED, SITUATIONS
from replicate.workbook import figures as draw

_OWN_COLOURS = {
    "restarts": "#E69F00",
    "meta_experts": "#56B4E9",
    "mirror_descent": "#8C564B",
    "htinf": "#882255",
    "fixed_share_cube": "#332288",
    "dp_imed": "#CC79A7",
    "bit_tsallis_inf": "#0072B2",
    "thompson": "#000000",
    "tsallis_inf": "#000000",
    "hedge": "#6B6B00",
}
"""Of learners whose colour in their papers' figures is that of a learner of another paper."""
_OWN_FORMS = {"gumbel": "v", "exponential": "D", "laplace": "^", "fixed_share_cube": "P", "fixed_share": "X"}
"""Markers of learners whose colours not every reader can tell apart."""


def _look(learner: str) -> draw.Look:
    """A learner: dash-dotted without privacy, a circle for a bandit, a square for one that is tuned for T."""
    about = entry(learner)
    common = "o" if about.feedback == "bandit" else "s" if about.max_horizon <= MAX_DRAWN else ""
    shade, form = _OWN_COLOURS.get(learner, about.colour), _OWN_FORMS.get(learner, common)
    return draw.Look(about.label, shade, form, "-" if about.private else "-.")


_FAMILIES = {
    "noise on blocks": (
        "#F0E442",
        (
            "gumbel",
            "exponential",
            "laplace",
            "prefix",
            "limited",
            "restarts",
            "weighted",
            "random_epochs",
            "few_leaders",
            "fading_batches",
        ),
    ),
    "tree of noisy sums": ("#8FD0F5", ("hedge_tree", "hedge_fact")),
    "noisy batches": (
        "#F5F5F5",
        ("fixed_share", "htinf", "exp3", "ftpl", "dartboard", "pure_", "mirror", "meta"),
    ),
    "noisy sums of arms": ("#D5702E", ("dp_",)),
    "one random bit": ("#B85C90", ("bit_", "batch_bit", "coordinate", "per_round")),
    "nothing is learnt": ("#9E9E9E", ("uniform",)),
}
"""What a learner makes private, its colour in the map, and how the names of such learners begin."""


def _family(learner: str) -> str:
    """Return the family of a learner, by the quantity it makes private."""
    return next(name for name, (_, starts) in _FAMILIES.items() if learner.startswith(starts))


@draw.style()
def winners(data: pd.DataFrame) -> Figure:
    """Figure 1: the learner with the smallest regret of those with a guarantee, over K and epsilon."""
    panels = [name for name in MAPPED if (data["situation"] == name).any()]
    figure, axes = plt.subplots(2, -(-len(panels) // 2), figsize=(9.4, 10.0), sharex=True, sharey=True)
    used = [_map(ax, data[data["situation"] == name]) for ax, name in zip(axes.flat, panels, strict=True)]
    for ax in axes.flat:
        ax.set(xlabel="privacy level ε", ylabel="actions K")
        ax.label_outer()
    said = {ax: SITUATIONS[name].text for ax, name in zip(axes.flat, panels, strict=True)}
    draw.headline(figure, "What to make private depends on the feedback, K and ε", said)
    shades = {name: shade for name, (shade, _) in _FAMILIES.items() if name in set().union(*used)}
    keys = [Patch(facecolor=shade, edgecolor="#666666", label=name) for name, shade in shades.items()]
    note = (
        f"Cell: winner with a guarantee, T = {int(data['rounds'].iloc[0]):,}; 2nd: regret of the second over the\n"
        "winner's; free: the winner's over the best without privacy. ?: these runs do not tell the\n"
        "two apart. In brackets: the winner is at most a tenth below uniform play."
    )
    text: dict[str, Any] = {"title_fontsize": 11, "fontsize": 11, "ncols": 3}
    figure.legend(handles=keys, title=note, loc="outside lower center", **text)
    return figure


def _map(ax: Axes, data: pd.DataFrame) -> set[str]:
    """One panel: a cell for each K and epsilon, coloured by what the winner makes private; return these."""
    families, colours = list(_FAMILIES), ListedColormap([shade for shade, _ in _FAMILIES.values()])
    data = data.assign(family=[families.index(_family(name)) for name in data["learner"]])
    numbers = data.pivot(index="n_actions", columns="epsilon", values="family").iloc[:, ::-1]
    draw.cells(ax, numbers, cmap=colours, vmin=-0.5, vmax=len(families) - 0.5, linewidths=2, linecolor="white")
    for row in data.to_dict("records"):
        x, y = numbers.columns.get_loc(row["epsilon"]) + 0.5, numbers.index.get_loc(row["n_actions"]) + 0.5
        name = f"[{_short(row['label'])}]" if row["of_uniform"] > _HARDLY else _short(row["label"])
        lines = textwrap.fill(name, _WIDTH, break_on_hyphens=False)
        free = f"free ×{_factor(row['to_not_private'])}" if row["to_not_private"] > 0 else ""
        decided = any(entry(worse).label == row["second"] for worse in row["beaten"].split())
        factors = [f"2nd ×{_factor(row['to_second'])}{'' if decided else '?'}", free]
        text: dict[str, Any] = {"ha": "center", "fontsize": 10, "linespacing": 0.95}
        ax.text(x, y - 0.1, lines, label=name, va="bottom", weight="bold", **text)
        ax.text(x, y - 0.17, "\n".join(factors), label="  ".join(factors), va="top", **text)
    return {families[i] for i in data["family"]}


_HARDLY = 0.9
"""Share of the regret of uniform play above which a winner hardly learns."""


_WIDTH = 16
"""Letters in a line of a cell."""


def _short(label: str) -> str:
    """A learner's label in a cell, without what the colour says."""
    for family in (" on batches", " in batches", " on a tree", " of a tree"):
        label = label.replace(family, "")
    return label.replace(" × ", "\u00a0×\u00a0")


def _factor(value: float) -> str:
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


@draw.style()
def over_time(data: pd.DataFrame) -> Figure:
    """Figure 2: regret against T of every learner on one stochastic instance."""
    _, ax = plt.subplots(figsize=(8.4, 5.2))
    data, last = data[data["rounds"] > 30], float(data["rounds"].max())
    ends = draw.curves(ax, data, "rounds", "regret", "learner", _look)
    early = data[data["rounds"] < 2**19].sort_values("rounds")
    draw.line(ax, early["rounds"], early["uniform"], draw.UNIFORM)
    ax.annotate("uniform play", (2**19, 2**19 * 0.4375), (4, -3), color="#666666", **draw.ASIDE)
    for learner, stop in data.groupby("learner")["rounds"].max().items():
        if stop < last:
            height, shade = ends.pop(_look(learner).name)
            name = ax.annotate(_look(learner).name, (stop, height), (7, 0), color=shade, va="center", **draw.ASIDE)
            name.set_path_effects([withStroke(linewidth=3, foreground="white")])  # lines may pass behind it
    draw.log2_axis(ax)
    return draw.finish(
        ax, ends, yscale="log", xlim=(32, last), ylim=(2, 4e5),
        xlabel="rounds T", ylabel="pseudo-regret (total loss)",
        finding="On i.i.d. losses learners for any losses have a hundredfold regret",
        setting="K = 8, gap 0.5, ε = 1. Squares: tuned for T; circles: bandits; dash-dotted: not private; "
        "bands 99%.",
    )  # fmt: skip


@draw.style()
def noise_price(data: pd.DataFrame) -> Figure:
    """Figure 3: what privacy costs a stochastic learner, over (K, gap, epsilon)."""
    wide = data.pivot(index=["n_actions", "gap", "epsilon"], columns="learner", values="regret").reset_index()
    wide["ratio"] = wide["exponential"] / wide["no_noise"]
    panels = {
        f"K = {k}": rows.pivot(index="gap", columns="epsilon", values="ratio").iloc[:, ::-1]
        for k, rows in wide.groupby("n_actions")
    }
    return draw.ratio_maps(
        panels, lambda ratio: f"×{_factor(ratio)}", most=400, xlabel="privacy level ε", ylabel="gap Δ",
        finding="Privacy is nearly free where ε is ten times the gap",
        cell="cell: regret of exponential noise over regret without noise, T = 2⁴⁰",
    )  # fmt: skip


@draw.style()
def over_switches(data: pd.DataFrame) -> Figure:
    """Figure 4: dynamic regret against the number of switches."""
    _, ax = plt.subplots(figsize=(8.0, 4.8))
    horizon, last = int(data["horizon"].iloc[0]), float(data["n_switches"].max())
    changing = data["n_switches"] > 0
    ends = draw.curves(ax, data[changing], "n_switches", "regret", "learner", _look)
    for learner, never in data[~changing].assign(low=data["low"].clip(lower=1)).groupby("learner"):
        draw.bars(ax, never, "n_switches", "regret", _look(learner))
    uniform = data.drop_duplicates("n_switches")
    ends |= draw.line(ax, uniform["n_switches"], uniform["uniform"], draw.UNIFORM, "uniform play")
    ax.xaxis.set_major_locator(FixedLocator(sorted(data["n_switches"].unique())))
    return draw.finish(
        ax, ends, yscale="log", xlim=(-0.35, last), ylim=(5, 6 * horizon),
        xlabel="switches S of the best action (at 0 it never changes)", ylabel="dynamic pseudo-regret",
        finding="One change ruins a learner made for a fixed best action",
        setting=f"K = 8, gap 0.9, ε = 1, T = {horizon:,}. Bands and bars: 99% confidence; "
        "dash-dotted: not private.",
    )  # fmt: skip


@draw.style()
def clock_trap(data: pd.DataFrame) -> Figure:
    """Figure 5: regret against T on the table that traps learners on doubling blocks."""
    _, ax = plt.subplots(figsize=(7.6, 4.6))
    uniform, last = data.drop_duplicates("rounds"), float(data["rounds"].max())
    ends = draw.curves(ax, data, "rounds", "regret", "learner", _look)
    ends |= draw.line(ax, uniform["rounds"], uniform["uniform"], draw.UNIFORM, "uniform play")
    draw.log2_axis(ax, step=2)
    return draw.finish(
        ax, ends, yscale="log", xlim=(data["rounds"].min(), last), ylim=(3, last),
        xlabel="rounds T", ylabel="regret",
        finding="On one fixed table block learners lose more than uniform play",
        setting="The clock trap, K = 2, ε = 1; each T is a game of its own. Dash-dotted: not private; bands 99%.",
    )  # fmt: skip


@draw.style()
def feedback(data: pd.DataFrame) -> Figure:
    """Figure 6: what seeing one loss instead of all costs, against the number of actions."""
    _, ax = plt.subplots(figsize=(7.6, 4.6))
    arms = sorted(data["n_actions"].unique())
    ends = draw.curves(ax, data, "n_actions", "regret", "learner", _look)
    ax.set_xscale("log", base=2)
    draw.ticks(ax, "x", arms)
    return draw.finish(
        ax, ends, yscale="log", xlim=(arms[0], arms[-1]), xlabel="number of actions K", ylabel="pseudo-regret",
        finding="Not seeing the other losses costs more than privacy does",
        setting=f"A good arm, gap 0.9, ε = 1, T = {int(data['horizon'].iloc[0]):,}. Circles: bandits; "
        "dash-dotted: not private; band 99%",
    )  # fmt: skip


_TREES = {
    "signed balanced tree": ("#0072B2", "o"),
    "balanced tree": ("#E69F00", "s"),
    "digits of either sign": ("#009E73", "^"),
    "digits 0 to k − 1": ("#777777", "v"),
}


@draw.style()
def variance_of_sums(data: pd.DataFrame, limits: Mapping[str, float]) -> Figure:
    """Figure 8: variance of private prefix sums over their number, in units of its growth."""
    _, ax = plt.subplots(figsize=(8.0, 4.8))
    ends = draw.curves(ax, data, "releases", "worst_over_log3", "scheme", lambda n: draw.Look(n, *_TREES[n]))
    draw.curves(ax, data, "releases", "mean_over_log3", "scheme", lambda n: draw.Look("", *_TREES[n], "--"))
    ends_at = (float(data["releases"].min()), float(data["releases"].max()))
    for name, limit in limits.items():
        draw.line(ax, ends_at, limit, {"color": _TREES[name][0], "linestyle": ":"})
    draw.log2_axis(ax)
    return draw.finish(
        ax, ends, xlim=ends_at, ylim=(0, None), xlabel="releases N", ylabel="variance / log₂³ N",
        finding="The signed balanced tree has the least noise, and its limit is far away",
        setting="Pure noise, 1: that of a single release. Solid: worst release; dashed: mean; dotted: limits.",
    )  # fmt: skip


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


@draw.style()
def proofs(data: pd.DataFrame) -> Figure:
    """Figure 7: what each failing lemma touches, and by what that stands."""
    papers = list(dict.fromkeys(data["paper"]))
    rows = {paper: data[data["paper"] == paper].drop_duplicates("touches") for paper in papers}
    left = sorted(papers, key=lambda paper: -len(rows[paper]))
    height = 0.27 * max(len(rows[left[0]]), sum(map(len, rows.values())) / 2) + 2.4
    figure = plt.figure(figsize=(9.6, height))
    grid = figure.add_gridspec(1, 2)
    right = grid[1].subgridspec(len(left) - 1, 1, height_ratios=[len(rows[p]) + 1.5 for p in left[1:]])
    axes = {left[0]: figure.add_subplot(grid[0])}
    axes |= {paper: figure.add_subplot(right[i]) for i, paper in enumerate(left[1:])}
    for paper, ax in axes.items():
        _touched(ax, data[data["paper"] == paper], list(rows[paper]["touches"]))
    finding = "What was proved from a false lemma has another ground, or is reported as failing"
    draw.headline(figure, finding, {ax: paper for paper, ax in axes.items()})
    shapes = [
        Line2D([], [], color=shade, marker=form, linestyle="", label=verdict)
        for verdict, (shade, form) in VERDICTS.items()
        if verdict in set(data["verdict"])
    ]
    key = (
        "Left: claims that are false or unproved as printed. Right: claims whose printed proofs use them,\n"
        "and after the colon the claims by which each stands instead."
    )
    figure.legend(handles=shapes, title=key, loc="outside lower center", ncols=3, title_fontsize=9.5)
    return figure


def _touched(ax: Axes, data: pd.DataFrame, claims: list[str]) -> None:
    """One paper: failing lemmas on the left, what they touch on the right, each with what it stands by."""
    height = {name: len(claims) - 1 - i for i, name in enumerate(claims)}
    of = {fails: rows["touches"].map(height).mean() for fails, rows in data.groupby("fails", sort=False)}
    order = sorted(of, key=lambda name: of[name])
    how = dict(zip(data["fails"], data["how"], strict=True))
    place = dict(zip(order, np.linspace(0, len(claims) - 1, len(order) + 2)[1:-1], strict=True))
    for row in data.to_dict("records"):
        ax.plot([0, 1], [place[row["fails"]], height[row["touches"]]], color="#999999", linewidth=0.8, zorder=1)
    for fails, y in place.items():
        _mark(ax, (0, y), how[fails], fails)
    for row in data.drop_duplicates("touches").to_dict("records"):
        stands = f": {row['stands_by'].replace(' ', ', ')}" if row["stands_by"] else ""
        _mark(ax, (1, height[row["touches"]]), row["verdict"], row["touches"] + stands)
    ax.axis("off")
    ax.set(xlim=(-0.55, 2.3), ylim=(-0.7, len(claims) - 0.3))


def _mark(ax: Axes, place: tuple[float, float], verdict: str, name: str) -> None:
    """One claim: its verdict as a mark, its name outside."""
    shade, form = VERDICTS[verdict]
    ax.plot(*place, color=shade, marker=form, markersize=6.5)
    side, aside = ("left", 6) if place[0] else ("right", -6)
    ax.annotate(name, place, (aside, 0), ha=side, va="center", **draw.ASIDE)
