"""The paper's figures: tidy data in, figure out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replicate import certify
from replicate.mechanisms import NOISES
from replicate.papers.noisy_leader.experiments import deterministic_slope, simulated_slope
from replicate.validation import FloatArray, IntArray
from replicate.workbook import figures as draw


def _look(learner: str) -> draw.Look:
    known = draw.look(learner)
    return known._replace(name=known.name.removesuffix(" noise"))


@draw.style()
def six_variants(data: pd.DataFrame) -> Figure:
    """Figure 7: regret of the six variants against K, with both candidate rates."""
    _, ax = plt.subplots(figsize=(7.8, 4.9))
    last, top = int(data["n_actions"].max()), 1.35 * data["regret"].max()
    exact = data[~data["resampled"]]
    ends = draw.curves(ax, exact, "n_actions", "regret", "noise", _look, band=("", ""), markevery=[-1])
    for i, (noise, rows) in enumerate(data[data["resampled"]].groupby("noise", sort=False)):
        shifted = rows.assign(n_actions=rows["n_actions"] * 2 ** (0.12 * (i - 1)))
        draw.bars(ax, shifted, "n_actions", "regret", _look(noise), linestyle="", markerfacecolor="white")
    gumbel = exact[exact["noise"] == "gumbel"]
    anchor = gumbel.iloc[(gumbel["n_actions"] - 8).abs().argmin()]
    k = np.geomspace(2, last, 100)
    linear = anchor["regret"] * np.log(k) / np.log(anchor["n_actions"])
    square = linear * np.log(k) / np.log(anchor["n_actions"])
    shown = square < top
    ends |= draw.line(ax, k, linear, draw.GUIDE, "∝ log K")
    draw.line(ax, k[shown], square[shown], draw.GUIDE)
    ax.annotate("∝ log² K", (k[shown][-1], top), (-6, -10), ha="right", color=draw.INK, **draw.ASIDE)
    draw.log2_axis(ax, step=2)
    return draw.finish(
        ax, ends, xlim=(1.7, last), ylim=(0, top),
        xlabel="number of actions K", ylabel="pseudo-regret at $T = 2^{40}$",
        finding="With equal gaps regret grows like log K in all six variants",
        setting="Deterministic losses, all gaps 1/4, ε = 0.1. Lines: B = 0, exact. "
        "Markers: B = 1, 99% intervals.",
    )  # fmt: skip


@draw.style()
def sandwich(data: pd.DataFrame) -> Figure:
    """Figure 4: lower bound, exact regrets and upper bounds on the instance of Theorem 3."""
    _, ax = plt.subplots(figsize=(7.8, 5.0))
    k, last = data["n_actions"], int(data["n_actions"].max())
    learners = data.melt("n_actions", [*NOISES, "prefix_softmax"], "learner", "regret")
    ends = draw.curves(ax, learners, "n_actions", "regret", "learner", _look, markevery=2)
    ends |= draw.line(ax, k, data["theorem_4"], draw.BOUND, "Theorem 4 (its proof)")
    ours = {"color": "#444444", "linestyle": (0, (5, 1, 1, 1)), "linewidth": 1.3}
    ends |= draw.line(ax, k, data["potential"], ours, "our bound, Gumbel")
    ends |= draw.line(ax, k, data["theorem_3_sum"], draw.LOWER_BOUND, "Theorem 3, sum form")
    draw.log2_axis(ax, step=2)
    return draw.finish(
        ax, ends, gap=0.05, xlim=(2, last), ylim=(0, None),
        xlabel="number of actions K", ylabel="exact regret at $T = 2^{40}$",
        finding="Deterministic losses: noise costs 4 to 6 times the lower bound",
        setting="One action with loss 0, the others 1; ε = 0.1. Everything is exact: no sampling.",
    )  # fmt: skip


@draw.style()
def one_score_vector(data: pd.DataFrame) -> Figure:
    """Figure 1: exact selection distribution of each noise on one vector of sums, and each over Gumbel's."""
    gumbel = data[data["noise"] == "gumbel"].set_index("lead")["probability"]
    data, last = data.assign(ratio=data["probability"] / data["lead"].map(gumbel)), 1.02 * data["lead"].max()
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 4.5))
    draw.headline(figure, "One budget, three distributions: exponential noise keeps most for the best action", {})
    note = "Ten actions at the marked sums; all noises of scale 2/ε, ε = 1, hence all ε-private."
    at: dict[str, Any] = {"xlim": (-0.7, last), "xlabel": "loss above the best action's, in rounds"}
    ends = draw.curves(axes[0], data, "lead", "probability", "noise", _look)
    axes[0].set(yscale="log", ylabel="probability of being selected")
    draw.finish(axes[0], ends, ylim=(None, 1), note=note, **at)
    ends = draw.curves(axes[1], data, "lead", "ratio", "noise", _look)
    return draw.finish(axes[1], ends, ylim=(0.6, 1.25), ylabel="that probability over Gumbel's", **at)


@draw.style()
def privacy_curves(data: pd.DataFrame) -> Figure:
    """Figure 2: privacy loss of a choice between two actions, printed and corrected scales."""
    figure, axes = plt.subplots(1, 2, figsize=(9.4, 4.5), sharey=True)
    axes[0].set_ylabel("privacy loss when it lags 2 more (nats)")
    notes = ("Two actions, ε = 1. A block of n rounds offers lags up to n − 2.", "")
    for ax, calibration, note in zip(axes, ("printed", "corrected"), notes, strict=True):
        rows = data[data["calibration"] == calibration]
        ends = draw.curves(ax, rows, "lag", "loss", "noise", _look, markevery=(110, 40))
        ax.axhline(1, **draw.BOUND)
        ax.annotate("stated: ε", (-5.8, 1), (0, 4), **draw.ASIDE)
        ax.set(xlim=(-6, 14), ylim=(0, 2.25))
        draw.finish(ax, ends, gap=0.07, xlabel="rounds by which the action lags before", note=note)
    one = np.log(2 * np.e - 1)
    axes[0].plot([-1, 0], [one, 2], "o", color=draw.colour("exponential"), markersize=6)
    axes[0].annotate(r"one round: $\ln(2e^{\varepsilon} - 1)$", (-1, one), (9, 0), va="center", **draw.ASIDE)
    axes[0].annotate("two rounds: 2ε", (0, 2), (4, 7), va="bottom", **draw.ASIDE)
    panels = {axes[0]: "as printed: exponential noise 1/ε", axes[1]: "corrected: exponential noise 2/ε"}
    return draw.headline(figure, "Exponential noise of scale 1/ε has privacy loss 2ε, after two rounds", panels)


@draw.style()
def late_growth(data: pd.DataFrame, exploring: pd.DataFrame) -> Figure:
    """Figure 3: regret of Laplace noise without resampling against T, its bound, and a learner that does grow."""
    _, ax = plt.subplots(figsize=(7.8, 4.9))
    last, instances = float(data["rounds"].max()), data["instance"].unique()
    looks = zip(("#0072B2", "#E69F00", "#CC79A7", "#009E73"), "os^D", strict=True)
    forms = dict(zip(instances, looks, strict=True))
    ends = draw.curves(
        ax, data, "rounds", "regret", "instance", lambda name: draw.Look(name, *forms[name]), markevery=8
    )
    control = draw.Look("control: keeps exploring", "#555555", "", "-.")
    rows = exploring[exploring["instance"] == "one near competitor"]
    ends |= draw.curves(ax, rows, "rounds", "regret", "instance", lambda _: control)
    bound = data[(data["instance"] == instances[0]) & (data["rounds"] >= 2**10)]
    ends |= draw.line(ax, bound["rounds"], bound["bound"], draw.BOUND, "Theorem 1, derived constants")
    draw.decades(ax, "y")
    draw.log2_axis(ax)
    return draw.finish(
        ax, ends, xlim=(2**5, last), ylim=(8, 4e5), xlabel="rounds T", ylabel="pseudo-regret",
        finding="Regret stops growing: no trace of Theorem 1's log T",
        setting="Laplace noise, B = 0, K = 16, smallest gap 0.01, ε = 0.1, Bernoulli losses; "
        "means over replicates.",
    )  # fmt: skip


@draw.style()
def growth(exact: pd.DataFrame, n_actions: IntArray, samples: dict[str, FloatArray]) -> Figure:
    """Figure 6: worst regret over log K, exact on deterministic losses and simulated on Bernoulli losses."""
    figure, axes = plt.subplots(1, 2, figsize=(10.2, 4.8))
    ends = (_exact_growth(axes[0], exact), _simulated_growth(axes[1], n_actions, samples))
    largest = (int(exact["n_actions"].max()), int(n_actions.max()))
    axes[0].set_ylabel("worst regret, in units of log K")
    notes = ("Numbers after the names: exponent of log K (2 would be log² K). Bars: 99% intervals.", "")
    for ax, names, start, last, note in zip(axes, ends, (5.8, 3.8), largest, notes, strict=True):
        sizes = np.geomspace(4, last, 50)
        rising = start * np.log(sizes) / np.log(4)
        sizes, rising = sizes[rising < 14], rising[rising < 14]
        draw.line(ax, sizes, rising, draw.GUIDE)
        ax.annotate("∝ log² K", (sizes[-1], rising[-1]), (4, -4), color=draw.INK, **draw.ASIDE)
        draw.log2_axis(ax, step=2)
        draw.finish(ax, names, gap=0.06, note=note, xlim=(3.5, last), ylim=(0, 15), xlabel="number of actions K")
    texts = ("deterministic, exact: times ε, worst gaps found", "Bernoulli, B = 1: over 1/gap + 1/ε")
    panels = dict(zip(axes, texts, strict=True))
    return draw.headline(figure, "No second logarithm: the worst regret stays a multiple of log K", panels)


def _exact_growth(ax: Axes, data: pd.DataFrame) -> draw.Ends:
    """Draw the worst exact regrets and their bounds over log K; return the lines' ends."""
    slopes = {noise: deterministic_slope(rows)[0].estimate for noise, rows in data.groupby("noise")}
    bounds = ["potential", "theorem_4", "corollary_3"]
    scaled = data.assign(**{name: data[name] / np.log(data["n_actions"]) for name in ("regret", *bounds)})
    gumbel = scaled[scaled["noise"] == "gumbel"]
    ends = draw.curves(ax, scaled, "n_actions", "regret", "noise", lambda noise: _named(noise, slopes[noise]))
    for column, name in zip(bounds, ("our bound", "Theorem 4", ""), strict=True):  # Corollary 3 leaves the frame
        ends |= draw.line(ax, gumbel["n_actions"], gumbel[column], draw.BOUND, name)
    return ends


def _simulated_growth(ax: Axes, n_actions: IntArray, samples: dict[str, FloatArray]) -> draw.Ends:
    """Draw the simulated regrets over log K with 99% intervals; return the lines' ends."""
    ends: draw.Ends = {}
    for noise, values in samples.items():
        k = n_actions[: values.shape[1]]
        rows = pd.DataFrame([certify.band(column, level=0.99) for column in (values / np.log(k)).T]).assign(k=k)
        slope = simulated_slope(n_actions, values, false_alarm=0.01).estimate
        ends |= draw.bars(ax, rows, "k", "estimate", _named(noise, slope))
    return ends


def _named(noise: str, slope: float) -> draw.Look:
    """A noise with its exponent behind its name."""
    known = _look(noise)
    return known._replace(name=f"{known.name}: {slope:.2f}")


_ASIDE = {"laplace": 8, "gumbel": -6.5, "exponential": -8}
"""How far above its line, in points, a noise is named in figure 5."""


@draw.style()
def resampling_cost(data: pd.DataFrame) -> Figure:
    """Figure 5: regret on deterministic losses with and without resampling, against the gap."""
    _, ax = plt.subplots(figsize=(7.2, 4.5))
    data = data.assign(x=1 / data["gap"], high=2 * data["B = 1"] - data["low"])
    last = 1.1 * data["x"].max()
    draw.curves(ax, data, "x", "B = 0", "noise", _look, band=("", ""))
    for noise, rows in data.groupby("noise", sort=False):
        draw.bars(ax, rows, "x", "B = 1", _look(noise), linestyle="-.")
        middle = tuple(rows[["x", "B = 0"]].iloc[1])
        shade = draw.colour(noise)
        ax.annotate(_look(noise).name, middle, (30, _ASIDE[noise]), color=shade, va="center", **draw.ASIDE)
    ends: draw.Ends = {f"{b}, three noises": (data[b].iloc[-3:].mean(), "#333333") for b in ("B = 0", "B = 1")}
    ends |= draw.line(ax, (9, last), data["corollary_3"].max(), draw.BOUND, "Corollary 3, Laplace")
    ax.set(xscale="log", yscale="log")
    draw.ticks(ax, "x", (10, 100, 1000))
    draw.ticks(ax, "y", (10, 100, 1000))
    return draw.finish(
        ax, ends, xlim=(9, last), xlabel="1 / gap", ylabel="regret at $T = 2^{40} - 1$",
        finding="Resampling puts the noise back: regret grows like 1/gap",
        setting="Two actions, deterministic losses 1/2 and 1/2 + gap, ε = 1. B = 0 exact; B = 1: 99% intervals.",
    )  # fmt: skip
