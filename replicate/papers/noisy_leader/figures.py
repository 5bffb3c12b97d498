"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import NDArray

from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.experiments.growth import deterministic_slope, simulated_slope
from replicate.workbook.figures import BOUND, LOWER_BOUND, PALETTE, label_ends, log2_axis, style

__all__ = [
    "growth",
    "late_growth",
    "one_score_vector",
    "privacy_curves",
    "resampling_cost",
    "sandwich",
    "six_variants",
]

MARKERS = {"gumbel": "o", "exponential": "s", "laplace": "^", "prefix_softmax": "D"}
NAMES = {
    "gumbel": "Gumbel",
    "exponential": "exponential",
    "laplace": "Laplace",
    "prefix_softmax": "prefix softmax",
}


def _note(ax: Axes, text: str) -> None:
    """Say what is fixed, in small print under the axis label."""
    ax.annotate(
        text,
        (0, 0),
        xycoords="axes fraction",
        xytext=(0, -46),
        textcoords="offset points",
        fontsize=8.5,
        color="#555555",
        va="top",
        annotation_clip=False,
    )


def _headline(figure: Figure, text: str) -> None:
    """Title of a figure with several axes."""
    figure.suptitle(text, x=0.01, ha="left", fontweight="bold", fontsize=12.5)


def six_variants(data: pd.DataFrame) -> Figure:
    """Figure 7: regret of the six variants against K, with both candidate rates."""
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 4.9))
        ends: dict[str, tuple[float, Any]] = {}
        for noise, rows in data.groupby("noise", sort=False):
            exact, resampled = rows[~rows["resampled"]], rows[rows["resampled"]]
            colour = PALETTE[noise]
            ax.plot(exact["n_actions"], exact["regret"], color=colour)
            error = [resampled["regret"] - resampled["low"], resampled["high"] - resampled["regret"]]
            shift = 2 ** (0.12 * (NOISES.index(noise) - 1))
            ax.errorbar(
                resampled["n_actions"] * shift, resampled["regret"], _distances(error), fmt=MARKERS[noise],
                color=colour, markersize=5, markerfacecolor="white", elinewidth=1.2, capsize=2,
            )  # fmt: skip
            ends[NAMES[noise]] = (exact["regret"].iloc[-1], colour)
        last = int(data["n_actions"].max())
        k = np.geomspace(2, last, 100)
        gumbel = data[(data["noise"] == "gumbel") & ~data["resampled"]]
        anchor = gumbel.iloc[(gumbel["n_actions"] - 8).abs().argmin()]
        per_log = anchor["regret"] / np.log(anchor["n_actions"])
        ax.plot(k, per_log * np.log(k), color="#888888", linewidth=1.1, linestyle="-.")
        square = per_log * np.log(k) ** 2 / np.log(anchor["n_actions"])
        top = 1.35 * data["regret"].max()
        ax.plot(k[square < top], square[square < top], color="#888888", linewidth=1.1, linestyle="-.")
        end = (k[square < top][-1], top)
        ax.annotate(
            "∝ log² K", end, (-6, -10), textcoords="offset points", ha="right", color="#555555", fontsize=9.5
        )
        ends["∝ log K"] = (per_log * np.log(last), "#555555")
        log2_axis(ax, step=2)
        ax.set(
            xlim=(1.7, last), ylim=(0, top), xlabel="number of actions K", ylabel="pseudo-regret at $T = 2^{40}$"
        )
        label_ends(ax, last, ends)
        ax.set_title("All six variants pay in proportion to log K, not log² K")
        _note(
            ax,
            "Deterministic losses, all gaps 1/4, ε = 0.1. Lines: B = 0, exact. Markers: B = 1, 99 % intervals.",
        )
    return figure


def _distances(error: list[pd.Series]) -> NDArray[np.float64]:
    """Distances below and above the marker, shape (2, n)."""
    return np.array([side.to_numpy() for side in error])


def sandwich(data: pd.DataFrame) -> Figure:
    """Figure 4: lower bound, exact regrets and upper bounds on the instance of Theorem 3."""
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 5.0))
        k, last = data["n_actions"], int(data["n_actions"].max())
        ends: dict[str, tuple[float, Any]] = {}
        for name in (*NOISES, "prefix_softmax"):
            ax.plot(k, data[name], color=PALETTE[name], marker=MARKERS[name], markersize=4, markevery=2)
            ends[NAMES[name]] = (data[name].iloc[-1], PALETTE[name])
        ax.plot(k, data["theorem_4"], **BOUND)
        ends["Theorem 4 (its proof)"] = (data["theorem_4"].iloc[-1], "black")
        ax.plot(k, data["potential"], color="#666666", linestyle=(0, (5, 1, 1, 1)), linewidth=1.3)
        ends["our bound, Gumbel"] = (data["potential"].iloc[-1], "#444444")
        ax.plot(k, data["theorem_3_sum"], **LOWER_BOUND)
        ends["Theorem 3, sum form"] = (data["theorem_3_sum"].iloc[-1], "black")
        log2_axis(ax, step=2)
        ax.set(xlim=(2, last), ylim=(0, None), xlabel="number of actions K", ylabel="exact regret at $T = 2^{40}$")
        label_ends(ax, last, ends, gap=0.05)
        ax.set_title("Deterministic losses: log K / ε from both sides, a factor 5 apart")
        _note(ax, "One action with loss 0, the others 1; ε = 0.1. Everything is exact: no sampling.")
    return figure


def one_score_vector(data: pd.DataFrame) -> Figure:
    """Figure 1: exact selection law of each noise on one vector of sums, and each over Gumbel's."""
    table = data.pivot(index="lead", columns="noise", values="probability")
    last = float(table.index.max())
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.5))
        ends: tuple[dict[str, tuple[float, Any]], ...] = ({}, {})
        for noise in NOISES:
            for i, values in enumerate((table[noise], table[noise] / table["gumbel"])):
                axes[i].plot(table.index, values, color=PALETTE[noise], marker=MARKERS[noise], markersize=5)
                ends[i][NAMES[noise]] = (values.iloc[-1], PALETTE[noise])
        axes[0].set(yscale="log", ylabel="probability of being selected", ylim=(None, 1))
        axes[1].set(ylabel="the same, over Gumbel's", ylim=(0.6, 1.25))
        for ax, names in zip(axes, ends, strict=True):
            ax.set(xlim=(-0.7, last), xlabel="loss above the best action's, in rounds")
            label_ends(ax, last, names)
        _headline(figure, "One budget, three laws: exponential noise keeps most for the best action")
        _note(axes[0], "Ten actions at the marked sums; all noises of scale 2/ε, ε = 1, hence all ε-private.")
    return figure


def privacy_curves(data: pd.DataFrame) -> Figure:
    """Figure 2: privacy loss of a choice between two actions, printed and corrected scales."""
    titles = {"printed": "as printed: exponential noise 1/ε", "corrected": "corrected: exponential noise 2/ε"}
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.5), sharey=True)
        for ax, (calibration, title) in zip(axes, titles.items(), strict=True):
            ends = {}
            for noise, rows in data[data["calibration"] == calibration].groupby("noise", sort=False):
                ax.plot(rows["lag"], rows["loss"], color=PALETTE[noise])
                ends[NAMES[noise]] = (rows["loss"].iloc[-1], PALETTE[noise])
            ax.axhline(1, **BOUND)
            ax.annotate("stated: ε", (-5.8, 1), xytext=(0, 4), textcoords="offset points", fontsize=9.5)
            ax.set(xlim=(-6, 14), ylim=(0, 2.25), xlabel="rounds by which the action lags before")
            label_ends(ax, 14, ends, gap=0.07)
            ax.set_title(title, fontsize=11, fontweight="normal")
        axes[0].set_ylabel("privacy loss when it lags 2 more (nats)")
        for lag, text in ((-1, r"one round: $\ln(2e^{\varepsilon} - 1)$"), (0, "two rounds: 2ε")):
            loss = np.log(2 * np.e - 1) if lag < 0 else 2.0
            axes[0].plot(lag, loss, "o", color=PALETTE["exponential"], markersize=6)
            place = (9, 0) if lag < 0 else (4, 7)
            axes[0].annotate(text, (lag, loss), place, textcoords="offset points", fontsize=9.5,
                             va="center" if lag < 0 else "bottom")  # fmt: skip
        _headline(figure, "Exponential noise of scale 1/ε costs 2ε, after two rounds")
        _note(axes[0], "Two actions, ε = 1. A block of n rounds offers lags up to n − 2.")
    return figure


def late_growth(data: pd.DataFrame, exploring: pd.DataFrame) -> Figure:
    """Figure 3: regret of Laplace noise without resampling against T, its bound, and a learner that does grow."""
    shades = ["#CC79A7", "#9c4f7c", "#e3aecb", "#6b2e52"]
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 4.9))
        last = float(data["rounds"].max())
        ends: dict[str, tuple[float, Any]] = {}
        for shade, (instance, rows) in zip(shades, data.groupby("instance", sort=False), strict=True):
            ax.plot(rows["rounds"], rows["regret"], color=shade)
            ends[instance] = (rows["regret"].iloc[-1], shade)
        rows = exploring[exploring["instance"] == "one near competitor"]
        ax.plot(rows["rounds"], rows["regret"], color=PALETTE["uniform"], linestyle="-.", linewidth=1.5)
        ends["control: keeps exploring"] = (rows["regret"].iloc[-1], "#666666")
        bound = data[data["instance"] == data["instance"].iloc[0]]
        bound = bound[bound["rounds"] >= 2**10]
        ax.plot(bound["rounds"], bound["bound"], **BOUND)
        ends["Theorem 1, derived constants"] = (bound["bound"].iloc[-1], "black")
        log2_axis(ax)
        ax.set(xlim=(2**5, last), yscale="log", ylim=(8, None), xlabel="rounds T", ylabel="pseudo-regret")
        label_ends(ax, last, ends)
        ax.set_title("Regret stops growing: no trace of Theorem 1's log T")
        _note(
            ax,
            "Laplace noise, B = 0, K = 16, smallest gap 0.01, ε = 0.1, Bernoulli losses; means over replicates.",
        )
    return figure


def growth(exact: pd.DataFrame, n_actions: NDArray[np.int64], samples: dict[str, NDArray[np.float64]]) -> Figure:
    """Figure 6: worst regret over log K, exact on deterministic losses and simulated on Bernoulli losses."""
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(10.2, 4.8))
        last = int(exact["n_actions"].max())
        ends: tuple[dict[str, tuple[float, Any]], ...] = ({}, {})
        for noise, rows in exact.groupby("noise", sort=False):
            log_k, colour = np.log(rows["n_actions"]), PALETTE[noise]
            style_of: dict[str, Any] = {"color": colour, "marker": MARKERS[noise], "markersize": 5}
            axes[0].plot(rows["n_actions"], rows["regret"] / log_k, **style_of)
            slope, _ = deterministic_slope(rows)
            ends[0][f"{NAMES[noise]}: {slope.estimate:.2f}"] = ((rows["regret"] / log_k).iloc[-1], colour)
            k = n_actions[: samples[noise].shape[1]]
            values = samples[noise].mean(axis=0) / np.log(k)
            half = 2.6 * samples[noise].std(axis=0, ddof=1) / np.sqrt(len(samples[noise])) / np.log(k)
            axes[1].errorbar(k, values, half, capsize=2, **style_of)
            estimate = simulated_slope(n_actions, samples[noise], false_alarm=0.01)
            ends[1][f"{NAMES[noise]}: {estimate.estimate:.2f}"] = (values[-1], colour)
        gumbel = exact[exact["noise"] == "gumbel"]
        log_k = np.log(gumbel["n_actions"])
        for column, name in (
            ("potential", "our bound"),
            ("theorem_4", "Theorem 4"),
            ("corollary_3", "Corollary 3"),
        ):
            values = gumbel[column] / log_k
            axes[0].plot(gumbel["n_actions"], values, **BOUND)
            if column != "corollary_3":
                ends[0][name] = (values.iloc[-1], "black")
        sizes = np.geomspace(4, last, 50)
        for ax, start in ((axes[0], 5.8), (axes[1], 3.8)):
            rising = start * np.log(sizes) / np.log(4)
            shown = rising < 14
            ax.plot(sizes[shown], rising[shown], color="#888888", linestyle="-.", linewidth=1.2)
            end = (sizes[shown][-1], rising[shown][-1])
            ax.annotate("∝ log² K", end, (4, -4), textcoords="offset points", fontsize=9.5, color="#555555")
            log2_axis(ax, step=2)
            ax.set(xlim=(3.5, last), ylim=(0, 15), xlabel="number of actions K")
        axes[0].set_ylabel("worst regret, in units of log K")
        label_ends(axes[0], last, ends[0], gap=0.06)
        label_ends(axes[1], last, ends[1], gap=0.06)
        axes[0].set_title("deterministic, exact: times ε, worst gaps found", fontsize=10.5, fontweight="normal")
        axes[1].set_title("Bernoulli, B = 1: over 1/gap + 1/ε", fontsize=10.5, fontweight="normal")
        _headline(figure, "No second logarithm: the worst regret stays a multiple of log K")
        _note(axes[0], "Numbers after the names: exponent of log K (2 would be log² K). Bars: 99 % intervals.")
    return figure


def resampling_cost(data: pd.DataFrame) -> Figure:
    """Figure 5: regret on deterministic losses with and without resampling, against the gap."""
    with style():
        figure, ax = plt.subplots(figsize=(7.2, 4.5))
        ends: dict[str, tuple[float, Any]] = {}
        last = float((1 / data["gap"]).max())
        for noise, rows in data.groupby("noise", sort=False):
            style_of: dict[str, Any] = {"color": PALETTE[noise], "marker": MARKERS[noise], "markersize": 5}
            ax.plot(1 / rows["gap"], rows["B = 0"], **style_of)
            half = rows["B = 1"] - rows["low"]
            ax.errorbar(1 / rows["gap"], rows["B = 1"], half, linestyle="-.", capsize=2, **style_of)
        ends["B = 0, three noises"] = (data["B = 0"].iloc[-3:].mean(), "#333333")
        ends["B = 1, three noises"] = (data["B = 1"].iloc[-3:].mean(), "#333333")
        bound = float(data["corollary_3"].max())
        ax.axhline(bound, **BOUND)
        ends["Corollary 3, Laplace"] = (bound, "black")
        ax.set(xscale="log", yscale="log", xlabel="1 / gap", ylabel="regret at $T = 2^{40} - 1$", xlim=(10, last))
        ax.xaxis.set_major_locator(LogLocator(base=10))
        ax.xaxis.set_minor_locator(NullLocator())
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
        label_ends(ax, last, ends)
        ax.set_title("Resampling puts the noise back: regret grows like 1/gap")
        _note(
            ax,
            "Two actions with deterministic losses 1/2 and 1/2 + gap, ε = 1. B = 0 exact; B = 1: 99 % intervals.",
        )
    return figure
