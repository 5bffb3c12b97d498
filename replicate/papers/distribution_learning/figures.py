"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from replicate.validation import FloatArray
from replicate.workbook.figures import BOUND, LOWER_BOUND, PALETTE, headline, label_ends, style

NAMES = {
    "pure": "Algorithm 2 (ε-LDP)",
    "approximate": "Algorithm 1 ((ε, δ)-LDP)",
    "randomized_response": "randomised response",
    "non_private": "no privacy",
    "uniform": "uniform mixture",
}
MARKERS = {"pure": "o", "approximate": "s", "randomized_response": "^", "non_private": "D", "uniform": ""}
MARKERS |= {"sign_bits": "v", "merged_response": "^", "posterior": "P"}


def _note(figure: Figure, text: str) -> None:
    """Small print under the axes."""
    figure.supxlabel(text, fontsize=8.5, color="#666666", x=0.01, ha="left")


def _decades(ax: Axes, *, axes: str = "xy", step: int = 2) -> None:
    """Log axes with a tick at every `step`-th decade."""
    for name in axes:
        axis = ax.xaxis if name == "x" else ax.yaxis
        (ax.set_xscale if name == "x" else ax.set_yscale)("log")
        axis.set_major_locator(LogLocator(base=10.0**step, numticks=30))
        axis.set_minor_formatter(NullFormatter())
        axis.set_minor_locator(LogLocator(base=10.0, numticks=40))


def _line(ax: Axes, rows: pd.DataFrame, x: str, learner: str) -> tuple[float, Any]:
    """Draw a learner's mean with its band; return where the line ends, and its colour."""
    colour = PALETTE[learner]
    ax.plot(rows[x], rows["mean"], color=colour, marker=MARKERS[learner], markersize=4)
    ax.fill_between(rows[x], rows["low"], rows["high"], color=colour, alpha=0.2, linewidth=0)
    return rows["mean"].iloc[-1], colour


def risk_over_horizons(data: pd.DataFrame) -> Figure:
    """Figure 1: risk at the horizon, every run tuned to it, with Theorems 4 and 5."""
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 5.0))
        ends = {}
        for learner, rows in data.groupby("learner", sort=False):
            ends[NAMES[learner]] = _line(ax, rows, "horizon", learner)
            if learner in ("pure", "approximate"):
                ax.plot(rows["horizon"], rows["bound"], **BOUND)
                name = "Theorem 5" if learner == "pure" else "Theorem 4"
                ends[name] = (rows["bound"].iloc[-1], "black")
        last = float(data["horizon"].max())
        pure = data[data["learner"] == "pure"].set_index("horizon")["mean"]
        x = np.array([1e9, 1e12])
        ax.plot(x, 0.35 * pure.iloc[-1] * np.sqrt(x / last), color="#444444", linewidth=0.9)
        ax.annotate("slope 1/2", (1e10, 0.012 * pure.iloc[-1]), color="#444444", fontsize=9)
        _decades(ax)
        ax.set(xlim=(data["horizon"].min(), last), xlabel="horizon T", ylabel="KL risk over T rounds (nats)")
        label_ends(ax, last, ends)
        ax.set_title("Algorithms 1 and 2 lose √T; Theorem 5 rules out guessing from T ≈ 10⁸ on", fontsize=12)
        about = "One Dirichlet(0.3) class, K = 4, M = 8, ε = 1, δ = 0.01. Bands: 99 % confidence of the mean."
        _note(figure, f"{about}\nA bound says something where it lies below the uniform mixture.")
    return figure


def size_sweep(data: pd.DataFrame) -> Figure:
    """Figure 3: risk against the number of hypotheses and against the number of labels."""
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.6), sharey=True)
        titles = {"K": "more hypotheses", "M": "one problem written with more labels"}
        for ax, (axis, part) in zip(axes, data.groupby("axis"), strict=True):
            for learner, rows in part.groupby("learner", sort=False):
                _line(ax, rows, "value", learner)
                if learner == "pure":
                    ax.plot(rows["value"], rows["bound"], **BOUND)
                    if axis == "M":
                        ax.annotate("Theorem 5", _point(rows, "bound"), xytext=(-40, 5), **_LABEL)
            _decades(ax, axes="y")
            ax.set_xscale("log", base=2 if axis == "K" else 10)
            ax.set_title(titles[axis], fontsize=11, fontweight="normal")
            ax.set_xlabel("hypotheses K (M = 64)" if axis == "K" else "labels M (K = 4)")
        axes[0].set_ylabel("KL risk at T = 10¹⁰ (nats)")
        offsets = {"pure": (0, -13), "approximate": (-30, 9), "randomized_response": (0, 6), "non_private": (0, 6)}
        for learner, offset in offsets.items():
            rows = data[(data["axis"] == "K") & (data["learner"] == learner)]
            label = {**_LABEL, "color": PALETTE[learner]}
            axes[0].annotate(NAMES[learner], _point(rows, "mean"), xytext=offset, **label)
        finding = "More labels do not hurt Algorithms 1 and 2; the risk of randomised response grows like M²"
        headline(figure, finding, {})
        _note(figure, "ε = 1, δ = 0.01. Left: Dirichlet(1) classes. Right: labels of one class split.")
    return figure


_LABEL: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9, "ha": "center"}


def _point(rows: pd.DataFrame, column: str) -> tuple[float, float]:
    """The middle point of a line."""
    row = rows.iloc[len(rows) // 2]
    return float(row["value"]), float(row[column])


def truth_weights(data: pd.DataFrame) -> Figure:
    """Figure 2: Algorithm 2's weight of the true hypothesis over the game, for several horizons."""
    with style():
        figure, ax = plt.subplots(figsize=(7.8, 4.6))
        ends = {}
        horizons = sorted(data["horizon"].unique())
        colours = plt.get_cmap("viridis")(np.linspace(0.85, 0.05, len(horizons)))
        for horizon, colour, marker in zip(horizons, colours, "osD^v", strict=False):
            rows = data[data["horizon"] == horizon]
            ax.plot(rows["fraction"], rows["median"], color=colour, marker=marker, markersize=4.5, markevery=0.08)
            ax.fill_between(rows["fraction"], rows["q10"], rows["q90"], color=colour, alpha=0.13, linewidth=0)
            ends[f"T = 10$^{{{round(np.log10(horizon))}}}$"] = (rows["median"].iloc[-1], colour)
        ax.axhline(0.25, color="#888888", linewidth=0.9, linestyle="--")
        ax.annotate("prior weight 1/K", (1.2e-5, 0.255), fontsize=9, color="#666666", va="bottom")
        _decades(ax, axes="x", step=1)
        ax.set(xlim=(1e-5, 1), ylim=(0, 1.02), xlabel="round t as a fraction of T", ylabel="weight of the truth")
        label_ends(ax, 1.0, ends)
        ax.set_title("Up to T = 10⁶ Algorithm 2 never gets sure of the truth")
        _note(figure, "Dirichlet(0.3) class, K = 4, M = 8, ε = 1. Line: median; band: 10 % to 90 % of replicates.")
    return figure


def hadamard_class(hypotheses: FloatArray, data: pd.DataFrame, epsilon: float = 0.1) -> Figure:
    """Figure 4: the class of Theorem 3 as an image, and every learner's risk on it against the lower bound."""
    rows_at = data[data["epsilon"] == epsilon]
    last = float(rows_at["horizon"].max())
    with style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(10.2, 4.6), width_ratios=[1, 1.7])
        left.imshow(hypotheses, cmap="Blues", aspect="auto", vmin=0)
        left.grid(False)
        pairs = len(hypotheses) // 2
        names = [f"$p_{{{i + 1},{side}}}$" for i in range(pairs) for side in (1, 2)]
        left.set_yticks(range(2 * pairs), names)
        left.set_xticks(range(hypotheses.shape[1]), range(1, hypotheses.shape[1] + 1))
        left.set(xlabel="label y", ylabel="hypothesis")
        left.set_title("the class, with a = 0.4", fontsize=11, fontweight="normal")
        ends = {}
        for learner, rows in rows_at.groupby("learner", sort=False):
            if learner != "approximate":
                ends[NAMES[learner]] = _line(right, rows, "horizon", learner)
        bound = rows_at.groupby("horizon")["theorem_3"].first()
        right.plot(bound.index, bound, **LOWER_BOUND)
        ends["Theorem 3"] = (bound.iloc[-1], "black")
        _decades(right)
        right.set(xlim=(rows_at["horizon"].min(), last), xlabel="horizon T", ylabel="KL risk (nats)")
        right.set_title(f"risk on the class built for T, ε = {epsilon:g}", fontsize=11, fontweight="normal")
        label_ends(right, last, ends)
        finding = "No private learner gets below Theorem 3; randomised response comes within a factor of about 30"
        figure.suptitle(finding, fontsize=11.5, fontweight="bold", x=0.01, ha="left")
        about = (
            f"K = {pairs} pairs, N = {hypotheses.shape[1]} labels. Left: probability of a label, from 0 (white) "
        )
        about += f"to {hypotheses.max():g} (darkest). Bands: 99 % confidence of the mean."
        _note(figure, about)
    return figure


def tv_over_horizons(hard: pd.DataFrame, fixed: pd.DataFrame, response: pd.DataFrame) -> Figure:
    """Figure 7: averaged total variation, Theorem 6, and the rate that Remark 1 asks for."""
    lines = {
        "Algorithm 2, its hardest coins": (hard, PALETTE["pure"], "o"),
        "Algorithm 2, fixed coins": (fixed, "#56B4E9", "s"),
        "randomised response,\nits hardest coins": (response, PALETTE["randomized_response"], "^"),
    }
    last = float(hard["horizon"].max())
    with style():
        figure, ax = plt.subplots(figsize=(8.4, 5.0))
        ends: dict[str, tuple[float, Any]] = {}
        for name, (rows, colour, marker) in lines.items():
            ax.plot(rows["horizon"], rows["mean"], color=colour, marker=marker, markersize=4)
            ax.fill_between(rows["horizon"], rows["low"], rows["high"], color=colour, alpha=0.2, linewidth=0)
            ends[name] = (rows["mean"].iloc[-1], colour)
        ax.plot(hard["horizon"], hard["theorem_6"], **BOUND)
        ends["Theorem 6"] = (hard["theorem_6"].iloc[-1], "black")
        x = np.array([3e11, last])
        slopes = ((-0.25, 0.45, "top", "slope −1/4 "), (-0.5, 2.5, "bottom", " slope −1/2"))
        for slope, start, side, name in slopes:
            rows = hard if slope == -0.25 else response
            level = np.interp(np.log(x[0]), np.log(rows["horizon"]), rows["mean"]) * start
            ax.plot(x, level * (x / x[0]) ** slope, color="#444444", linewidth=0.9)
            middle = (np.sqrt(x.prod()), level * (x[1] / x[0]) ** (slope / 2))
            ax.annotate(name, middle, ha="right" if side == "top" else "left", va=side, fontsize=9)
        _decades(ax)
        ax.set(xlim=(hard["horizon"].min(), last), xlabel="horizon T", ylabel="averaged total variation")
        label_ends(ax, last, ends, gap=0.075)
        ax.set_title("Theorem 6 is tight for Algorithm 2; T$^{-1/2}$ takes another learner", fontsize=12)
        about = "Two coins, ε = 1. Hardest: heads with probability 1/2 ± gap, the gap shrinking with T so that\n"
        _note(figure, f"{about}the learner just fails; fixed: gap 0.3. Bands: 99 % confidence of the mean.")
    return figure


def label_sweep(data: pd.DataFrame) -> Figure:
    """Figure 8: risk against the number of labels that cannot be merged, every scheme tuned alike."""
    names = NAMES | {
        "sign_bits": "one bit of a random test",
        "merged_response": "randomised response",
        "posterior": "Algorithm 2's messages,\nBayes' rule",
        "pure": "Algorithm 2",
    }
    last = float(data["n_labels"].max())
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 5.0))
        ends: dict[str, tuple[float, Any]] = {}
        for learner, rows in data.groupby("learner", sort=False):
            ends[names[learner]] = _line(ax, rows, "n_labels", learner)
        _decades(ax, axes="y")
        ax.set_xscale("log", base=2)
        ax.set(xlim=(data["n_labels"].min(), last), xlabel="labels M", ylabel="KL risk at T = 10¹⁰ (nats)")
        label_ends(ax, last, ends, gap=0.065)
        ax.set_title("One bit a label: few labels or many, a risk of tens of nats", fontsize=12)
        about = "K = 4, ε = 1, Dirichlet(1) classes: no labels can be merged. Bands: 99 % confidence of the mean."
        _note(figure, f"{about}\nAll but Algorithm 2 and the uniform mixture are read by Bayes' rule.")
    return figure


def privacy_losses(data: pd.DataFrame) -> Figure:
    """Figure 5: exact privacy loss of Algorithm 2's message, printed and corrected."""
    with style():
        figure, ax = plt.subplots(figsize=(8.2, 4.6))
        colours = dict(zip(data["instance"].unique(), ("#D55E00", "#0072B2", "#009E73"), strict=True))
        ends: dict[str, tuple[float, Any]] = {"declared: ε": (1.0, "black")}
        last = float(data["horizon"].max())
        for (name, calibration), rows in data.groupby(["instance", "calibration"], sort=False):
            dashed = calibration == "corrected"
            ax.plot(rows["horizon"], rows["loss"], color=colours[name], linestyle=(0, (4, 2)) if dashed else "-")
            ends[f"{name}, {calibration}"] = (rows["loss"].iloc[-1], colours[name])
        ax.axhline(1.0, **BOUND)
        _decades(ax, axes="x")
        ax.set(xlim=(10, last), xlabel="horizon T", ylabel="exact privacy loss / ε")
        label_ends(ax, last, ends, gap=0.06)
        ax.set_title("As printed, Algorithm 2 loses more privacy than ε on some classes")
        _note(figure, "ε = 1. Full lines: noise log(KT)/ε as printed; broken lines: log((K + 1)T)/ε.")
    return figure
