"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.experiments.growth import deterministic_slope, simulated_slope
from replicate.validation import FloatArray, IntArray
from replicate.workbook.figures import (
    BOUND,
    LOWER_BOUND,
    colour,
    headline,
    label,
    label_ends,
    log2_axis,
    marker,
    style,
    title,
)

GUIDE: dict[str, Any] = {"color": "#888888", "linestyle": "-.", "linewidth": 1.2}
"""Line style of a rate that is drawn for comparison."""

Ends = dict[str, tuple[float, Any]]
"""Names of lines with their last heights and colours, for `label_ends`."""


def _name(learner: str) -> str:
    return label(learner).removesuffix(" noise")


def _marked(learner: str, size: float = 5) -> dict[str, Any]:
    """Colour and marker of a learner."""
    return {"color": colour(learner), "marker": marker(learner), "markersize": size}


def _note(ax: Axes, text: str) -> None:
    """Say what is fixed, in small print under the axis label."""
    offset: dict[str, Any] = {"xytext": (0, -46), "textcoords": "offset points", "annotation_clip": False}
    ax.annotate(text, (0, 0), xycoords="axes fraction", fontsize=8.5, color="#555555", va="top", **offset)


def six_variants(data: pd.DataFrame) -> Figure:
    """Figure 7: regret of the six variants against K, with both candidate rates."""
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 4.9))
        last, top = int(data["n_actions"].max()), 1.35 * data["regret"].max()
        ends: Ends = {}
        for noise, rows in data.groupby("noise", sort=False):
            exact, resampled = rows[~rows["resampled"]], rows[rows["resampled"]]
            ax.plot(exact["n_actions"], exact["regret"], markevery=[-1], **_marked(noise))
            error = np.abs(resampled[["low", "high"]].to_numpy().T - resampled["regret"].to_numpy())
            shift = 2 ** (0.12 * (NOISES.index(noise) - 1))
            ax.errorbar(
                resampled["n_actions"] * shift, resampled["regret"], error, fmt=marker(noise),
                color=colour(noise), markersize=5, markerfacecolor="white", elinewidth=1.2, capsize=2,
            )  # fmt: skip
            ends[_name(noise)] = (exact["regret"].iloc[-1], colour(noise))
        gumbel = data[(data["noise"] == "gumbel") & ~data["resampled"]]
        anchor = gumbel.iloc[(gumbel["n_actions"] - 8).abs().argmin()]
        ends["∝ log K"] = _rates(ax, anchor["n_actions"], anchor["regret"], last=last, top=top)
        log2_axis(ax, step=2)
        ax.set(xlim=(1.7, last), ylim=(0, top))
        ax.set(xlabel="number of actions K", ylabel="pseudo-regret at $T = 2^{40}$")
        label_ends(ax, last, ends)
        setting = "Deterministic losses, all gaps 1/4, ε = 0.1. Lines: B = 0, exact. "
        setting += "Markers: B = 1, 99 % intervals."
        title(ax, "With equal gaps regret grows like log K in all six variants", setting)
    return figure


def _rates(ax: Axes, n_actions: int, regret: float, *, last: int, top: float) -> tuple[float, Any]:
    """Draw the rates log K and log² K through a point; return the end of the first."""
    k = np.geomspace(2, last, 100)
    linear = regret / np.log(n_actions) * np.log(k)
    square = linear * np.log(k) / np.log(n_actions)
    ax.plot(k, linear, **GUIDE)
    ax.plot(k[square < top], square[square < top], **GUIDE)
    end = (k[square < top][-1], top)
    ax.annotate("∝ log² K", end, (-6, -10), textcoords="offset points", ha="right", color="#555555", fontsize=9.5)
    return linear[-1], "#555555"


def sandwich(data: pd.DataFrame) -> Figure:
    """Figure 4: lower bound, exact regrets and upper bounds on the instance of Theorem 3."""
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 5.0))
        k, last = data["n_actions"], int(data["n_actions"].max())
        ends: Ends = {}
        for name in (*NOISES, "prefix_softmax"):
            ax.plot(k, data[name], markevery=2, **_marked(name, 4))
            ends[_name(name)] = (data[name].iloc[-1], colour(name))
        ax.plot(k, data["theorem_4"], **BOUND)
        ends["Theorem 4 (its proof)"] = (data["theorem_4"].iloc[-1], "black")
        ax.plot(k, data["potential"], color="#666666", linestyle=(0, (5, 1, 1, 1)), linewidth=1.3)
        ends["our bound, Gumbel"] = (data["potential"].iloc[-1], "#444444")
        ax.plot(k, data["theorem_3_sum"], **LOWER_BOUND)
        ends["Theorem 3, sum form"] = (data["theorem_3_sum"].iloc[-1], "black")
        log2_axis(ax, step=2)
        ax.set(xlim=(2, last), ylim=(0, None), xlabel="number of actions K", ylabel="exact regret at $T = 2^{40}$")
        label_ends(ax, last, ends, gap=0.05)
        setting = "One action with loss 0, the others 1; ε = 0.1. Everything is exact: no sampling."
        title(ax, "Deterministic losses: noise costs 4 to 6 times the lower bound", setting)
    return figure


def one_score_vector(data: pd.DataFrame) -> Figure:
    """Figure 1: exact selection law of each noise on one vector of sums, and each over Gumbel's."""
    table = data.pivot(index="lead", columns="noise", values="probability")
    last = float(table.index.max())
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.5))
        ends: tuple[Ends, Ends] = ({}, {})
        for noise in NOISES:
            for i, values in enumerate((table[noise], table[noise] / table["gumbel"])):
                axes[i].plot(table.index, values, **_marked(noise))
                ends[i][_name(noise)] = (values.iloc[-1], colour(noise))
        axes[0].set(yscale="log", ylabel="probability of being selected", ylim=(None, 1))
        axes[1].set(ylabel="that probability over Gumbel's", ylim=(0.6, 1.25))
        for ax, names in zip(axes, ends, strict=True):
            ax.set(xlim=(-0.7, 1.02 * last), xlabel="loss above the best action's, in rounds")
            label_ends(ax, 1.02 * last, names)
        headline(figure, "One budget, three laws: exponential noise keeps most for the best action", {})
        _note(axes[0], "Ten actions at the marked sums; all noises of scale 2/ε, ε = 1, hence all ε-private.")
    return figure


def privacy_curves(data: pd.DataFrame) -> Figure:
    """Figure 2: privacy loss of a choice between two actions, printed and corrected scales."""
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.5), sharey=True)
        for ax, calibration in zip(axes, ("printed", "corrected"), strict=True):
            ends: Ends = {}
            for noise, rows in data[data["calibration"] == calibration].groupby("noise", sort=False):
                ax.plot(rows["lag"], rows["loss"], markevery=(110, 40), **_marked(noise))
                ends[_name(noise)] = (rows["loss"].iloc[-1], colour(noise))
            ax.axhline(1, **BOUND)
            ax.annotate("stated: ε", (-5.8, 1), xytext=(0, 4), textcoords="offset points", fontsize=9.5)
            ax.set(xlim=(-6, 14), ylim=(0, 2.25), xlabel="rounds by which the action lags before")
            label_ends(ax, 14, ends, gap=0.07)
        axes[0].set_ylabel("privacy loss when it lags 2 more (nats)")
        _counterexamples(axes[0])
        panels = {axes[0]: "as printed: exponential noise 1/ε", axes[1]: "corrected: exponential noise 2/ε"}
        headline(figure, "Exponential noise of scale 1/ε has privacy loss 2ε, after two rounds", panels)
        _note(axes[0], "Two actions, ε = 1. A block of n rounds offers lags up to n − 2.")
    return figure


def _counterexamples(ax: Axes) -> None:
    """Mark the privacy losses of one and of two rounds with the printed scale."""
    style_of: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9.5}
    for lag, loss in ((-1, np.log(2 * np.e - 1)), (0, 2.0)):
        ax.plot(lag, loss, "o", color=colour("exponential"), markersize=6)
    one, two = r"one round: $\ln(2e^{\varepsilon} - 1)$", "two rounds: 2ε"
    ax.annotate(one, (-1, np.log(2 * np.e - 1)), (9, 0), va="center", **style_of)
    ax.annotate(two, (0, 2.0), (4, 7), va="bottom", **style_of)


def late_growth(data: pd.DataFrame, exploring: pd.DataFrame) -> Figure:
    """Figure 3: regret of Laplace noise without resampling against T, its bound, and a learner that does grow.

    The axis is cut between the learners and the bound, which lies two decades above them.
    """
    shades = ["#CC79A7", "#9c4f7c", "#e3aecb", "#6b2e52"]
    with style():
        figure, (above, ax) = plt.subplots(2, 1, figsize=(7.8, 4.9), sharex=True, height_ratios=(1, 4))
        last = float(data["rounds"].max())
        ends: Ends = {}
        groups = data.groupby("instance", sort=False)
        for shade, form, (instance, rows) in zip(shades, "osD^", groups, strict=True):
            ax.plot(rows["rounds"], rows["regret"], color=shade, marker=form, markersize=4.5, markevery=8)
            ends[instance] = (rows["regret"].iloc[-1], shade)
        rows = exploring[exploring["instance"] == "one near competitor"]
        ax.plot(rows["rounds"], rows["regret"], color=colour("uniform"), linestyle="-.", linewidth=1.5)
        ends["control: keeps exploring"] = (rows["regret"].iloc[-1], "#666666")
        bound = data[(data["instance"] == data["instance"].iloc[0]) & (data["rounds"] >= 2**10)]
        above.plot(bound["rounds"], bound["bound"], **BOUND)
        log2_axis(ax)
        ax.set(xlim=(2**5, last), yscale="log", ylim=(8, 800), xlabel="rounds T", ylabel="pseudo-regret")
        _cut(figure, above, ax)
        label_ends(ax, last, ends)
        label_ends(above, last, {"Theorem 1, derived constants": (bound["bound"].iloc[-1], "black")})
        setting = "Laplace noise, B = 0, K = 16, smallest gap 0.01, ε = 0.1, Bernoulli losses; "
        setting += "means over replicates."
        title(above, "Regret stops growing: no trace of Theorem 1's log T", setting)
    return figure


def _cut(figure: Figure, above: Axes, below: Axes) -> None:
    """Show two panels as one whose vertical axis is cut: round numbers above, slanted strokes at the cut."""
    above.set(yscale="log", ylim=(7e4, 2e5))
    above.set_yticks([1e5], ["$10^5$"])
    above.yaxis.set_minor_locator(NullLocator())
    above.spines["bottom"].set_visible(False)
    above.tick_params(axis="x", length=0, labelbottom=False)
    for ax, y in ((above, 0), (below, 1)):
        stroke = Line2D([0], [y], marker=[(-5, -3), (5, 3)], markersize=9, color="black")
        stroke.set_transform(ax.transAxes)
        figure.add_artist(stroke)


def growth(exact: pd.DataFrame, n_actions: IntArray, samples: dict[str, FloatArray]) -> Figure:
    """Figure 6: worst regret over log K, exact on deterministic losses and simulated on Bernoulli losses."""
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(10.2, 4.8))
        ends = (_exact_growth(axes[0], exact), _simulated_growth(axes[1], n_actions, samples))
        largest = (int(exact["n_actions"].max()), int(n_actions.max()))
        for ax, names, start, last in zip(axes, ends, (5.8, 3.8), largest, strict=True):
            sizes = np.geomspace(4, last, 50)
            rising = start * np.log(sizes) / np.log(4)
            shown = rising < 14
            ax.plot(sizes[shown], rising[shown], **GUIDE)
            end = (sizes[shown][-1], rising[shown][-1])
            ax.annotate("∝ log² K", end, (4, -4), textcoords="offset points", fontsize=9.5, color="#555555")
            log2_axis(ax, step=2)
            ax.set(xlim=(3.5, last), ylim=(0, 15), xlabel="number of actions K")
            label_ends(ax, last, names, gap=0.06)
        axes[0].set_ylabel("worst regret, in units of log K")
        texts = ("deterministic, exact: times ε, worst gaps found", "Bernoulli, B = 1: over 1/gap + 1/ε")
        panels = dict(zip(axes, texts, strict=True))
        headline(figure, "No second logarithm: the worst regret stays a multiple of log K", panels)
        _note(axes[0], "Numbers after the names: exponent of log K (2 would be log² K). Bars: 99 % intervals.")
    return figure


def _exact_growth(ax: Axes, data: pd.DataFrame) -> Ends:
    """Draw the worst exact regrets and their bounds over log K; return the lines' ends."""
    ends: Ends = {}
    for noise, rows in data.groupby("noise", sort=False):
        values = rows["regret"] / np.log(rows["n_actions"])
        ax.plot(rows["n_actions"], values, **_marked(noise))
        slope, _ = deterministic_slope(rows)
        ends[f"{_name(noise)}: {slope.estimate:.2f}"] = (values.iloc[-1], colour(noise))
    gumbel = data[data["noise"] == "gumbel"]
    for column, name in (("potential", "our bound"), ("theorem_4", "Theorem 4"), ("corollary_3", None)):
        values = gumbel[column] / np.log(gumbel["n_actions"])
        ax.plot(gumbel["n_actions"], values, **BOUND)
        if name is not None:  # Corollary 3 leaves the frame
            ends[name] = (values.iloc[-1], "black")
    return ends


def _simulated_growth(ax: Axes, n_actions: IntArray, samples: dict[str, FloatArray]) -> Ends:
    """Draw the simulated regrets over log K with 99 % intervals; return the lines' ends."""
    ends: Ends = {}
    for noise, values in samples.items():
        k = n_actions[: values.shape[1]]
        scaled = values / np.log(k)
        half = 2.6 * scaled.std(axis=0, ddof=1) / np.sqrt(len(scaled))
        ax.errorbar(k, scaled.mean(axis=0), half, capsize=2, **_marked(noise))
        slope = simulated_slope(n_actions, values, false_alarm=0.01)
        ends[f"{_name(noise)}: {slope.estimate:.2f}"] = (float(scaled[:, -1].mean()), colour(noise))
    return ends


_ASIDE = {"laplace": 8, "gumbel": -6.5, "exponential": -8}
"""How far above its line, in points, a noise is named in figure 5."""


def resampling_cost(data: pd.DataFrame) -> Figure:
    """Figure 5: regret on deterministic losses with and without resampling, against the gap."""
    with style():
        figure, ax = plt.subplots(figsize=(7.2, 4.5))
        last, bound = float((1 / data["gap"]).max()), float(data["corollary_3"].max())
        for noise, rows in data.groupby("noise", sort=False):
            ax.plot(1 / rows["gap"], rows["B = 0"], **_marked(noise))
            middle = (1 / rows["gap"].iloc[1], rows["B = 0"].iloc[1])
            aside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 9}
            ax.annotate(_name(noise), middle, (30, _ASIDE[noise]), color=colour(noise), **aside)
            half = rows["B = 1"] - rows["low"]
            ax.errorbar(1 / rows["gap"], rows["B = 1"], half, linestyle="-.", capsize=2, **_marked(noise))
        ax.axhline(bound, **BOUND)
        ends: Ends = {f"{b}, three noises": (data[b].iloc[-3:].mean(), "#333333") for b in ("B = 0", "B = 1")}
        ends["Corollary 3, Laplace"] = (bound, "black")
        ax.set(xscale="log", yscale="log", xlim=(9, 1.1 * last))
        ax.set(xlabel="1 / gap", ylabel="regret at $T = 2^{40} - 1$")
        ax.xaxis.set_major_locator(LogLocator(base=10))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        label_ends(ax, 1.1 * last, ends)
        setting = "Two actions, deterministic losses 1/2 and 1/2 + gap, ε = 1. B = 0 exact; B = 1: 99 % intervals."
        title(ax, "Resampling puts the noise back: regret grows like 1/gap", setting)
    return figure
